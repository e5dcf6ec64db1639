import Glibc
import LoopbackSite
import PageModel
import Reactor
import TestSupport
import Testing

@testable import History

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A daemon that can't write its history` {
    /// A page whose every load is a change.
    private func site() async throws -> LoopbackSite {
        try await LoopbackSite.playing(
            "serve /{page}\nhead 200 text/html\ntext <title>{count}</title>")
    }

    @Test func `says so at once, loads on, and tells all of it once when it can again`()
        async throws
    {
        let site = try await site()
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"1\"")
        let other = try Database(watched.database, .write)
        other.wait(milliseconds: 10_000)
        try other.run("BEGIN IMMEDIATE", for: "test")
        let trouble =
            "the history in \(watched.state) can't be written: another program keeps the"
            + " database locked (let it end); loads go on, and what they show waits in memory"
        try await daemon.wait(for: "(service): \(trouble)")
        let before = daemon.lines.count
        try await site.waitForRequest("/p", number: 6)
        try other.run("ROLLBACK", for: "test")
        let end = try await daemon.wait(
            for: "(service): store trouble: the history in \(watched.state) is written again")
        #expect(daemon.lines.count > before + 3)
        #expect(end.contains("had to wait"))
        let outcome = try await daemon.end()
        let lines = outcome.outputLines.map(String.init)
        #expect(Set(lines).count == lines.count, "\(lines)")
        // What is kept was told, and it is told when it could not be.
        let told = lines.count { $0.hasPrefix("p: ") }
        #expect(try watched.events(of: "p").count == told)
        #expect(
            try watched.story(of: nil) == ["started", "storeTrouble", "storeTrouble", "stopping"])
        let messages = try watched.events(of: nil).compactMap { event -> String? in
            guard case .service(let service) = event.event else { return nil }
            return service.message
        }
        #expect(messages.first == trouble)
        #expect(messages.count == 2)
        await site.stop()
    }

    // B67
    @Test func `likewise when no file can grow, and tells all of it once there is room`()
        async throws
    {
        let site = try await site()
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"1\"")
        // No file of the daemon's can grow: to SQLite a full disk or a failing one.
        try await limitFiles(of: daemon, to: "4096")
        let line = try await daemon.wait(
            for: "(service): the history in \(watched.state) can't be written: ")
        #expect(line.contains("disk is full"))
        let requests = await site.requests(for: "/p").count
        try await site.waitForRequest("/p", number: requests + 3)
        try await limitFiles(of: daemon, to: "unlimited")
        try await daemon.wait(
            for: "(service): store trouble: the history in \(watched.state) is written again")
        let lines = try await daemon.end().outputLines.map(String.init)
        #expect(Set(lines).count == lines.count, "\(lines)")
        #expect(try watched.events(of: "p").count == lines.count { $0.hasPrefix("p: ") })
        #expect(!lines.contains { $0.contains("History.") })
        await site.stop()
    }

    /// Sets how large a file of the daemon's may become.
    private func limitFiles(of daemon: RunningDaemon, to bytes: String) async throws {
        let process = daemon.program.processID
        let outcome = try await Program(
            "/usr/bin/prlimit", ["--pid=\(process)", "--fsize=\(bytes):"]
        ).run()
        try #require(outcome.exitCode == 0, "\(outcome.errorText)")
    }

    @Test func `says that its folder is gone`() async throws {
        let site = try await site()
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"1\"")
        try call("move the folder") { rename(watched.state, watched.state + "-away") }
        try await daemon.wait(
            for: "(service): store trouble: the history in \(watched.state) was removed")
        try await daemon.wait(for: "p: title changed")
        try await daemon.end()
        await site.stop()
    }

    @Test func `ends with 3 when not all could be written`() async throws {
        let site = try await site()
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "p: first seen: \"1\"")
        let other = try Database(watched.database, .write)
        other.wait(milliseconds: 10_000)
        try other.run("BEGIN IMMEDIATE", for: "test")
        try await daemon.wait(for: "(service): the history in \(watched.state) can't be written")
        let outcome = await daemon.program.end()
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains("not all of the history could be written"))
        try other.run("ROLLBACK", for: "test")
        await site.stop()
    }

    @Test func `repeats no load's number when a target is forgotten and comes back meanwhile`()
        async throws
    {
        let site = try await site()
        let watched = try WatchedFolder()
        let target = "p: {url: \"\(site.url("/p"))\"}"
        let other = "q: {url: \"\(site.url("/q"))\"}"
        try watched.configure("confirm: 1", target, other)
        let daemon = try watched.start()
        for _ in 1...2 { try await daemon.wait(for: "p: title changed: ") }
        let last = try #require(try watched.events(of: "p").last?.load)
        let lock = try Database(watched.database, .write)
        lock.wait(milliseconds: 10_000)
        try lock.run("BEGIN IMMEDIATE", for: "test")
        try watched.configure("confirm: 1", other)
        #expect(try await ask(watched, "reconfigure").exitCode == 0)
        #expect(try await ask(watched, "forget", "p", "--state", watched.state).exitCode == 0)
        try watched.configure("confirm: 1", target, other)
        #expect(try await ask(watched, "reconfigure").exitCode == 0)
        let before = await site.requests(for: "/p").count
        try await site.waitForRequest("/p", number: before + 2)
        try lock.run("ROLLBACK", for: "test")
        try await daemon.wait(for: "p: first seen: ")
        try await daemon.end()
        let loads = try watched.events(of: "p").compactMap(\.load)
        #expect(!loads.isEmpty && loads.allSatisfy { $0 > last }, "\(loads) after \(last)")
        await site.stop()
    }

    private func ask(
        _ watched: WatchedFolder, _ arguments: String...
    ) async throws -> Program.Outcome {
        try await Program.pagewatch(arguments: arguments + ["--socket", watched.socket]).run()
    }
}
