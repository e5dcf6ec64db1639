import Glibc
import LoopbackSite
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The API tells` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    private static let pages = """
        serve /good
        head 200 text/html
        text <title>Good "page"</title>
        serve /changing
        times 1
        head 200 text/html
        text <title>Before</title>
        serve /changing
        head 200 text/html
        text <title>After</title>
        serve /bad
        head 500 text/html
        text <title>Bad</title>
        serve /silent
        silence
        """

    private func start(_ site: LoopbackSite) async throws -> RunningDaemon {
        try watched.configure(
            "confirm: 1, failures: 1", "good: {url: \"\(site.url("/good"))\", tags: [a, b]}",
            "changing: {url: \"\(site.url("/changing"))\"}", "bad: {url: \"\(site.url("/bad"))\"}",
            "silent: {url: \"\(site.url("/silent"))\"}",
            "off: {url: \"\(site.url("/good"))\", enabled: false}")
        let daemon = try watched.start()
        try await daemon.wait(for: "changing: title changed")
        try await watched.target("bad", until: "it to fail") { $0["state"].string == "failing" }
        return daemon
    }

    @Test func `the state of the service, as JSON that others read, and for people`() async throws {
        let site = try await LoopbackSite.playing(Self.pages)
        let daemon = try await start(site)
        let answer = try await watched.ask("GET /v1/status")
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/json")
        let json = answer.json
        #expect(json["version"].string == "0.1.0")
        #expect(
            Set(json["states"].elements.compactMap { $0["state"].string }) == [
                "disabled", "paused", "failing", "new", "oscillating", "unstable", "fine",
            ])
        let counts = json["states"].elements.compactMap { $0["count"].integer }
        #expect(counts.reduce(0, +) == 5)
        #expect(json["running"].integer ?? 0 >= 1)
        #expect(json["offline"] == .boolean(false))
        #expect(json["store"]["bytes"].integer ?? 0 > 0)
        #expect(json["store"]["trouble"] == .null)
        let python = try await Program(
            "python3", ["-c", "import json, sys; json.loads(sys.argv[1])", answer.body]
        ).run()
        #expect(python.exitCode == 0, "\(python.errorText)")
        let text = try await watched.ask("GET /v1/status?width=60", accept: "text/plain")
        #expect(text.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(text.body.hasPrefix("pagewatch 0.1.0, up "))
        #expect(text.body.contains("5 targets"))
        let table = text.body.split(separator: "\n").drop { !$0.hasPrefix("TARGET") }
        #expect(table.count == 6 && table.allSatisfy { $0.count <= 60 })
        #expect(text.body.contains("\nsilent"))
        try await daemon.end()
        await site.stop()
    }

    @Test func `targets: all, and one with its page, its lists and its last loads`() async throws {
        let site = try await LoopbackSite.playing(Self.pages)
        let daemon = try await start(site)
        let all = try await watched.ask("GET /v1/targets").json.elements
        #expect(
            all.compactMap { $0["name"].string } == ["bad", "changing", "good", "off", "silent"])
        let names = try await watched.ask("GET /v1/targets", accept: "text/plain")
        #expect(names.body == "bad\nchanging\ngood\noff\nsilent\n")
        try await site.waitForRequest("/bad", number: 3)
        let good = try await watched.target("good")
        #expect(good["state"].string == "fine")
        #expect(good["url"].string == site.url("/good"))
        #expect(good["tags"].elements == [.string("a"), .string("b")])
        #expect(good["interval"].number == 1)
        #expect(good["title"].string == "Good \"page\"")
        #expect(good["page"]["backForwardList"]["currentItem"]["url"].string == site.url("/good"))
        #expect(good["lastGood"]["status"].integer == 200)
        #expect(good["lastFailed"] == .null)
        #expect(good["decision"].string?.isEmpty == false)
        let bad = try await watched.target("bad")
        #expect(bad["state"].string == "failing")
        #expect(bad["title"] == .null)
        #expect(bad["page"]["title"].string != nil)
        #expect(bad["failing"]["error"]["code"].string != nil)
        #expect(bad["lastFailed"]["error"]["phase"].string != nil)
        let silent = try await watched.target("silent")
        #expect(silent["page"]["isLoading"] == .boolean(true))
        #expect(silent["load"].integer == 1)
        #expect(silent["nextCheck"] == .null)
        #expect(try await watched.target("off")["state"].string == "disabled")
        let text = try await watched.ask("GET /v1/targets/changing?utc=1", accept: "text/plain")
        #expect(text.body.hasPrefix("changing\n  state"))
        #expect(text.body.contains("\"After\""))
        #expect(text.body.contains("Z ("))
        try await daemon.end()
        await site.stop()
    }

    @Test func `thousands of targets, slice by slice, in order and none twice`() async throws {
        let names = (1...1100).map { "t" + String(10_000 + $0).dropFirst() }
        let lines = names.map { "\($0): {url: \"http://127.0.0.1:9/\", enabled: false}" }
        let last = "u: {url: \"http://127.0.0.1:9/\", interval: 1h}"
        try watched.configure("confirm: 1", targets: lines + [last])
        let daemon = try watched.start()
        try await watched.isServed()
        let all = try await watched.ask("GET /v1/targets").json.elements
        #expect(all.compactMap { $0["name"].string } == names + ["u"])
        let text = try await watched.ask("GET /v1/status?width=70", accept: "text/plain").body
        let table = text.split(separator: "\n").drop { !$0.hasPrefix("TARGET") }
        #expect(
            table.dropFirst().map { $0.prefix { $0 != " " } } == (names + ["u"]).map { $0[...] })
        #expect(table.allSatisfy { $0.count <= 70 })
        // Only the last is watched: all slices before it tell nothing.
        let metrics = MetricsText(try await watched.ask("GET /metrics").body)
        #expect(metrics.mistakes == [])
        let watchedNames = metrics.values.keys.filter { $0.hasPrefix("pagewatch_target_up") }
        #expect(watchedNames == ["pagewatch_target_up{target=\"u\",tags=\"\"}"])
        #expect(metrics.values["pagewatch_api_cpu_seconds_total"] ?? 0 > 0)
        try await daemon.end()
    }

    @Test func `the history of a target, newest or before a number, in the form of events`()
        async throws
    {
        let site = try await LoopbackSite.playing(Self.pages)
        let daemon = try await start(site)
        let path = "GET /v1/targets/changing/history"
        let all = try await watched.ask(path).json.elements
        #expect(all.compactMap { $0["event"].string } == ["firstSeen", "titleChanged"])
        let last = try #require(all.last)
        #expect(last["from"].string == "Before" && last["to"].string == "After")
        let newest = try await watched.ask(path + "?limit=1").json.elements
        #expect(newest == [last])
        let before = try await watched.ask("\(path)?before=\(last["seq"].integer ?? 0)").json
        #expect(before.elements == [all[0]])
        #expect(try await watched.ask(path + "?limit=0").json.elements.isEmpty)
        let lines = try await watched.ask(path, accept: "application/x-ndjson").body
        let printed = try await Program.pagewatch(
            "history", "changing", "--json", "--state", watched.state
        )
        .run().outputText
        #expect(lines == printed)
        let text = try await watched.ask(path + "?utc=1", accept: "text/plain").body
        #expect(text.contains("Z changing: title changed: \"Before\" -> \"After\"\n"))
        // There is such a target, of which nothing is known.
        #expect(try await watched.ask("GET /v1/targets/silent/history").json == .array([]))
        try await daemon.end()
        await site.stop()
    }

    @Test func `what the history has at once, though what is to be written may wait`()
        async throws
    {
        let site = try await LoopbackSite.playing(Self.pages)
        try watched.configure("confirm: 1", "good: {url: \"\(site.url("/good"))\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "good: first seen")
        var spans: [Duration] = []
        for _ in 0..<10 {
            let began = MonotonicClock.now()
            _ = try await watched.target("good")
            spans.append(MonotonicClock.now() - began)
        }
        // The quickest of them: other programs may hold up any.
        #expect(try #require(spans.min()) < .milliseconds(150))
        try await daemon.end()
        await site.stop()
    }

    @Test func `a key with one type, wherever it occurs`() async throws {
        let site = try await LoopbackSite.playing(Self.pages)
        let daemon = try await start(site)
        var types = JSONTypes()
        let follower = try watched.follow()
        for path in ["status", "targets", "targets/bad", "targets/changing/history"] {
            types.add(try await watched.ask("GET /v1/\(path)").json)
        }
        types.add(try await watched.ask("POST /v1/targets/good/load?wait=1").json)
        types.add(try await watched.ask("POST /v1/reconfigure").json)
        types.add(try await watched.ask("GET /v1/nothing").json)
        try await site.waitForRequest("/good", number: 3)
        try await daemon.end()
        for event in try await follower.rest().events { types.add(event) }
        let result = try await Program.pagewatch("check", "--json", site.url("/bad")).run()
        types.add(try #require(JSONValue(result.outputText)))
        #expect(types.known.count > 60)
        #expect(types.clashes == [])
        await site.stop()
    }
}

/// The types that keys are seen with.
struct JSONTypes {
    private(set) var known: [String: String] = [:]
    private(set) var clashes: [String] = []

    /// Takes in all keys of a value, at any depth.
    mutating func add(_ value: JSONValue) {
        switch value {
        case .object(let members):
            for (key, value) in members {
                add(value)
                guard let type = Self.type(of: value) else {
                    if known[key] == nil { known[key] = "" }
                    continue
                }
                if let before = known[key], !before.isEmpty, before != type {
                    clashes.append("\(key): \(before) and \(type)")
                }
                known[key] = type
            }
        case .array(let elements): for element in elements { add(element) }
        default: break
        }
    }

    private static func type(of value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
