import Glibc
import LoopbackSite
import TestSupport
import Testing

/// A FIFO that a program reads as its standard input, fed line by line.
private final class Feed {
    let path: String
    private let folder: TemporaryFolder
    private var descriptor: CInt

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("feed")
        try #require(mkfifo(path, 0o600) == 0)
        // For reading too, so that the opening does not wait for the program's.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    func send(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    func end() {
        if descriptor >= 0 { _ = close(descriptor) }
        descriptor = -1
    }

    deinit { end() }

    /// `pagewatch check --json --from -` with its input from here.
    func program(_ options: String...) -> Program {
        var program = Program(
            "/bin/sh",
            [
                "-c", "feed=$1; shift; exec \"$@\" < \"$feed\"", "sh", path,
                BuiltProducts.path("pagewatch"), "check", "--json", "--from", "-",
            ] + CheckRun.patience + options)
        program.timeLimit = .seconds(300)
        return program
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A run` {
    private static let scenario = """
        serve /page
        head 200 text/html
        text <title>Page</title>
        serve /silent
        silence
        serve /half
        head 200 text/html
        length 1000
        text <title>Half</title>
        silence
        """

    @Test func `tells each result before the next line of its list comes`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let feed = try Feed()
        let running = try feed.program().start()
        var lines = running.lines.makeAsyncIterator()
        for number in 1...5 {
            feed.send(site.url("/page?\(number)"))
            let line = try #require(await lines.next())
            #expect(line.text.contains("/page?\(number)\""))
        }
        feed.send("http://")
        #expect(await lines.next()?.text.contains("malformedURL") == true)
        feed.end()
        #expect(await lines.next() == nil)
        #expect(await running.outcome().exitCode == 3)
        await site.stop()
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, CInt)])
    func `that is interrupted tells what it stopped, and ends`(
        signal: CInt, code: CInt
    ) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let feed = try Feed()
        let running = try feed.program("--per-host", "2").start()
        feed.send(site.url("/half"))
        feed.send(site.url("/silent?1"))
        feed.send(site.url("/silent?2"))
        try await site.waitForRequest("/half")
        try await site.waitForRequest("/silent")
        running.send(signal: signal)
        let run = CheckRun(await running.outcome())
        #expect(run.exitCode == code)
        // What waited for its turn has not begun, and is not told.
        #expect(run.results.count == 2)
        #expect(run.result(of: site.url("/silent?1"))?.error == "firstByte: cancelled")
        let half = try #require(run.result(of: site.url("/half")))
        #expect(half.error == "body: cancelled" || half.error == "firstByte: cancelled")
        #expect(run.outcome.errorText == "")
        await site.stop()
    }

    @Test(arguments: [true, false])
    func `that is interrupted just when its list ends, ends`(isSignalFirst: Bool) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let feed = try Feed()
        let running = try feed.program(site.url("/page")).start()
        var lines = running.lines.makeAsyncIterator()
        #expect(await lines.next() != nil)
        // Both are there when it goes on, so one turn of the loop sees both.
        running.send(signal: SIGSTOP)
        if isSignalFirst { running.send(signal: SIGINT) }
        feed.end()
        if !isSignalFirst { running.send(signal: SIGINT) }
        running.send(signal: SIGCONT)
        #expect(await running.outcome().exitCode == 130)
        await site.stop()
    }

    @Test func `can be interrupted while nobody writes to its list`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.file("list"), 0o600) == 0)
        let running = try Program.pagewatch(
            arguments: ["check", "--from", folder.file("list"), site.url("/page")]
        ).start()
        var lines = running.lines.makeAsyncIterator()
        #expect(await lines.next() != nil)
        running.send(signal: SIGINT)
        #expect(await running.outcome().exitCode == 130)
        await site.stop()
    }

    @Test func `that is interrupted says UNKNOWN to a monitoring system`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let running = try Program.pagewatch(
            arguments: ["check", "--plugin", site.url("/silent")] + CheckRun.patience
        ).start()
        _ = try await site.waitForRequest("/silent")
        running.send(signal: SIGINT)
        let outcome = await running.outcome()
        #expect(outcome.exitCode == 130)
        #expect(outcome.outputText.hasPrefix("UNKNOWN - interrupted by Ctrl-C: "))
        await site.stop()
    }

    @Test func `that is interrupted leaves the terminal as it was`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        var program = Program.pagewatch(
            arguments: ["check", site.url("/silent")] + CheckRun.patience)
        program.terminal = .init()
        program.timeLimit = .seconds(300)
        let running = try program.start()
        try await site.waitForRequest("/silent")
        // Ctrl-C, as the terminal makes a signal of it.
        running.type("\u{3}")
        let outcome = await running.outcome()
        #expect(outcome.exitCode == 130)
        let shown = outcome.terminalText
        #expect(shown.contains("cancelled"))
        // Neither hidden cursor nor colour is left behind.
        if let hidden = shown.lastRange(of: "\u{1B}[?25l") {
            let restored = try #require(shown.lastRange(of: "\u{1B}[?25h"))
            #expect(restored > hidden)
        }
        await site.stop()
    }

    @Test func `whose reader has gone ends by SIGPIPE, without a word`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let urls = (1...200).map { site.url("/page?\($0)") }
        let script = "\"$@\" | head -n 1; echo \"${PIPESTATUS[0]}\""
        let program = Program(
            "/bin/bash",
            ["-c", script, "bash", BuiltProducts.path("pagewatch"), "check", "--concurrency", "1"]
                + urls)
        let outcome = try await program.run()
        #expect(outcome.outputLines.count == 2)
        #expect(outcome.outputLines.last == "141")
        #expect(outcome.errorText == "")
        #expect(await site.requests().count < 200)
        await site.stop()
    }

    @Test func `that can't write says so and ends`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let program = Program(
            "/bin/sh",
            [
                "-c", "exec \"$@\" > /dev/full", "sh", BuiltProducts.path("pagewatch"), "check",
                site.url("/page"), site.url("/silent"),
            ])
        let outcome = try await program.run()
        #expect(outcome.exitCode == 3)
        #expect(
            outcome.errorText
                == "pagewatch: can't write to standard output: No space left on device\n")
        #expect(outcome.wall < .seconds(5))
        await site.stop()
    }
}

extension String {
    /// Where the last occurrence of a text begins, in bytes.
    fileprivate func lastRange(of text: String) -> Int? {
        let bytes = Array(utf8)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (0...(bytes.count - wanted.count)).last { bytes[$0...].starts(with: wanted) }
    }
}
