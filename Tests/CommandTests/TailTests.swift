import Glibc
import LoopbackSite
import TestSupport
import Testing

extension WatchedFolder {
    /// `pagewatch tail` of the daemon that is started here.
    func tail(_ arguments: String...) -> Program {
        Program.pagewatch(arguments: ["tail", "--socket", socket] + arguments)
    }

    /// What `pagewatch history` has of a target, or of the service.
    func history(_ arguments: String...) async throws -> [Substring] {
        try await Program.pagewatch(arguments: ["history", "--state", state] + arguments).run()
            .outputLines
    }
}

/// The number of an event, by its line of JSON.
func seq(of line: some StringProtocol) -> Int? { JSONValue(line)?["seq"].integer }

/// Pages whose titles change with every load.
let changingPages = "serve /{n}\nhead 200 text/html\ntext <title>{n} {count}</title>"

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch tail` {
    let watched: WatchedFolder
    let site: LoopbackSite

    init() async throws {
        watched = try WatchedFolder()
        site = try await LoopbackSite.playing(changingPages)
        let targets = ["p", "q"].map { "\($0): {url: \"\(site.url("/\($0)"))\"}" }
        try watched.configure("confirm: 1", targets: targets)
    }

    @Test func `prints what the history keeps, as the history prints it`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        let tail = try watched.tail("--since", "seq:0", "--utc").start()
        for _ in 1...3 { try await tail.line(with: "p: title changed: \"p ") }
        let outcome = await tail.end(by: SIGTERM)
        #expect(outcome.exitCode == 143)
        #expect(outcome.errorText == "")
        try await daemon.end()
        let lines = outcome.outputLines
        for (name, target) in [("p:", ["p"]), ("q:", ["q"]), ("(service):", [])] {
            let own = lines.filter { $0.contains("Z \(name) ") }
            let kept = try await watched.history(target.first ?? "--utc", "--utc")
            #expect(!own.isEmpty)
            #expect(own == Array(kept.prefix(own.count)), "\(name)")
        }
        await site.stop()
    }

    @Test func `as JSON has every event, in order and without holes`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        let tail = try watched.tail("--json").start()
        try await tail.line(with: "\"event\":\"titleChanged\"")
        try await tail.line(with: "\"event\":\"titleChanged\"")
        let outcome = await tail.end(by: SIGINT)
        #expect(outcome.exitCode == 130)
        let numbers = outcome.outputLines.map { seq(of: $0) ?? -1 }
        let first = try #require(numbers.first)
        #expect(first > 0)
        #expect(numbers == Array(first..<(first + numbers.count)))
        let kinds = Set(outcome.outputLines.compactMap { JSONValue($0)?["event"].string })
        #expect(kinds.isSuperset(of: ["isLoading", "estimatedProgress", "navigation", "title"]))
        try await daemon.end()
        await site.stop()
    }

    @Test func `tells only what is asked for`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "q: title changed")
        let tail = try watched.tail(
            "q", "--json", "--event", "titleChanged", "--event", "isLoading", "--since", "-1h"
        ).start()
        for _ in 1...4 { try await tail.line(with: "titleChanged") }
        for line in await tail.end().outputLines {
            let event = try #require(JSONValue(line))
            // That some were missed is always told: steps of loads before there was a reader.
            if event["event"].string == "missed" { continue }
            #expect(["titleChanged", "isLoading"].contains(event["event"].string))
            #expect(event["target"].string == "q")
        }
        try await daemon.end()
        await site.stop()
    }

    @Test(arguments: [[], ["--json", "--durable"]])
    func `waits for a service that has gone, and loses nothing`(form: [String]) async throws {
        let first = try watched.start()
        try await first.wait(for: "p: title changed")
        let errors = watched.folder.file("errors")
        let tail = try Program(
            "/bin/sh",
            [
                "-c", "errors=$1; shift; exec \"$@\" 2> \"$errors\"", "sh", errors,
                BuiltProducts.path("pagewatch"), "tail", "--socket", watched.socket, "--since",
                "seq:0", "--utc",
            ] + form
        ).start()
        try await tail.line(with: form.isEmpty ? "p: title changed" : "titleChanged")
        try await first.end()
        let gone = "pagewatch tail: the service has gone; waiting for it to come back\n"
        try await eventually("the word that it has gone") { try TextFile.read(errors) == gone }
        let loads = await site.requests(for: "/p").count
        // A crash, too: what was told before it was on the disk.
        let second = try watched.start()
        try await site.waitForRequest("/p", number: loads + 2)
        await second.kill()
        let third = try watched.start()
        for _ in 1...2 { try await tail.line(with: form.isEmpty ? "started" : "\"started\"") }
        try await third.end()
        try await tail.line(with: form.isEmpty ? "stopping" : "\"stopping\"")
        let outcome = await tail.end(by: SIGTERM)
        var kept: [String] = []
        for target in ["p", "q", nil] {
            let form = form.first ?? "--utc"
            kept += try await watched.history(target ?? form, form, "--utc").map { String($0) }
        }
        let told = outcome.outputLines.map { String($0) }
        #expect(told.count == kept.count)
        #expect(told.sorted() == kept.sorted())
        // Once for each time that it was away for long enough to be missed.
        #expect(try TextFile.read(errors).replacing(gone, with: "") == "")
        await site.stop()
    }

    @Test func `goes on where its cursor file says, whoever was stopped meanwhile`() async throws {
        let cursor = watched.folder.file("cursor")
        let tail = { watched.tail("--json", "--durable", "--cursor-file", cursor) }
        var told: [Substring] = []
        for _ in 1...3 {
            let daemon = try watched.start()
            try await daemon.wait(for: "(service): started")
            // Where there is a number, --since does not count.
            var program = tail()
            program.arguments += ["--since", "seq:0"]
            let reader = try program.start()
            try await reader.line(with: "titleChanged")
            let outcome = await reader.end(by: SIGTERM)
            told += outcome.outputLines
            #expect(try TextFile.read(cursor) == "\(seq(of: told.last ?? "") ?? 0)\n")
            // Both are away while these happen.
            try await daemon.wait(for: "p: title changed")
            try await daemon.end()
        }
        let numbers = told.compactMap { seq(of: $0) }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == told.count)
        let last = try #require(numbers.last)
        for target in ["p", "q"] {
            let kept = try await watched.history(target, "--json")
                .filter { seq(of: $0) ?? 0 <= last }
            let marks = "\"target\":\"\(target)\""
            #expect(told.filter { $0.contains(marks) } == kept)
        }
        await site.stop()
    }

    @Test func `whose reader has gone ends by SIGPIPE, without a word`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: title changed")
        let outcome = try await Program(
            "/bin/bash",
            [
                "-c", "\"$@\" | head -n 1 > /dev/null; echo \"${PIPESTATUS[0]}\"", "bash",
                BuiltProducts.path("pagewatch"), "tail", "--socket", watched.socket, "--since",
                "seq:0",
            ]
        ).run()
        #expect(outcome.outputText == "141\n")
        #expect(outcome.errorText == "")
        try await daemon.end()
        await site.stop()
    }

    @Test func `notices that its reader has gone while nothing happens`() async throws {
        try watched.configure("confirm: 1")
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        let outcome = try await Program(
            "/bin/bash",
            [
                "-c", "\"$@\" | true; echo \"${PIPESTATUS[0]}\"", "bash",
                BuiltProducts.path("pagewatch"), "tail", "--socket", watched.socket,
            ]
        ).run()
        #expect(outcome.outputText == "141\n")
        #expect(outcome.errorText == "")
        try await daemon.end()
        await site.stop()
    }

    @Test func `says what is wrong, and ends with 3`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        let damaged = try watched.folder.write("12x\n", to: "damaged")
        let mistakes: [([String], String)] = [
            (["p", "r"], "there is no target \"r\" (\"pagewatch status\" lists them)"),
            (
                ["--event", "tittle"],
                "event is \"tittle\", which is no kind of event (did you mean title?)"
            ),
            (
                ["--cursor-file", damaged],
                "\(damaged) does not hold the number of an event (write one into it, or remove it"
                    + " to begin anew)"
            ),
            (
                ["--cursor-file", "/dev/null"],
                "/dev/null is not a file for a cursor (name one that may be replaced)"
            ),
            (
                ["--cursor-file", "/no/such/cursor"],
                "/no/such/cursor can't be replaced: No such file or directory"
            ),
            (
                ["--since", "seq:x"],
                "--since \"seq:x\" is not the number of an event (write \"seq:120\")"
            ),
            ([""], "a target is empty (write its name, or none for all)"),
        ]
        for (arguments, problem) in mistakes {
            var program = watched.tail()
            program.arguments += arguments
            let outcome = try await program.run()
            #expect(outcome.errorText == "pagewatch tail: \(problem)\n")
            #expect(outcome.outputText == "")
            #expect(outcome.exitCode == 3)
        }
        #expect(try TextFile.read(damaged) == "12x\n")
        try await daemon.end()
        await site.stop()
    }

    @Test func `tells where it looked when there is no service`() async throws {
        let outcome = try await watched.tail().run()
        #expect(
            outcome.errorText == "pagewatch tail: no service at \(watched.socket) (no such file):"
                + " start it (systemctl start pagewatch, or pagewatch daemon) or name its --socket\n"
        )
        #expect(outcome.exitCode == 3)
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `pagewatch tail on a terminal` {
    let watched: WatchedFolder
    let site: LoopbackSite

    init() async throws {
        watched = try WatchedFolder()
        site = try await LoopbackSite.playing(
            "serve /p\nhead 200 text/html\nblock 4000 <title>{count}</title>\npause 400ms\n"
                + "block 4000")
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
    }

    /// A reader that follows.
    private func follow() async throws -> RunningProgram {
        var program = watched.tail("--cursor-file", watched.folder.file("cursor"))
        program.terminal = .init()
        let tail = try program.start()
        try await eventually("the reader's start") {
            try !TextFile.read(watched.folder.file("cursor")).isEmpty
        }
        return tail
    }

    /// Waits for some more loads.
    private func loads(_ count: Int) async throws {
        let before = await site.requests().count
        try await site.waitForRequest("/p", number: before + count)
    }

    @Test func `has bars below its lines, and leaves nothing behind`() async throws {
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen")
        let tail = try await follow()
        try await loads(3)
        // Ctrl-C, as the terminal makes a signal of it.
        tail.type("\u{3}")
        let outcome = await tail.outcome()
        #expect(outcome.exitCode == 130)
        let shown = outcome.terminalText
        #expect(shown.contains("p: title changed: "))
        #expect(shown.contains(" %"), "a bar was drawn")
        // The last thing that is written takes the bars away.
        let bar = try #require(shown.ranges(of: "━").last)
        let erasure = try #require(shown.ranges(of: "\u{1B}[C\u{1B}[J\r").last)
        #expect(erasure.lowerBound > bar.lowerBound)
        let hidden = try #require(shown.ranges(of: "\u{1B}[?25l").last)
        let restored = try #require(shown.ranges(of: "\u{1B}[?25h").last)
        #expect(restored.lowerBound > hidden.lowerBound)
        try await daemon.end()
        await site.stop()
    }
}
