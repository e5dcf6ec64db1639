import Glibc
import History
import LoopbackSite
import TestSupport
import Testing

private let pages = "serve /{page}\nhead 200 text/html\ntext <title>Steady</title>"

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A pause by the API` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    @Test func `holds over a restart until it is taken back`() async throws {
        let site = try await LoopbackSite.playing(pages)
        try watched.configure("confirm: 1", "t: {url: \"\(site.url("/t"))\"}")
        var daemon = try watched.start()
        try await daemon.wait(for: "t: first seen")
        let paused = try await watched.ask("POST /v1/targets/t/pause")
        #expect(paused.json["state"].string == "paused")
        #expect(paused.json["pausedUntil"] == .null && paused.json["nextCheck"] == .null)
        try await daemon.wait(for: "t: paused")
        try await daemon.end()
        let count = await site.requests().count
        daemon = try watched.start()
        try await watched.isServed()
        #expect(try await watched.target("t")["state"].string == "paused")
        #expect(await site.requests().count == count)
        let resumed = try await watched.ask("POST /v1/targets/t/resume?wait=1")
        #expect(resumed.json["state"].string == "fine")
        try await site.waitForRequest("/t", number: count + 1)
        try await daemon.end()
        #expect(
            try watched.story(of: "t") == ["firstSeen \"Steady\"", "paused", "resumed"])
        await site.stop()
    }

    @Test func `ends by itself after its seconds, also if the service was down meanwhile`()
        async throws
    {
        let site = try await LoopbackSite.playing(pages)
        try watched.configure("confirm: 1", "t: {url: \"\(site.url("/t"))\"}")
        var daemon = try watched.start()
        try await daemon.wait(for: "t: first seen")
        let paused = try await watched.ask("POST /v1/targets/t/pause?seconds=2")
        let until = try #require(paused.json["pausedUntil"].string)
        try await daemon.wait(for: "t: paused: until \(until)")
        try await daemon.wait(for: "t: resumed")
        try await site.waitForRequest("/t", number: await site.requests().count + 1)
        _ = try await watched.ask("POST /v1/targets/t/pause?seconds=1")
        try await daemon.end()
        daemon = try watched.start()
        try await daemon.wait(for: "t: resumed")
        try await site.waitForRequest("/t", number: await site.requests().count + 1)
        try await daemon.end()
        await site.stop()
    }

    @Test func `is refused for a target that is not enabled`() async throws {
        try watched.configure(
            "confirm: 1", "off: {url: \"http://127.0.0.1:9/\", enabled: false}")
        let daemon = try watched.start()
        try await watched.isServed()
        let answer = try await watched.ask("POST /v1/targets/off/pause")
        #expect(answer.status == 409 && answer.code == "notEnabled")
        try await daemon.end()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Forgetting by the API` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    @Test func `makes a target new that is defined, and lets go of one that is not`()
        async throws
    {
        let site = try await LoopbackSite.playing(pages)
        let lines = ["t", "u", "v"].map { "\($0): {url: \"\(site.url("/\($0)"))\"}" }
        try watched.configure("confirm: 1", targets: lines)
        let daemon = try watched.start()
        try await watched.isServed()
        for name in ["t", "u", "v"] {
            try await watched.target(name, until: "a title") { $0["title"].string == "Steady" }
        }
        let before = try #require(try await watched.target("t")["lastGood"]["load"].integer)
        let forgotten = try await watched.ask("POST /v1/targets/t/forget")
        #expect(forgotten.status == 200)
        #expect(forgotten.json["title"] == .null && forgotten.json["lastGood"] == .null)
        let again = try await watched.target("t", until: "a good load") { $0["lastGood"] != .null }
        #expect(again["lastGood"]["load"].integer ?? 0 > before)
        // Taken out of the configuration it is retired, and can be asked for still.
        try watched.configure("confirm: 1", targets: Array(lines.prefix(2)))
        let changed = try await watched.ask("POST /v1/reconfigure")
        #expect(changed.json["removed"] == .array([.string("v")]))
        let retired = try await watched.ask("GET /v1/targets/v")
        #expect(retired.status == 200 && retired.json["state"].string == "retired")
        #expect(try await watched.ask("GET /v1/targets/v/history").json.elements.count == 1)
        #expect(try await watched.ask("POST /v1/targets/v/reload").status == 404)
        #expect(try await watched.ask("POST /v1/targets/v/forget").status == 204)
        #expect(try await watched.ask("GET /v1/targets/v").status == 404)
        #expect(try await watched.ask("GET /v1/targets/v/history").status == 404)
        try await daemon.end()
        #expect(try watched.reader().target("v") == nil)
        #expect(try watched.story(of: "t") == ["firstSeen \"Steady\""])
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Reconfiguring by the API` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    private func lines(_ names: [String], _ site: LoopbackSite) -> [String] {
        names.map { "\($0): {url: \"\(site.url("/\($0)"))\"}" }
    }

    @Test func `tells what came, changed and went, or all that is wrong`() async throws {
        let site = try await LoopbackSite.playing(pages)
        try watched.configure("confirm: 1", targets: lines(["a", "b", "c"], site))
        let daemon = try watched.start()
        try await watched.isServed()
        let none = try await watched.ask("POST /v1/reconfigure", accept: "text/plain")
        #expect(none.status == 200 && none.body == "no target changed\n")
        try watched.configure(
            "confirm: 1",
            targets: lines(["a", "d"], site)
                + ["b: {url: \"\(site.url("/b"))\", tags: [x]}"])
        let good = try await watched.ask("POST /v1/reconfigure")
        #expect(good.status == 200 && good.json["mistakes"] == .array([]))
        #expect(good.json["added"] == .array([.string("d")]))
        #expect(good.json["changed"] == .array([.string("b")]))
        #expect(good.json["removed"] == .array([.string("c")]))
        try watched.folder.write(
            "targets:\n  a: {uri: x}\n  b: {interval: soon}\n", to: "pagewatch.yaml")
        let bad = try await watched.ask("POST /v1/reconfigure")
        #expect(bad.status == 422 && bad.code == "refused")
        let mistakes = bad.json["mistakes"].elements.compactMap(\.string)
        #expect(mistakes.count >= 2)
        #expect(mistakes.first?.hasPrefix("\(watched.main):2:") == true)
        let text = try await watched.ask("POST /v1/reconfigure", accept: "text/plain")
        #expect(text.status == 422)
        #expect(text.body == mistakes.map { $0 + "\n" }.joined())
        #expect(try await watched.ask("GET /v1/targets").json.elements.count == 3)
        try await daemon.end()
        await site.stop()
    }

    @Test func `lets more than half of the targets go by force only`() async throws {
        let site = try await LoopbackSite.playing(pages)
        try watched.configure("confirm: 1", targets: lines(["a", "b", "c"], site))
        let daemon = try watched.start()
        try await watched.isServed()
        try watched.configure("confirm: 1", targets: lines(["a"], site))
        let refused = try await watched.ask("POST /v1/reconfigure")
        #expect(refused.status == 422)
        #expect(refused.json["error"]["message"].string?.contains("--force") == true)
        #expect(try await watched.ask("GET /v1/targets/c").json["state"].string != "retired")
        let forced = try await watched.ask("POST /v1/reconfigure?force=1")
        #expect(forced.status == 200)
        #expect(forced.json["removed"] == .array([.string("b"), .string("c")]))
        try await daemon.end()
        await site.stop()
    }
}
