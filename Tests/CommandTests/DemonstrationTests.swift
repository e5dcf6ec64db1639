import Glibc
import History
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The demonstration` {
    @Test func `shows a change, and leaves a history behind`() async throws {
        let folder = try TemporaryFolder()
        let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let pagewatch = BuiltProducts.path("pagewatch")
        var program = Program.loopbackSite(
            "--run", "\(project)/scripts/run-demonstration", pagewatch, "{site}")
        program.environment["TMPDIR"] = folder.path
        program.environment["SECONDS_TO_RUN"] = "60"
        let demonstration = try program.start()
        try await demonstration.line(with: "tide: title changed: \"High tide\" -> \"Low tide\"")
        let outcome = await demonstration.end()
        #expect(outcome.ending == .exited(0))
        let command = try #require(
            outcome.outputLines.first { $0.contains("history news --state") })
        #expect(command.hasPrefix("    \(pagewatch) history news --state \(folder.path)/"))
        let state = try #require(command.split(separator: " ").last)
        let reader = try HistoryReader(StateFolder(String(state)))
        #expect(try reader.events(of: "tide").count >= 2)
    }
}
