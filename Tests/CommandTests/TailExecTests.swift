import Glibc
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch tail --exec` {
    let watched: WatchedFolder
    let site: LoopbackSite
    var log: String { watched.folder.file("log") }
    var cursor: String { watched.folder.file("cursor") }

    init() async throws {
        watched = try WatchedFolder()
        site = try await LoopbackSite.playing(changingPages)
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
    }

    /// From the first event on; the command runs in the test's folder.
    private func tail(_ command: String, _ arguments: String...) -> Program {
        var program = watched.tail(
            "--durable", "--since", "seq:0", "--cursor-file", cursor, "--exec", command)
        program.arguments += arguments
        program.folder = watched.folder.path
        program.environment["PAGEWATCH_TITLE"] = "of somebody else"
        return program
    }

    /// The number of the first event.
    private func started() async throws -> Int {
        try await watched.history("--json").first.flatMap { seq(of: $0) } ?? -1
    }

    private func lines() throws -> [String] {
        try TextFile.read(log).split(separator: "\n").map { String($0) }
    }

    @Test func `gives the command each event, on its input and in its environment`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: title changed")
        let command = """
            test "$(cat)" = "$PAGEWATCH_JSON" || echo not the same
            echo "$PAGEWATCH_SEQ $PAGEWATCH_EVENT $PAGEWATCH_TARGET $PAGEWATCH_LOAD \
            ${PAGEWATCH_TITLE-unset} ${PAGEWATCH_OLD_TITLE-unset} $PAGEWATCH_URL \
            ${PAGEWATCH_EVENT_STATE-unset} ${PAGEWATCH_ERROR-unset}"
            echo "$PAGEWATCH_TIME" >&2
            """
        let tail = try tail(command).start()
        try await tail.line(with: "titleChanged")
        let outcome = await tail.end(by: SIGTERM)
        #expect(outcome.exitCode == 143)
        let page = site.url("/p")
        #expect(
            outcome.outputLines.first
                == "\(try await started()) service   unset unset  started unset")
        let story = outcome.outputLines.dropFirst().map { $0.drop { $0 != " " } }
        #expect(
            story.prefix(2) == [
                " firstSeen p 1 p 1 unset \(page) unset unset",
                " titleChanged p 2 p 2 p 1 \(page) unset unset",
            ])
        let events = try await watched.history("p", "--json").compactMap { JSONValue($0) }
        #expect(outcome.errorText.split(separator: "\n")[1] == events[0]["time"].string ?? "")
        try await daemon.end()
        await site.stop()
    }

    @Test func `tells the command how a load failed`() async throws {
        let port = try ReservedPort()
        try watched.configure(
            "confirm: 1, failures: 1", "p: {url: \"http://127.0.0.1:\(port.port)/\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: failing")
        let tail = try tail("echo \"$PAGEWATCH_EVENT $PAGEWATCH_ERROR\"").start()
        let line = try await tail.line(with: "failing ")
        #expect(line.hasPrefix("failing connect: refused: "))
        _ = await tail.end()
        try await daemon.end()
        await site.stop()
    }

    @Test func `runs a command that fails again, before all others`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: title changed")
        let command = """
            echo "$PAGEWATCH_SEQ" >> log
            test "$(wc -l < log)" -ge 3
            """
        let tail = try tail(command).start()
        try await eventually("the first event thrice") { try lines().count >= 2 }
        // It has failed once, so nothing is handled.
        #expect(try TextFile.read(cursor) == "0\n")
        try await eventually("a later event") { try lines().count >= 5 }
        let outcome = await tail.end(by: SIGTERM)
        let numbers = try lines()
        let first = String(try await started())
        #expect(numbers.prefix(3) == [first, first, first])
        #expect(Set(numbers).count == numbers.count - 2)
        let beginning =
            "pagewatch tail: the command ended with 1 on event \(first) ((service): service)"
        // The signal ends a command that runs just then, which is no failure to be told.
        #expect(
            outcome.errorText == "\(beginning); it is run again in 1 s\n"
                + "\(beginning); it is run again in 2 s\n")
        try await daemon.end()
        await site.stop()
    }

    @Test(arguments: [0, 7])
    func `hands a signal on, and moves the cursor if the command ends well`(code: Int) async throws
    {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        // What the shell started hears of it, too.
        let command = """
            trap 'echo heard; exit \(code)' TERM
            (trap 'echo heard below; exit 0' TERM; echo ready; while :; do sleep 0.01; done)
            """
        let tail = try tail(command).start()
        try await tail.line(with: "ready")
        let outcome = await tail.end(by: SIGTERM)
        #expect(outcome.exitCode == 143)
        #expect(Set(outcome.outputLines) == ["ready", "heard", "heard below"])
        let moved = code == 0 ? try await started() : 0
        #expect(try TextFile.read(cursor) == "\(moved)\n")
        try await daemon.end()
        await site.stop()
    }

    @Test func `ends a command that does not listen by the second signal`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        let command = "trap 'echo no' INT; echo ready; while :; do sleep 0.01; done"
        let tail = try tail(command).start()
        try await tail.line(with: "ready")
        tail.send(signal: SIGINT)
        try await tail.line(with: "no")
        tail.send(signal: SIGINT)
        let outcome = await tail.outcome()
        #expect(outcome.exitCode == 130)
        #expect(outcome.errorText.contains("was ended by signal 9 on event "))
        try await daemon.end()
        await site.stop()
    }

    @Test func `gives the command usual signals, and no descriptors but the three`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        // A shell can't know what it was given: /proc tells.
        let command = """
            grep SigBlk /proc/self/status
            grep SigIgn /proc/self/status
            ls /proc/self/fd | wc -l
            echo done
            """
        let tail = try tail(command).start()
        try await tail.line(with: "done")
        let outcome = await tail.end()
        // Two that the C library keeps for itself, and ignores in all programs that it starts; and a
        // descriptor of the listing's own.
        #expect(
            outcome.outputLines.prefix(4) == [
                "SigBlk:\t0000000000000000", "SigIgn:\t0000000180000000", "4", "done",
            ])
        try await daemon.end()
        await site.stop()
    }

    @Test func `takes events larger than a pipe, read or not, and than a variable`() async throws {
        let large = String(repeating: "large ", count: 50_000)
        let site = try await LoopbackSite.playing(
            "serve /p\nhead 200 text/html\ntext <title>{count} \(large)</title>")
        try watched.configure("confirm: 1, title_limit: 0", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        let command = """
            case $PAGEWATCH_EVENT in
            firstSeen) exec 0<&-; echo unread "${PAGEWATCH_TITLE-unset}";;
            titleChanged) wc -c; echo "${PAGEWATCH_JSON-unset}"; echo end;;
            esac
            """
        let tail = try tail(command).start()
        try await tail.line(with: "end")
        let outcome = await tail.end()
        #expect(outcome.outputLines.first == "unread unset")
        #expect(Int(outcome.outputLines[1].filter(\.isNumber)) ?? 0 > 600_000)
        #expect(outcome.outputLines[2] == "unset")
        #expect(outcome.errorText == "")
        try await daemon.end()
        await site.stop()
        await self.site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Reader and service` {
    /// Numbers that look random and are the same in every run (splitmix64).
    private struct Dice {
        var state: UInt64

        mutating func roll(_ range: ClosedRange<Int>) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return range.lowerBound + Int((mixed ^ (mixed >> 31)) % UInt64(range.count))
        }
    }

    private static let names = (1...8).map { "t\($0)" }

    @Test func `may be killed at any time: the command sees every event, in order`() async throws {
        let site = try await LoopbackSite.playing(changingPages)
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", limits: "per_host: 100",
            targets: Self.names.map { "\($0): {url: \"\(site.url("/\($0)"))\"}" })
        var program = watched.tail(
            "--durable", "--since", "seq:0", "--cursor-file", watched.folder.file("cursor"),
            "--exec", "cat >> log")
        program.folder = watched.folder.path
        program.timeLimit = .seconds(250)
        var dice = Dice(state: 4)
        var daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        var reader = try program.start()
        for turn in 1...20 {
            let requests = await site.requests().count
            await site.waitForRequests(number: requests + dice.roll(1...12))
            if turn % 2 == 0 {
                await daemon.kill()
                daemon = try watched.start()
                try await daemon.wait(for: "(service): started")
            } else {
                reader.send(signal: SIGKILL)
                _ = await reader.outcome()
                reader = try program.start()
            }
        }
        try await daemon.end()
        var kept = try await watched.history("--json")
        for name in Self.names { kept += try await watched.history(name, "--json") }
        kept.sort { seq(of: $0) ?? 0 < seq(of: $1) ?? 0 }
        // The last events may have to come from the history. The reader that was started last may have
        // found no service, which ends it with 3.
        daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        reader.send(signal: SIGKILL)
        _ = await reader.outcome()
        reader = try program.start()
        let last = seq(of: kept.last ?? "") ?? 0
        try await eventually("the last event") {
            let seen = try TextFile.read(watched.folder.file("log")).split(separator: "\n")
            return seen.contains { seq(of: $0) ?? 0 > last }
        }
        _ = await reader.end()
        try await daemon.end()
        var seen: [Substring] = []
        var known: Set<Substring> = []
        for line in try TextFile.read(watched.folder.file("log")).split(separator: "\n")
        where known.insert(line).inserted { seen.append(line) }
        #expect(Array(seen.prefix(kept.count)) == kept)
        #expect(kept.count > 60)
        await site.stop()
    }
}
