import Glibc
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The command loopback-site` {
    @Test func `runs a command beside the site and ends with its exit code`() async throws {
        let outcome = try await Program.loopbackSite(
            "--run", "/bin/sh", "-c", "curl -s {site}/page?title=Here; exit 7"
        ).run()
        #expect(outcome.outputText == "<!DOCTYPE html><title>Here</title>")
        #expect(outcome.ending == .exited(7))
        let killed = try await Program.loopbackSite("--run", "sh", "-c", "kill -9 $$").run()
        #expect(killed.ending == .exited(137))
    }

    @Test func `gives the pages to watch in a file, or as arguments`() async throws {
        let list = try await Program.loopbackSite("--run", "cat", "{demo}").run().outputLines
        let words = try await Program.loopbackSite("--run", "printf", "%s\\n", "{demo-urls}").run()
        #expect(list.count >= 6 && list.count == words.outputLines.count)
        #expect(list.allSatisfy { $0.hasPrefix("http://127.0.0.1:") })
        #expect(list.first?.hasSuffix("/steady") == true)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `serves until it is told to end`(signal: CInt) async throws {
        let site = try Program.loopbackSite().start()
        var first: String?
        for await line in site.lines where first == nil {
            first = line.text
            site.send(signal: signal)
        }
        #expect(first?.hasPrefix("listening on http://127.0.0.1:") == true)
        #expect(await site.outcome().ending == .exited(0))
    }

    @Test func `passes SIGTERM on to its command`() async throws {
        let site = try Program.loopbackSite(
            "--run", "sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done"
        ).start()
        for await line in site.lines where line.text == "ready" { site.send(signal: SIGTERM) }
        #expect(await site.outcome().ending == .exited(9))
    }

    @Test func `says what to do when its port is in use`() async throws {
        let port = try ReservedPort()
        let outcome = try await Program.loopbackSite("--port", "\(port.port)").run()
        #expect(outcome.exitCode == 3)
        #expect(
            outcome.errorText == "loopback-site: bind port \(port.port): Address already in use"
                + " (write another --port, or 0 for any that is free; \"make site PORT=8082\")\n")
    }

    @Test(arguments: [
        (["--port", "x"], "\"x\" is not a port (0 to 65535)"),
        (["--nonsense"], "unknown option \"--nonsense\" (see --help)"),
        (["--run"], "--run needs a command (see --help)"),
        (
            ["--scenarios", "/nonexistent"],
            "read the folder /nonexistent: No such file or directory"
        ),
        (["--run", "/nonexistent"], "run /nonexistent: No such file or directory"),
    ])
    func `says what it does not understand`(arguments: [String], message: String) async throws {
        let outcome = try await Program(BuiltProducts.path("loopback-site"), arguments).run()
        #expect(outcome.errorText == "loopback-site: \(message)\n")
        #expect(outcome.exitCode == 3)
    }

    @Test func `names the file and line of a mistake in a scenario`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("serve /a\nsing", to: "bad.scenario")
        let outcome = try await Program.loopbackSite("--scenarios", folder.path).run()
        let place = folder.file("bad.scenario:2")
        #expect(outcome.errorText == "loopback-site: \(place): \"sing\" is no word of a scenario\n")
    }
}
