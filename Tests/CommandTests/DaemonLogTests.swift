import Glibc
import LoopbackSite
import TestSupport
import Testing

/// Pages whose every load is a change.
private let counted = "serve /{n}\nhead 200 text/html\ntext <title>{count}</title>"

/// Targets of a site, loaded each second; each new title counts.
private func targets(_ site: LoopbackSite, _ paths: [String], interval: String = "1s") -> String {
    "defaults: {interval: \(interval), confirm: 1}\ntargets:\n"
        + paths.map { "  t\($0): {url: \"\(site.url("/\($0)"))\"}\n" }.joined()
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The log file` {
    let run: DaemonRun

    init() throws { run = try DaemonRun() }

    @Test func `has what standard output tells, as lines of JSON`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(run.log() + "\n" + targets(site, ["a", "b"]))
        for name in ["a", "b"] { try await site.waitForRequest("/\(name)", number: 3) }
        let outcome = await daemon.end()
        let lines = try run.lines()
        #expect(outcome.exitCode == 0)
        #expect(lines.count == outcome.outputLines.count)
        #expect(value("state", of: lines[0]) == "\"started\"")
        #expect(value("state", of: lines[lines.count - 1]) == "\"stopping\"")
        #expect(lines.count { value("event", of: $0) == "\"titleChanged\"" } >= 2)
        let numbers = lines.compactMap { value("seq", of: $0).flatMap { Int($0) } }
        #expect(numbers == numbers.sorted() && Set(numbers).count == lines.count)
        var status = stat()
        #expect(stat(run.logFile, &status) == 0 && status.st_mode & 0o777 == 0o640)
        await site.stop()
    }

    @Test func `has every step of a load if all is asked for`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(run.log("all") + "\n" + targets(site, ["a"], interval: "1h"))
        try await daemon.line(with: "first seen")
        _ = await daemon.end()
        let lines = try run.lines()
        let ofLoad = lines.filter { value("load", of: $0) == "1" }
        #expect(
            ofLoad.compactMap { value("event", of: $0) }
                == [
                    "estimatedProgress", "url", "isLoading", "navigation", "estimatedProgress",
                    "title",
                    "navigation", "title", "estimatedProgress", "isLoading", "navigation",
                    "firstSeen",
                ].map { "\"\($0)\"" })
        #expect(ofLoad.allSatisfy { value("target", of: $0) == "\"ta\"" })
        // No number is missing, and none comes twice.
        let numbers = lines.compactMap { value("seq", of: $0).flatMap { Int($0) } }
        #expect(numbers == Array(1...lines.count))
        await site.stop()
    }

    @Test func `is in the order of its numbers, whatever waits for the disk`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let names = (1...20).map { "n\($0)" }
        let daemon = try run.start(run.log("all") + "\n" + targets(site, names))
        for name in names { try await site.waitForRequest("/\(name)", number: 4) }
        #expect(await daemon.end().exitCode == 0)
        let lines = try run.lines()
        #expect(lines.count { value("event", of: $0) == "\"titleChanged\"" } >= 40)
        #expect(
            lines.compactMap { value("seq", of: $0).flatMap { Int($0) } }
                == Array(1...lines.count))
        await site.stop()
    }

    @Test func `has the kinds that are named`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(
            run.log("[titleChanged, isLoading]") + "\n" + targets(site, ["a"]))
        try await daemon.line(with: "title changed")
        _ = await daemon.end()
        #expect(
            Set(try run.lines().compactMap { value("event", of: $0) })
                == ["\"isLoading\"", "\"titleChanged\""])
        await site.stop()
    }

    @Test func `is in the folder for logs, and nowhere without that`() async throws {
        let logs = try TemporaryFolder()
        let environment = ["LOGS_DIRECTORY": "\(logs.path):/nonexistent"]
        let daemon = try run.start("", environment: environment)
        try await eventually("the file") {
            try run.lines(logs.file("events.jsonl")).count == 1
        }
        _ = await daemon.end()
        #expect(try run.lines(logs.file("events.jsonl")).count == 2)
        let without = try run.start("")
        try await without.line(with: "started")
        _ = await without.end()
        #expect(access(run.logFile, F_OK) != 0)
    }

    @Test func `goes on in a new one when it was renamed away`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(run.log() + "\n" + targets(site, ["a"]))
        try await eventually("some lines") { try run.lines().count >= 3 }
        #expect(rename(run.logFile, run.folder.file("old")) == 0)
        try await eventually("a new file") { try run.lines().count >= 2 }
        let outcome = await daemon.end()
        let lines = try run.lines(run.folder.file("old")) + run.lines()
        #expect(lines.count == outcome.outputLines.count)
        let numbers = lines.compactMap { value("seq", of: $0).flatMap { Int($0) } }
        #expect(numbers == numbers.sorted() && Set(numbers).count == lines.count)
        await site.stop()
    }

    @Test(arguments: [SIGUSR1, SIGHUP])
    func `is opened anew at a signal, though nothing is written`(signal: CInt) async throws {
        let daemon = try run.start(run.log())
        try await eventually("the first line") { try run.lines().count == 1 }
        #expect(rename(run.logFile, run.folder.file("old")) == 0)
        daemon.send(signal: signal)
        try await eventually("a new file") { try run.lines().isEmpty }
        #expect(await daemon.end().exitCode == 0)
        #expect(try run.lines().count == 1)
    }

    @Test func `goes on at its new end when it was cut off`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(run.log() + "\n" + targets(site, ["a"]))
        try await eventually("some lines") { try run.lines().count >= 3 }
        #expect(truncate(run.logFile, 0) == 0)
        try await eventually("more lines") { try run.lines().count >= 2 }
        _ = await daemon.end()
        #expect(try run.lines().allSatisfy { $0.hasPrefix("{\"seq\":") })
        await site.stop()
    }

    @Test func `starts a line of its own behind one that a crash cut off`() async throws {
        try run.folder.write("{\"seq\":1,\"ti", to: "events.jsonl")
        let daemon = try run.start(run.log())
        try await daemon.line(with: "started")
        _ = await daemon.end()
        let lines = try run.lines()
        #expect(lines.count == 3 && lines[0] == "{\"seq\":1,\"ti")
        #expect(lines[1...].allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test func `drops lines on a full disk, and says how many`() async throws {
        let site = try await LoopbackSite.playing(counted)
        #expect(symlink("/dev/full", run.logFile) == 0)
        let daemon = try run.start(run.log() + "\n" + targets(site, ["a"]))
        let trouble = try await daemon.line(with: "log file")
        #expect(
            trouble.hasSuffix(
                "(service): log file \(run.logFile): can't write to it: No space left on device;"
                    + " its lines are dropped until that is mended"))
        try await site.waitForRequest("/a", number: 3)
        #expect(unlink(run.logFile) == 0)
        let mended = try await daemon.line(with: "log file")
        let outcome = await daemon.end()
        let told = try #require(mended.split(separator: " ").dropLast(3).last.flatMap { Int($0) })
        let events = outcome.outputLines.count { !$0.contains("log file") }
        #expect(try run.lines().count == events - told)
        #expect(outcome.outputLines.count { $0.contains("log file") } == 2)
        await site.stop()
    }

    @Test func `has only whole lines when the room ends within one`() async throws {
        let site = try await LoopbackSite.playing(counted)
        // 1 MiB is the limit: a line of 100 bytes fits behind this, and all others do not.
        let before = String(repeating: String(repeating: "x", count: 99) + "\n", count: 10_480)
        try run.folder.write(before, to: "events.jsonl")
        let daemon = try run.start(
            run.log("all") + "\n" + targets(site, ["a"]), prefix: "ulimit -f 2048")
        try await daemon.line(with: "can't write to it: File too large")
        let outcome = await daemon.end()
        #expect(outcome.exitCode == 0)
        let lines = try run.lines()
        #expect(lines.count >= 10_480)
        #expect(lines[10_480...].allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        await site.stop()
    }

    @Test func `holds nothing up where it can't be opened`() async throws {
        let site = try await LoopbackSite.playing(counted)
        // A pipe that nobody reads.
        #expect(mkfifo(run.logFile, 0o600) == 0)
        let daemon = try run.start(run.log() + "\n" + targets(site, ["a"]))
        try await daemon.line(with: "can't open it: No such device or address")
        try await site.waitForRequest("/a", number: 3)
        let outcome = await daemon.end()
        #expect(outcome.exitCode == 0)
        let last = try #require(outcome.outputLines.last)
        #expect(last.hasSuffix("were lost, to the end"), "\(last)")
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The daemon's standard output` {
    let run: DaemonRun

    init() throws { run = try DaemonRun() }

    @Test func `has the time before each event on a terminal`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let daemon = try run.start(
            targets(site, ["a"]), environment: ["TZ": "XYZ-2"],
            terminal: Program.Terminal(streams: [0, 1, 2]))
        try await site.waitForRequest("/a", number: 2)
        let text = await daemon.end().terminalText
        await site.stop()
        let line = try #require(
            text.split(whereSeparator: \.isNewline).first { $0.contains("started") })
        let (time, rest) = (line.prefix(25), line.dropFirst(25))
        #expect(time.hasPrefix("20") && time.hasSuffix("+02:00"), "\(line)")
        #expect(rest.hasPrefix(" (service): started: version"), "\(line)")
    }

    @Test func `is the same elsewhere as in the journal, which has a time of its own`()
        async throws
    {
        let daemon = try run.start("")
        let line = try await daemon.line(with: "started")
        #expect(line.hasPrefix("(service): started: version"))
        _ = await daemon.end()
    }

    @Test func `does not hold the loads up when its reader stops`() async throws {
        let title = String(repeating: "long ", count: 180)
        let site = try await LoopbackSite.playing(
            "serve /{n}\nhead 200 text/html\ntext <title>\(title){count}</title>")
        let (pipe, reader) = try stalledReader()
        defer { close(reader) }
        let daemon = try run.start(
            run.log() + "\n" + targets(site, ["a"]), redirections: ">\(pipe)")
        // Each change is a line of 2 kB; the pipe takes 4 kB.
        try await site.waitForRequest("/a", number: 6)
        let outcome = await daemon.end()
        #expect(outcome.exitCode == 0)
        #expect(outcome.wall < .seconds(20))
        #expect(try run.lines().count { value("event", of: $0) == "\"titleChanged\"" } >= 4)
        await site.stop()
    }

    @Test func `may lose its reader`() async throws {
        let site = try await LoopbackSite.playing(counted)
        let (pipe, reader) = try stalledReader()
        let daemon = try run.start(targets(site, ["a"]), redirections: ">\(pipe)")
        try await site.waitForRequest("/a")
        close(reader)
        try await site.waitForRequest("/a", number: 4)
        #expect(await daemon.end().exitCode == 0)
        await site.stop()
    }

    @Test func `shows a bar on a terminal while a page loads`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\nhead 200 text/html\nblock 4000 <title>T</title>\ngate more\nblock 4000")
        let daemon = try run.start(
            targets(site, ["a"], interval: "1h"),
            terminal: Program.Terminal(streams: [0, 2]))
        await site.waitForGate("more", count: 1)
        // Two looks at the clock of the bars, whatever the machine's speed.
        try await Task.sleep(for: .milliseconds(300))
        await site.open(gate: "more")
        try await daemon.line(with: "first seen")
        let outcome = await daemon.end()
        #expect(outcome.terminalText.contains("ta"))
        #expect(outcome.terminalText.contains(" %"))
        await site.stop()
    }

    /// A pipe with little room, and a reader that reads nothing.
    private func stalledReader() throws -> (path: String, reader: CInt) {
        let path = run.folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        // F_SETPIPE_SZ, which glibc hides.
        _ = fcntl(reader, 1031, CInt(4096))
        return (path, reader)
    }
}
