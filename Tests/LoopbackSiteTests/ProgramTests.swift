import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Running a program` {
    private func shell(_ script: String) -> Program { Program("/bin/sh", ["-c", script]) }

    @Test func `tells its output, errors and exit code apart`() async throws {
        let outcome = try await shell("echo out; echo err >&2; exit 7").run()
        #expect(outcome.outputText == "out\n")
        #expect(outcome.errorText == "err\n")
        #expect(outcome.ending == .exited(7))
    }

    @Test func `gives input, and the end of it`() async throws {
        var program = Program("cat", [])
        // More than a pipe holds.
        program.input = Array(repeating: 0x61, count: 300_000)
        let outcome = try await program.run()
        #expect(outcome.output == program.input)
        #expect(try await Program("cat", []).run().output.isEmpty)
    }

    @Test func `does not mind input that nobody reads`() async throws {
        var program = Program("true", [])
        program.input = Array(repeating: 0x61, count: 1_000_000)
        #expect(try await program.run().exitCode == 0)
    }

    @Test func `hands on the environment as given, and nothing else`() async throws {
        var program = Program("/usr/bin/env", [])
        program.environment = ["ONLY": "this"]
        #expect(try await program.run().outputText == "ONLY=this\n")
        #expect(
            Program.plainEnvironment.keys.contains { $0.lowercased().hasSuffix("_proxy") } == false)
    }

    @Test func `works in the folder that is named`() async throws {
        let folder = try TemporaryFolder()
        var program = shell("pwd -P; ls")
        try folder.write("x", to: "file")
        program.folder = folder.path
        #expect(try await program.run().outputLines.last == "file")
    }

    @Test func `kills what takes too long, with its children`() async throws {
        var program = shell("sleep 1000 & echo $!; wait")
        program.timeLimit = .milliseconds(100)
        let outcome = try await program.run()
        #expect(outcome.ending == .ranTooLong)
        #expect(outcome.wall < .seconds(10))
        #expect(outcome.outputLines.count == 1)
    }

    @Test func `tells lines as they come, and passes signals on`() async throws {
        let program = try shell(
            "sleep 1000 & trap \"kill $!; echo caught; exit 3\" TERM; echo ready; wait"
        ).start()
        var texts: [String] = []
        for await line in program.lines {
            texts.append(line.text)
            if line.text == "ready" { program.send(signal: SIGTERM) }
        }
        #expect(texts == ["ready", "caught"])
        #expect(await program.outcome().ending == .exited(3))
    }

    @Test func `tells the signal that ended it`() async throws {
        #expect(try await shell("kill -KILL $$").run().ending == .killed(bySignal: SIGKILL))
    }

    @Test func `shows a terminal of the size asked for, on the streams asked for`() async throws {
        var program = shell("stty size <&2; test -t 0 || echo none; test -t 1 || echo pipe")
        program.terminal = Program.Terminal(columns: 123, rows: 45, streams: [2])
        let outcome = try await program.run()
        #expect(outcome.outputText == "45 123\nnone\npipe\n")
        program = shell("stty size; test -t 0 && test -t 2 && echo all")
        program.terminal = Program.Terminal(columns: 40)
        #expect(try await program.run().terminalText == "24 40\r\nall\r\n")
    }

    @Test func `types Ctrl-C on a terminal`() async throws {
        var program = shell("echo ready; exec sleep 1000")
        program.terminal = Program.Terminal(streams: [0])
        let running = try program.start()
        for await line in running.lines where line.text == "ready" { running.type("\u{3}") }
        #expect(await running.outcome().ending == .killed(bySignal: SIGINT))
    }

    @Test func `measures time and memory`() async throws {
        var program = Program(
            "/usr/bin/dd", ["if=/dev/zero", "of=/dev/null", "bs=40M", "count=40"])
        program.samplesMemory = true
        let outcome = try await program.run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.wall > .zero && outcome.systemTime + outcome.userTime > .zero)
        #expect(outcome.peakResidentBytes > 40 << 20 && outcome.peakResidentBytes < 60 << 20)
    }

    @Test func `fails to start what is not there`() {
        #expect(throws: SystemError.self) { try Program("/nonexistent/program", []).start() }
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A reserved port` {
    @Test func `refuses connections`() throws {
        let port = try ReservedPort(.refusing)
        #expect(throws: SystemError.self) { try RawConnection(port: port.port) }
    }

    @Test func `swallows connections without an answer`() async throws {
        let port = try ReservedPort(.swallowing)
        let outcome = try await Program(
            "curl", ["-s", "--connect-timeout", "0.2", "http://127.0.0.1:\(port.port)/"]
        ).run()
        #expect(outcome.exitCode == 28)
    }
}
