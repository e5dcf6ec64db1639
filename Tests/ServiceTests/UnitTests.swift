import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(10))) struct `The units` {
    private static let names = ["pagewatch.service", "pagewatch-check@.service"]

    @Test(.needsMachine) func `are such that systemd-analyze has nothing to say`() async throws {
        let machine = try await Machine.boot()
        // Units name manuals, which systemd-analyze looks for.
        let manuals = Machine.hasManuals ? "" : "--man=no"
        let units = [
            "pagewatch.service", "pagewatch.socket", "pagewatch-stop.target",
            "pagewatch-check@x.service", "pagewatch-check@x.timer",
        ]
        let outcome = try await machine.run(
            "systemd-analyze verify \(manuals) "
                + units.map { "\(Machine.units)/\($0)" }.joined(separator: " "))
        #expect(outcome.exitCode == 0)
        #expect(outcome.outputText + outcome.errorText == "")
        // With what the examples in the drop-ins say, too.
        for name in ["credentials", "addresses"] {
            let lines = try machine.read("/srv/drop-ins/\(name).conf").split(separator: "\n")
            let settings = lines.filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") && $0 != "#" }
            try await machine.change(settings.map { $0.dropFirst() }.joined(separator: "\n") + "\n")
            let outcome = try await machine.run(
                "systemd-analyze verify \(manuals) \(Machine.units)/pagewatch.service")
            #expect(outcome.exitCode == 0)
            #expect(outcome.outputText + outcome.errorText == "", "\(name)")
        }
    }

    @Test(.needsMachine, arguments: names)
    func `keep the program from all that it does not need`(name: String) async throws {
        // The exposure is 1.1 of 10: no more than reaching web servers anywhere costs.
        let outcome = try await Program(
            "/usr/bin/systemd-analyze",
            [
                "security", "--offline=true", "--no-pager", "--threshold=12",
                "\(Machine.project)/systemd/\(name)",
            ]
        ).run()
        #expect(outcome.exitCode == 0, "\(outcome.outputText)")
    }
}
