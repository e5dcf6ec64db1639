import Glibc
import LoopbackSite
import TestSupport
import Testing

/// A named pipe that a program writes to, read only when asked.
private final class Sink {
    private let folder: TemporaryFolder
    private let path: String
    private let descriptor: CInt

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("sink")
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit { _ = close(descriptor) }

    /// `pagewatch check` with its output to here.
    func program(_ arguments: [String]) -> Program {
        var program = Program(
            "/bin/sh",
            [
                "-c", "sink=$1; shift; exec \"$@\" > \"$sink\"", "sh", path,
                BuiltProducts.path("pagewatch"), "check",
            ] + arguments)
        program.timeLimit = .seconds(300)
        return program
    }

    /// Reads up to the end, which is when the program has ended.
    func text() -> String {
        _ = fcntl(descriptor, F_SETFL, 0)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A run whose output nobody reads` {
    private static let scenario = """
        serve /page
        head 200 text/html
        text <title>\(String(repeating: "x", count: 1000))</title>
        serve /last
        head 200 text/html
        text <title>Last</title>
        serve /silent
        silence
        """

    /// More output than a pipe holds, and less than is kept.
    private func pages(_ site: LoopbackSite) -> [String] {
        (1...200).map { site.url("/page?\($0)") } + [site.url("/last")]
    }

    @Test func `goes on, and tells all when it is read`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let sink = try Sink()
        let running = try sink.program(
            ["--json", "--concurrency", "1"] + CheckRun.patience + pages(site)
        ).start()
        try await site.waitForRequest("/last")
        let lines = await Task.detached { sink.text() }.value.split(separator: "\n")
        #expect(lines.count == 201)
        #expect(lines.allSatisfy { $0.contains("\"outcome\":\"finished\"") })
        #expect(await running.outcome().exitCode == 0)
        await site.stop()
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, CInt)])
    func `ends by a signal, and stops what is running`(signal: CInt, code: CInt) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let sink = try Sink()
        let running = try sink.program(
            ["--json", "--concurrency", "1"] + CheckRun.patience + pages(site)
                + [site.url("/silent")]
        ).start()
        try await site.waitForRequest("/silent")
        running.send(signal: signal)
        #expect(await running.outcome().exitCode == code)
        await site.stop()
    }

    @Test func `begins nothing more when a good deal waits to be read`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let sink = try Sink()
        let list = try TemporaryFolder()
        let urls = (1...3000).map { site.url("/page?\($0)") }
        let file = try list.write(urls.joined(separator: "\n"), to: "urls")
        let running = try sink.program(["--json", "--from", file] + CheckRun.patience).start()
        // Each result has a kilobyte and a half; a megabyte and the pipe's room are taken.
        _ = try await site.waitForRequest("/page", number: 500)
        running.send(signal: SIGTERM)
        #expect(await running.outcome().exitCode == 143)
        #expect(await site.requests().count < 1500)
        await site.stop()
    }

    @Test func `keeps no title that it could not tell`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let folder = try TemporaryFolder()
        let kept = "# pagewatch titles 1\n\(site.url("/last"))\t\"Before\"\n"
        let file = try folder.write(kept, to: "titles")
        let script = "exec \"$@\" > /dev/full"
        for form in ["--json", "--plugin"] {
            let outcome = try await Program(
                "/bin/sh",
                [
                    "-c", script, "sh", BuiltProducts.path("pagewatch"), "check", form,
                    "--changed", file, site.url("/last"),
                ]
            ).run()
            #expect(outcome.exitCode == 3)
            #expect(try TextFile.read(file) == kept)
        }
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A list without an end` {
    private static let scenario = """
        serve /page
        head 200 text/html
        text <title>Page</title>
        """

    /// Feeds `yes WORD` to a run until it is interrupted, after `lines` lines of output.
    private func run(
        _ word: String, lines: Int, _ arguments: String...
    ) async throws -> Program.Outcome {
        var program = Program(
            "/bin/bash",
            [
                "-c", "exec \"${@:2}\" < <(exec yes \"$1\" 2> /dev/null)", "bash", word,
                BuiltProducts.path("pagewatch"), "check", "--json", "--from", "-",
            ] + arguments)
        program.samplesMemory = true
        let running = try program.start()
        var seen = 0
        for await _ in running.lines {
            seen += 1
            if seen == lines { running.send(signal: SIGINT) }
        }
        return await running.outcome()
    }

    @Test func `of bad lines is told as it comes, and can be interrupted`() async throws {
        let outcome = try await run("nonsense", lines: 5000)
        #expect(outcome.exitCode == 130)
        #expect(outcome.outputLines.first?.contains("standard input:1: ") == true)
        #expect(outcome.peakResidentBytes < 100 << 20)
    }

    @Test(arguments: ["#", "", "# comment"])
    func `of comments lets pages load, and can be interrupted`(line: String) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let outcome = try await run(line, lines: 1, site.url("/page"))
        #expect(outcome.exitCode == 130)
        #expect(outcome.outputLines.count == 1)
        #expect(outcome.peakResidentBytes < 100 << 20)
        await site.stop()
    }
}
