import Glibc
import History
import LoopbackSite
import PageModel
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The daemon's end` {
    @Test func `is an orderly one on SIGTERM, within two seconds under load`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /silent/{n}\nsilence\nserve /drip/{n}\nhead 200 text/html\nbody\n"
                + "repeat forever\ntext .\npause 20ms\nend\n"
                + "serve /{n}\nhead 200 text/html\ntext <title>{count}</title>")
        let watched = try WatchedFolder()
        let targets = (1...20).flatMap { number in
            ["silent", "drip"].map { kind in
                "\(kind)\(number): {url: \"\(site.url("/\(kind)/\(number)"))\"}"
            } + ["t\(number): {url: \"\(site.url("/\(number)"))\"}"]
        }
        try watched.configure("confirm: 1", limits: "per_host: 256", targets: targets)
        let daemon = try watched.start()
        for number in 1...20 {
            try await site.waitForRequest("/silent/\(number)")
            try await site.waitForRequest("/drip/\(number)")
            try await site.waitForRequest("/\(number)", number: 2)
        }
        let began = MonotonicClock.now()
        let outcome = try await daemon.end()
        #expect(MonotonicClock.now() - began < .seconds(2))
        let lines = outcome.outputLines
        #expect(lines.last == "(service): stopping")
        for number in 1...20 {
            // What the end cut off has not failed.
            #expect(try watched.story(of: "silent\(number)").isEmpty)
            #expect(try watched.story(of: "drip\(number)").isEmpty)
            #expect(try watched.reader().target("drip\(number)")?.lastFailed == nil)
            #expect(try watched.reader().target("drip\(number)")?.nextLoad == 2)
        }
        // All that was told is kept, and all that is kept was told.
        let told = lines.count { $0.hasPrefix("t") }
        #expect(
            try (1...20).reduce(0) { try $0 + watched.events(of: "t\($1)").count } == told)
        await site.stop()
    }

    // B67
    @Test func `may be SIGKILL at any time: nothing told is lost, and none comes twice`()
        async throws
    {
        // Every load is a change.
        let site = try await LoopbackSite.playing(
            "serve /{n}\nhead 200 text/html\ntext <title>{count}</title>")
        let watched = try WatchedFolder()
        try watched.configure(
            "confirm: 1", limits: "per_host: 100",
            targets: (1...30).map { "t\($0): {url: \"\(site.url("/\($0)"))\"}" })
        var told: Set<Substring> = []
        var generator = SystemRandomNumberGenerator()
        for _ in 1...10 {
            let requests = await site.requests().count
            let daemon = try watched.start()
            // Some loads further, wherever that finds the store.
            let more = Int.random(in: 1...60, using: &generator)
            await site.waitForRequests(number: requests + more)
            // B66: one reads while the other writes.
            _ = try? watched.events(of: "t1")
            for line in await daemon.kill() where line.hasPrefix("t") { told.insert(line[...]) }
        }
        try await watched.run(until: "t7: title changed")
        var kept: Set<Substring> = []
        var seqs: Set<Int64> = []
        for number in 1...30 {
            var before: String??
            var lastLoad: Int64 = 0
            for event in try watched.events(of: "t\(number)") {
                #expect(seqs.insert(event.seq).inserted)
                #expect(event.load ?? 0 > lastLoad, "load numbers of t\(number)")
                lastLoad = event.load ?? lastLoad
                switch event.event {
                case .firstSeen(let title, _, nil):
                    #expect(before == nil)
                    before = .some(title)
                    kept.insert("t\(number): first seen: \"\(title ?? "")\"")
                case .titleChanged(let change):
                    #expect(before == .some(change.from), "the chain of t\(number)")
                    before = .some(change.to)
                    let line =
                        "t\(number): title changed: \"\(change.from ?? "")\" -> "
                        + "\"\(change.to ?? "")\""
                    #expect(kept.insert(line[...]).inserted, "\(line) came twice")
                default: Issue.record("\(event)")
                }
            }
        }
        #expect(told.subtracting(kept).isEmpty)
        #expect(told.count > 30)
        await site.stop()
    }

    @Test func `by SIGKILL leaves a candidate where it was: a restart goes on at 1 of 3`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            """
            serve /p
            times 3
            head 200 text/html
            text <title>Old</title>
            serve /p
            times 1
            head 200 text/html
            text <title>New</title>
            serve /p
            times 1
            gate never
            close
            serve /p
            head 200 text/html
            text <title>New</title>
            """)
        let watched = try WatchedFolder()
        try watched.configure("confirm: 3", "p: {url: \"\(site.url("/p"))\"}")
        let first = try watched.start()
        try await first.wait(for: "p: first seen: \"Old\"")
        // What the fourth load showed is on the disk before the fifth begins.
        try await site.waitForRequest("/p", number: 5)
        await first.kill()
        #expect(try watched.reader().titles(of: "p").last?.count == 1)
        let second = try watched.start()
        try await second.wait(for: "p: title changed: \"Old\" -> \"New\"")
        try await second.end()
        let restart = try #require(try watched.events(of: nil).first { $0.seq > 1 << 20 })
        let event = try #require(try watched.events(of: "p").last)
        guard case .titleChanged(let change) = event.event else {
            Issue.record("\(event)")
            return
        }
        #expect(change.firstShown < restart.time)
        #expect(try watched.reader().titles(of: "p").first { $0.isTold }?.title == "Old")
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The daemon's state folder` {
    @Test func `belongs to one daemon: a second one ends with 75`() async throws {
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1")
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        let outcome = try await Program.pagewatch(
            "daemon", "--config", watched.main, "--state", watched.state, "--socket",
            watched.folder.file("other.sock")
        ).run()
        #expect(outcome.exitCode == 75)
        #expect(outcome.errorText.contains("\(daemon.program.processID)"), "who holds it")
        #expect(outcome.errorText.contains(watched.state))
        try await daemon.end()
        // It is free once the first has ended.
        try await watched.run(until: "(service): started")
    }

    // B69
    @Test func `that is damaged is set aside, told, and the watching goes on`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\nhead 200 text/html\ntext <title>Steady</title>")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        try await watched.run(until: "p: first seen: \"Steady\"")
        try TextFile.write(String(repeating: "no database ", count: 2000), to: watched.database)
        let daemon = try watched.start()
        let line = try await daemon.wait(for: "(service): store trouble: ")
        try await daemon.wait(for: "p: first seen: \"Steady\"")
        try await daemon.end()
        let aside = try #require(line.split(separator: " ").first { $0.contains("history.db.") })
        let bare = String(aside).trimmed(of: ",;:()\"")
        #expect(try TextFile.read(bare).hasPrefix("no database"), "\(line)")
        #expect(try watched.story(of: nil).prefix(2) == ["started", "storeTrouble"])
        await site.stop()
    }

    @Test(arguments: 5...9)
    func `that can't be opened for want of descriptors ends it with 75, to be tried again`(
        limit: Int
    ) async throws {
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1")
        let outcome = try await Program(
            "/bin/sh",
            [
                "-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"",
                BuiltProducts.path("pagewatch"), "daemon", "--config", watched.main, "--state",
                watched.state, "--socket", watched.socket,
            ]
        ).run()
        #expect(outcome.exitCode == 75, "\(outcome.errorText)")
        #expect(outcome.errorText.hasPrefix("pagewatch daemon: "), "\(outcome.errorText)")
    }

    @Test func `that can't be written ends the daemon with 78`() async throws {
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1")
        let outcome = try await Program.pagewatch(
            "daemon", "--config", watched.main, "--state", "/proc/no/such"
        ).run()
        #expect(outcome.exitCode == 78)
        #expect(outcome.errorText.contains("/proc/no/such"))
    }
}

extension String {
    /// Without those characters at either end.
    fileprivate func trimmed(of characters: String) -> String {
        let rest = drop { characters.contains($0) }
        return String(rest.reversed().drop { characters.contains($0) }.reversed())
    }
}
