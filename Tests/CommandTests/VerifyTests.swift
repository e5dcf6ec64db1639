import CTestLinux
import Glibc
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch verify` {
    /// What `pagewatch verify` makes of a main file.
    private func verify(
        _ text: String, environment: [String: String] = [:], named: Bool = true
    ) async throws -> (outcome: Program.Outcome, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "pagewatch.yaml")
        var program = Program.pagewatch(arguments: ["verify"] + (named ? ["--config", path] : []))
        program.environment.merge(environment) { $1 }
        if !named { program.environment["PAGEWATCH_CONFIG"] = path }
        return (try await program.run(), folder)
    }

    private let good = """
        targets:
          a: {url: "https://a.example/"}
          b: {url: "https://b.example/", enabled: false}
        """

    @Test(arguments: [true, false])
    func `says OK with the numbers of files and targets`(named: Bool) async throws {
        let (outcome, folder) = try await verify(good, named: named)
        #expect(
            outcome.outputText
                == folder.file("pagewatch.yaml: OK, 1 file, 2 targets (1 of them not enabled)\n"))
        #expect(outcome.errorText.isEmpty)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["", "# all away\n", "targets:\n", "defaults: {interval: 1min}\n"])
    func `is content with no targets, and says so`(text: String) async throws {
        let (outcome, folder) = try await verify(text)
        #expect(
            outcome.outputText
                == folder.file("pagewatch.yaml: OK, 1 file, but there is no target")
                + " (write \"targets:\", and \"NAME: {url: URL}\" below it)\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `tells every mistake of every file`() async throws {
        let folder = try TemporaryFolder()
        let main = try folder.write("limits: {concurency: 3}\ntargets:\n  a:\n", to: "main.yaml")
        let drops = folder.file("targets.d")
        #expect(mkdir(drops, 0o755) == 0)
        try folder.write("targets:\n  b: {url: x}\n", to: "targets.d/b.yaml")
        try folder.write("targets:\n", to: "targets.d/c.yml")
        let outcome = try await Program.pagewatch("verify", "--config", main).run()
        #expect(outcome.outputText.isEmpty)
        #expect(
            outcome.errorText == """
                pagewatch verify: \(drops)/c.yml is not read (name it .yaml)
                \(main):1:10: "concurency" is not a key of limits (did you mean "concurrency"?)
                \(main):3:5: the target a is nothing, not a mapping \
                (write "url: https://example.com/" below it)
                \(drops)/b.yaml:2:12: url "x" has no scheme (write "https://" before it)

                """)
        #expect(outcome.exitCode == 3)
    }

    @Test func `wants credentials only where the service has them`() async throws {
        let text = "defaults: {bearer: {credential: token}}"
        #expect(try await verify(text).outcome.exitCode == 0)
        let folder = try TemporaryFolder()
        let there = ["CREDENTIALS_DIRECTORY": folder.path]
        let missing = try await verify(text, environment: there).outcome
        #expect(missing.exitCode == 3)
        #expect(missing.errorText.contains("which can't be read: No such file or directory"))
        try folder.write("swordfish\n", to: "token")
        #expect(try await verify(text, environment: there).outcome.exitCode == 0)
    }

    @Test func `reads names of hosts in any script`() async throws {
        let (outcome, _) = try await verify("targets: {a: {url: \"https://bücher.example/\"}}")
        #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    }

    @Test(
        .enabled(
            if: access("/etc/pagewatch/pagewatch.yaml", F_OK) != 0,
            "this machine has a configuration"))
    func `says where it looked for a configuration`() async throws {
        let outcome = try await Program.pagewatch("verify").run()
        #expect(
            outcome.errorText == "pagewatch verify: there is no configuration; looked for"
                + " /etc/pagewatch/pagewatch.yaml and"
                + " /nonexistent/.config/pagewatch/pagewatch.yaml (write --config FILE)\n")
        #expect(outcome.exitCode == 3)
    }

    @Test func `takes no operands`() async throws {
        let outcome = try await Program.pagewatch("verify", "pagewatch.yaml").run()
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains("takes no operand"))
    }

    @Test func `ends soon on 100 MB of anything`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("targets:\n", to: "pagewatch.yaml")
        #expect(truncate(path, 100 << 20) == 0)
        var program = Program.pagewatch("verify", "--config", path)
        program.samplesMemory = true
        let outcome = try await program.run()
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains("has more than 16MiB"))
        #expect(outcome.wall < .seconds(10))
    }
}
