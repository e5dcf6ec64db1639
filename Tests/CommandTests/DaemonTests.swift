import Glibc
import History
import LoopbackSite
import PageModel
import TestSupport
import Testing

/// The steps of a page that is nothing but its title.
private func page(_ title: String) -> String {
    "head 200 text/html\ntext <title>\(title)</title>\n"
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A watched page` {
    @Test func `is told when it is first seen, and when its title changes`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\ntimes 2\n\(page("Old"))serve /p\n\(page("New"))")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", "p: {url: \"\(site.url("/p"))\"}",
            "off: {url: \"\(site.url("/off"))\", enabled: false}")
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): started: version ")
        try await daemon.wait(for: "p: first seen: \"Old\"")
        #expect(try watched.story(of: "p") == ["firstSeen \"Old\""])
        try await daemon.wait(for: "p: title changed: \"Old\" -> \"New\"")
        // It is in the history before it is told.
        let story = ["firstSeen \"Old\"", "titleChanged \"Old\" -> \"New\""]
        #expect(try watched.story(of: "p") == story)
        await site.waitForConnection()
        try await site.waitForRequest("/p", number: 5)
        try await daemon.end()
        #expect(try watched.story(of: "p") == story)
        #expect(try watched.story(of: nil) == ["started", "stopping"])
        #expect(await site.requests(for: "/off").isEmpty)
        await site.stop()
    }

    // B62, B64: the failure comes first, and its end is told.
    @Test func `that is down at the start is failing, recovers, and then is first seen`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /p\ntimes 3\nhead 503 text/html\ntext <title>Down</title>\n"
                + "serve /p\n\(page("Up"))")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 2, failures: 2", "p: {url: \"\(site.url("/p"))\"}")
        try await watched.run(until: "p: first seen: \"Up\"")
        #expect(
            try watched.story(of: "p") == [
                "failing content badStatus", "recovered", "firstSeen \"Up\"",
            ])
        await site.stop()
    }

    /// Pages that go wrong in between, and never change.
    private static let troubled = """
        serve /reset
        turn 2 of 3
        reset
        serve /empty
        turn 2 of 3
        head 200 text/html
        body
        serve /empty-500
        turn 2 of 3
        head 500 text/html
        body
        serve /error-page
        turn 2 of 3
        head 500 text/html
        text <title>Internal Server Error</title>
        serve /no-content
        turn 2 of 3
        head 204
        body
        serve /cut
        turn 2 of 3
        head 200 text/html
        length 500
        text <title>Only a par
        close
        serve /404
        turn 1 of 1
        head 404 text/html
        text <title>Not Found</title>
        serve {page}
        head 200 text/html
        text <title>Steady</title>

        """.replacing("serve {page}", with: "serve /{page}")

    // B58 to B63: errors are no content, and a constant one is told once.
    @Test func `never changes by what goes wrong with it`() async throws {
        let site = try await LoopbackSite.playing(Self.troubled)
        let names = ["reset", "empty", "empty-500", "error-page", "no-content", "cut", "404"]
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1, failures: 2",
            targets: names.map { "t\($0): {url: \"\(site.url("/\($0)"))\"}" })
        let daemon = try watched.start()
        for name in names { try await site.waitForRequest("/\(name)", number: 7) }
        try await daemon.end()
        for name in names.dropLast() {
            #expect(try watched.story(of: "t\(name)") == ["firstSeen \"Steady\""], "\(name)")
        }
        #expect(try watched.story(of: "t404") == ["failing content badStatus"])
        await site.stop()
    }

    // B58, B59
    @Test func `that goes to and fro is told so once`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\nturn 1 of 2\n\(page("A"))serve /p\n\(page("B"))")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: oscillating: ")
        try await site.waitForRequest("/p", number: 8)
        try await daemon.end()
        #expect(
            try watched.story(of: "p") == [
                "firstSeen \"A\"", "titleChanged \"A\" -> \"B\"", "titleChanged \"B\" -> \"A\"",
                "titleChanged \"A\" -> \"B\"", "oscillating \"A\" \"B\"",
            ])
        await site.stop()
    }

    @Test func `keeps its back-forward list over restarts`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\ntimes 2\nhead 302\nheader Location: /a\nbody\n"
                + "serve /p\nhead 302\nheader Location: /b\nbody\n"
                + "serve /a\n\(page("A"))serve /b\n\(page("B"))")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        func list() throws -> [String] {
            let list = try watched.reader().target("p")?.backForwardList
            return ((list?.backList ?? []) + (list?.currentItem.map { [$0] } ?? []))
                .map { "\($0.url) \($0.title ?? "")" }
        }
        try await watched.run(until: "p: title changed: \"A\" -> \"B\"")
        let both = ["\(site.url("/a")) A", "\(site.url("/b")) B"]
        #expect(try list() == both)
        let loads = await site.requests(for: "/b").count
        let again = try watched.start()
        try await site.waitForRequest("/b", number: loads + 2)
        try await again.end()
        #expect(try list() == both)
        await site.stop()
    }

    @Test func `has a rule that is too costly for its titles told once`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\nturn 1 of 2\n\(page(String(repeating: "a", count: 40) + "!"))"
                + "serve /p\n\(page(String(repeating: "a", count: 40) + "?"))")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", "p: {url: \"\(site.url("/p"))\", ignore: ['^(a+)+$']}")
        let daemon = try watched.start()
        try await daemon.wait(
            for: "(service): p: the pattern \"^(a+)+$\" reached its match limit")
        try await site.waitForRequest("/p", number: 4)
        let lines = try await daemon.end().outputLines
        #expect(lines.count { $0.contains("match limit") } == 1)
        await site.stop()
    }

    // B72
    @Test func `has a history by its name, whatever its URL`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\nwhen X-Who: one\n\(page("First"))serve /p\n\(page("Second"))")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", "one: {url: \"\(site.url("/p"))\", headers: {X-Who: one}}",
            "two: {url: \"\(site.url("/p"))\", headers: {X-Who: two}}")
        let daemon = try watched.start()
        try await site.waitForRequest("/p", number: 5)
        try await daemon.end()
        #expect(try watched.story(of: "one") == ["firstSeen \"First\""])
        #expect(try watched.story(of: "two") == ["firstSeen \"Second\""])
        await site.stop()
    }

    @Test(arguments: [
        ("p: {url: \"SITE/new\"}", "url"),
        ("p: {url: \"SITE/old\", headers: {X-Who: two}}", "headers"),
        ("p: {url: \"SITE/old\", user_agent: other}", "userAgent"),
    ])
    func `is rebased, not changed, by an edit of ours`(edit: String, because: String)
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /old\nwhen X-Who: one\nunless User-Agent: other\n\(page("Old"))"
                + "serve /old\n\(page("New"))serve /new\n\(page("New"))")
        let watched = try WatchedFolder()
        let url = site.url("")
        try watched.configure(
            "confirm: 1, headers: {X-Who: one}", "p: {url: \"\(url)/old\"}")
        try await watched.run(until: "p: first seen: \"Old\"")
        try watched.configure(
            "confirm: 1, headers: {X-Who: one}", edit.replacing("SITE", with: url))
        try await watched.run(until: "p: rebased: \"Old\" -> \"New\" (\(because))")
        #expect(
            try watched.story(of: "p") == [
                "firstSeen \"Old\"", "rebased \"Old\" -> \"New\": \(because)",
            ])
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The daemon's configuration` {
    @Test func `ends it with 78 if the main file is wrong, and says where`() async throws {
        let watched = try WatchedFolder()
        try watched.folder.write("limits: {concurency: 3}\n", to: "pagewatch.yaml")
        let outcome = try await Program.pagewatch(
            "daemon", "--config", watched.main, "--state", watched.state
        ).run()
        #expect(outcome.exitCode == 78)
        #expect(outcome.errorText.contains("\(watched.main):1:10: \"concurency\""))
        // No state is made by what can't start.
        #expect(access(watched.state, F_OK) != 0)
    }

    @Test func `ends it with 75 if it can't be read just now, as from a disk that fails`()
        async throws
    {
        let watched = try WatchedFolder()
        // A file that opens well and has nothing to read at its beginning but an I/O error.
        let failing = "/proc/self/mem"
        try watched.folder.write(
            "defaults: {bearer: {file: \(failing)}}\n", to: "pagewatch.yaml")
        for main in [failing, watched.main] {
            let outcome = try await Program.pagewatch(
                "daemon", "--config", main, "--state", watched.state
            ).run()
            #expect(outcome.exitCode == 75, "\(outcome.errorText)")
            #expect(outcome.errorText.contains("Input/output error"), "\(outcome.errorText)")
        }
    }

    // B77, B80
    @Test func `keeps what a broken drop-in said before, over restarts too`() async throws {
        let site = try await LoopbackSite.playing("serve /{page}\n\(page("Steady"))")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1")
        try watched.drop("targets: {a: {url: \"\(site.url("/a"))\"}}\n", as: "a.yaml")
        try watched.drop("targets: {b: {url: \"\(site.url("/b"))\"}}\n", as: "b.yaml")
        let first = try watched.start()
        try await first.wait(for: "(service): started")
        try await site.waitForRequest("/a")
        try await site.waitForRequest("/b", number: 2)
        try await first.end()
        try watched.drop("targets:\n  a: {url: nonsense}\n", as: "a.yaml")
        for _ in 0..<2 {
            let before = await site.requests(for: "/a").count
            let daemon = try watched.start()
            try await daemon.wait(
                for: "(service): refused: "
                    + watched.folder.file("targets.d/a.yaml:2:12: url \"nonsense\""))
            try await site.waitForRequest("/a", number: before + 2)
            try await daemon.end()
        }
        #expect(try watched.story(of: "a") == ["firstSeen \"Steady\""])
        #expect(try watched.story(of: "b") == ["firstSeen \"Steady\""])
        #expect(try watched.reader().targets().allSatisfy { $0.retired == nil })
        await site.stop()
    }

    @Test func `retires nothing when targets.d is missing, unless forced`() async throws {
        let site = try await LoopbackSite.playing("serve /{page}\n\(page("Steady"))")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "m: {url: \"\(site.url("/m"))\"}")
        try watched.drop("targets: {a: {url: \"\(site.url("/a"))\"}}\n", as: "a.yaml")
        try await watched.run(until: "a: first seen")
        let drops = watched.folder.file("targets.d")
        #expect(rename(drops, drops + ".away") == 0)
        let before = await site.requests(for: "/a").count
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): refused: \(drops) is missing: its target goes on")
        try await site.waitForRequest("/a", number: before + 2)
        try await daemon.end()
        #expect(try watched.reader().target("a")?.retired == nil)

        let after = await site.requests(for: "/a").count
        let others = await site.requests(for: "/m").count
        let forced = try watched.start("--force")
        try await site.waitForRequest("/m", number: others + 3)
        try await forced.end()
        #expect(try watched.reader().target("a")?.retired != nil)
        #expect(await site.requests(for: "/a").count == after)
        await site.stop()
    }

    // B70, B71
    @Test func `makes a target new that was taken out and comes back`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\ntimes 1\n\(page("Old"))serve /p\ntimes 1\ngate back\nclose\n"
                + "serve /p\n\(page("New"))serve /m\n\(page("Main"))")
        let watched = try WatchedFolder()
        let other = "m: {url: \"\(site.url("/m"))\"}"
        let target = "p: {url: \"\(site.url("/p"))\", interval: 1h}"
        try watched.configure("confirm: 1", other, target)
        try await watched.run(until: "p: first seen: \"Old\"")
        try watched.configure("confirm: 1", other)
        try await watched.run(until: "(service): started")
        #expect(try watched.reader().target("p")?.retired != nil)
        #expect(try watched.story(of: "p") == ["firstSeen \"Old\""])
        // A crash before its first load ends must not make a change of what is a new beginning.
        try watched.configure("confirm: 1", other, target.replacing("1h", with: "1s"))
        let cutOff = try watched.start()
        try await site.waitForRequest("/p", number: 2)
        let loads = await site.requests(for: "/m").count
        try await site.waitForRequest("/m", number: loads + 2)
        await cutOff.kill()
        await site.open(gate: "back", staysOpen: true)
        try await watched.run(until: "p: first seen: \"New\" (was \"Old\")")
        #expect(
            try watched.story(of: "p").filter { !$0.hasPrefix("gap") } == [
                "firstSeen \"Old\"", "firstSeen \"New\" was \"Old\"",
            ])
        await site.stop()
    }

    @Test func `bounds how many loads there are at once, in all and to a host`() async throws {
        let gated = try await LoopbackSite.playing("serve /{n}\ngate go\n\(page("Gated"))")
        let free = try await LoopbackSite.playing("serve /clock\n\(page("Clock"))")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", limits: "concurrency: 5, per_host: 3",
            targets: (1...8).map { "t\($0): {url: \"\(gated.url("/\($0)"))\"}" }
                + ["clock: {url: \"\(free.url("/clock"))\"}"])
        let daemon = try watched.start()
        // By then all are due.
        try await free.waitForRequest("/clock", number: 4)
        #expect(await gated.requests().count == 3)
        await gated.open(gate: "go")
        await gated.waitForGate("go", count: 3)
        #expect(await gated.requests().count == 6)
        await gated.open(gate: "go", staysOpen: true)
        for number in 1...8 { try await gated.waitForRequest("/\(number)") }
        try await daemon.end()
        await gated.stop()
        await free.stop()
    }
}
