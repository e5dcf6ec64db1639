import History
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A daemon in trouble` {
    // B76
    @Test func `loads every target in its turn when silent ones take all the places`() async throws
    {
        let site = try await LoopbackSite.playing("serve /{n}\nsilence")
        let watched = try WatchedFolder()
        let names = (1...6).map { "t\($0)" }
        try watched.configure(
            "failures: 1, first_byte_timeout: 1s", limits: "concurrency: 2",
            targets: names.map { "\($0): {url: \"\(site.url("/\($0)"))\"}" })
        let daemon = try watched.start()
        for name in names { try await site.waitForRequest("/\(name)", number: 2) }
        try await daemon.end()
        for name in names {
            let story = try watched.story(of: name)
            #expect(story.filter { !$0.hasPrefix("gap") } == ["failing firstByte timedOut"])
            // That checks were left out is told, and why.
            #expect(story.contains("gap overloaded"), "\(name): \(story)")
        }
        #expect(await site.openConnections <= 2)
        await site.stop()
    }

    @Test func `tells failures of many ports of one host: it is not offline`() async throws {
        let ports = try (1...6).map { _ in try ReservedPort() }
        let watched = try WatchedFolder()
        try watched.configure(
            "failures: 2",
            targets: ports.map { "t\($0.port): {url: \"http://127.0.0.1:\($0.port)/\"}" })
        let daemon = try watched.start()
        var failing = 0
        while failing < ports.count {
            try await daemon.wait(for: "t")
            failing += 1
        }
        try await daemon.end()
        for port in ports {
            #expect(try watched.story(of: "t\(port.port)") == ["failing connect refused"])
        }
        #expect(try watched.story(of: nil) == ["started", "stopping"])
    }

    @Test func `counts no failure while most hosts are out of reach`() async throws {
        let port = try ReservedPort()
        let watched = try WatchedFolder()
        try watched.configure(
            "failures: 3",
            targets: (1...6).map { "t\($0): {url: \"http://127.0.0.\($0):\(port.port)/\"}" })
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): offline: ")
        try await daemon.end()
        for number in 1...6 { #expect(try watched.story(of: "t\(number)").isEmpty) }
    }

    // B68
    @Test func `begins anew with a target whose state can't be read, and does not retire it`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /p\nhead 200 text/html\ntext <title>Steady</title>")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "p: {url: \"\(site.url("/p"))\"}")
        try await watched.run(until: "p: first seen")
        let opening = try HistoryStore.open(
            StateFolder(watched.state), version: "0",
            listener: .init(committed: { _ in }, trouble: { _ in }))
        opening.store.submit(
            Batch([.state(target: "p", VersionedBytes(version: 1, bytes: [9, 9, 9]))]))
        #expect(opening.store.close(within: .seconds(10)))
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): p: what was known of its title can't be read")
        try await daemon.wait(for: "p: first seen: \"Steady\"")
        try await daemon.end()
        #expect(try watched.reader().target("p")?.retired == nil)
        await site.stop()
    }
}
