import Glibc
import History
import LoopbackSite
import TestSupport
import Testing

private let site = """
    serve /page
    head 200 text/html; charset=utf-8
    text <!DOCTYPE html><title>{query title}</title>
    serve /redirect
    redirect 302 /page?title=B
    serve /home
    head 200 text/html
    text <title>Home</title>
    """

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Browsing with a target` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    /// Wishes for something of the target `t`, and waits for its load.
    private func wish(_ what: String, _ query: String = "") async throws -> JSONValue {
        let answer = try await watched.ask("POST /v1/targets/t/\(what)?wait=1\(query)")
        #expect(answer.status == 200, "\(what): \(answer.body)")
        return answer.json
    }

    private func load(_ url: String) async throws -> JSONValue {
        var escaped = ""
        for byte in url.utf8 {
            let digits = String(byte, radix: 16)
            escaped += "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return try await wish("load", "&url=" + escaped)
    }

    /// Issue 4, shows 1.
    @Test(
        .needsSharedFolder,
        arguments: ["19_history", "41_redirect_then_history"])
    func `goes where a recorded web view went, step by step`(trace: String) async throws {
        let site = try await LoopbackSite.playing(site)
        let folder = try #require(SharedFolder.path)
        let steps = try TextFile.read("\(folder)/oracles/traces/\(trace).jsonl")
            .replacing("http://HOST", with: site.url("")).split(separator: "\n")
            .compactMap { JSONValue($0) }
        // The target's own page is the first of the trace, so its check is the trace's first load.
        let first = try #require(steps.first { $0["ev"].string == "step" }?["arg"].string)
        try watched.configure("confirm: 1", "t: {url: \"\(first)\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "t: first seen: \"A\"")
        var now = try await watched.target("t")
        var compared = 0
        for step in steps {
            switch (step["ev"].string, step["arg"].string) {
            case ("step", "@back"): now = try await wish("back")
            case ("step", "@forward"): now = try await wish("forward")
            case ("step", "@reload"): now = try await wish("reload")
            case ("step", "@bf"): break
            case ("step", let wanted?) where wanted.hasPrefix("@go:"):
                now = try await wish("go", "&index=\(wanted.dropFirst(4))")
            case ("step", let url?) where url != first: now = try await load(url)
            case ("state", _):
                let page = now["page"]
                #expect(page["url"] == step["uri"])
                #expect(page["title"] == step["title"])
                #expect(page["estimatedProgress"] == step["progress"])
                #expect(page["isLoading"] == step["loading"])
                #expect(page["canGoBack"] == step["can_back"], "\(step)")
                #expect(page["canGoForward"] == step["can_forward"], "\(step)")
                compared += 1
            case ("bflist", _):
                let list = now["page"]["backForwardList"]
                #expect(list["backList"].elements.map(item) == step["back"].elements.map(item))
                #expect(item(list["currentItem"]) == item(step["current"]))
                #expect(
                    list["forwardList"].elements.map(item) == step["forward"].elements.map(item))
                compared += 1
            default: break
            }
        }
        #expect(compared > 6)
        try await daemon.end()
        #expect(try watched.story(of: "t") == ["firstSeen \"A\""])
        await site.stop()
    }

    /// An item of our list or of the trace's.
    private func item(_ item: JSONValue) -> [String?] {
        let initial = item["original_url"].string ?? item["initialURL"].string
        return [item["url"].string, initial, item["title"].string]
    }

    @Test func `ends with the next check, which loads the configured page and tells nothing`()
        async throws
    {
        let site = try await LoopbackSite.playing(site)
        try watched.configure("confirm: 1", "t: {url: \"\(site.url("/home"))\", interval: 3s}")
        let daemon = try watched.start()
        try await daemon.wait(for: "t: first seen: \"Home\"")
        let elsewhere = try await load(site.url("/page?title=X"))
        #expect(elsewhere["page"]["title"].string == "X")
        #expect(elsewhere["title"].string == "Home")
        #expect(elsewhere["page"]["canGoBack"] == .boolean(true))
        let checks = await site.requests(for: "/home").count
        try await site.waitForRequest("/home", number: checks + 1)
        let home = try await watched.target("t", until: "the check") {
            $0["page"]["title"].string == "Home" && $0["page"]["isLoading"] == .boolean(false)
        }
        // In the list a check is a page as any other; it is the same page again, so one item.
        let list = home["page"]["backForwardList"]
        #expect(list["currentItem"]["url"].string == site.url("/home"))
        try await site.waitForRequest("/home", number: checks + 2)
        try await daemon.end()
        #expect(try watched.story(of: "t") == ["firstSeen \"Home\""])
        await site.stop()
    }

    @Test func `does not outlast a restart: the next check shows the target's own page`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /tagged\nwhen If-None-Match: 1\nhead 304\nheader ETag: \"1\"\n"
                + "serve /tagged\nhead 200 text/html\nheader ETag: \"1\"\n"
                + "text <title>Tagged</title>\n" + site)
        try watched.configure(
            "confirm: 1", "t: {url: \"\(site.url("/tagged"))\", interval: 3s}")
        var daemon = try watched.start()
        try await daemon.wait(for: "t: first seen: \"Tagged\"")
        try await site.waitForRequest("/tagged", number: 3)
        // What did not change is asked for with a condition.
        #expect(await site.requests(for: "/tagged").last?.header("If-None-Match") == "\"1\"")
        _ = try await load(site.url("/page?title=Elsewhere"))
        try await daemon.end()
        let count = await site.requests(for: "/tagged").count
        daemon = try watched.start()
        try await site.waitForRequest("/tagged", number: count + 1)
        let own = try await watched.target("t", until: "the check") {
            $0["page"]["url"].string == site.url("/tagged")
                && $0["page"]["isLoading"] == .boolean(false)
        }
        #expect(own["page"]["title"].string == "Tagged")
        try await site.waitForRequest("/tagged", number: count + 2)
        #expect(await site.requests(for: "/tagged").last?.header("If-None-Match") == "\"1\"")
        try await daemon.end()
        #expect(try watched.story(of: "t") == ["firstSeen \"Tagged\""])
        await site.stop()
    }

    @Test func `over a check that runs cancels it, and it does not count`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /slow\nhead 200 text/html; charset=utf-8\nlength 1000\ntext <title>Slow</title>\nsilence\n"
                + site)
        try watched.configure(
            "confirm: 1, failures: 1", "t: {url: \"\(site.url("/slow"))\", interval: 1h}")
        let daemon = try watched.start()
        try await watched.isServed()
        let follower = try watched.follow()
        try await follower.begun()
        try await site.waitForRequest("/slow")
        try await watched.target("t", until: "the page") { $0["page"]["title"].string == "Slow" }
        _ = try await load(site.url("/page?title=Other"))
        try await daemon.end()
        let events = try await follower.rest().events.filter { $0["target"].string == "t" }
        let failed = try #require(
            events.firstIndex { $0["state"].string == "failed" }, "\(events)")
        #expect(events[failed]["error"]["code"].string == "cancelled")
        #expect(events[failed]["load"].integer == 1)
        let start = try #require(
            events.firstIndex { $0["load"].integer == 2 && $0["state"].string == "started" })
        for event in events[..<start] {
            #expect(event["isLoading"] != .boolean(false))
            #expect(event["estimatedProgress"] != .number(1))
        }
        #expect(events.last { $0["event"].string == "title" }?["title"].string == "Other")
        #expect(try watched.story(of: "t").isEmpty)
        #expect(try watched.reader().lastLoads(of: "t")["t"]?.failed == nil)
        await site.stop()
    }

    @Test func `sends the target's own headers to its own origin only`() async throws {
        let own = try await LoopbackSite.playing(site)
        let other = try await LoopbackSite.playing(site)
        try watched.configure(
            "confirm: 1",
            "t: {url: \"\(own.url("/home"))\", headers: {X-Own: secret}, bearer: token, interval: 1h}"
        )
        let daemon = try watched.start()
        try await daemon.wait(for: "t: first seen")
        _ = try await load(other.url("/page?title=There"))
        _ = try await load(own.url("/page?title=Here"))
        _ = try await wish("back")
        for request in await other.requests() {
            #expect(request.header("X-Own") == nil)
            #expect(request.header("Authorization") == nil)
        }
        #expect(
            await other.requests().map(\.target) == Array(repeating: "/page?title=There", count: 2))
        let sent = await own.requests(for: "/page?title=Here")
        #expect(sent.map { $0.header("X-Own") } == ["secret"])
        #expect(sent.map { $0.header("Authorization") } == ["Bearer token"])
        try await daemon.end()
        await own.stop()
        await other.stop()
    }

    @Test func `refuses what the list has not, and stops what loads`() async throws {
        let site = try await LoopbackSite.playing("serve /slow\nsilence\n" + site)
        try watched.configure("confirm: 1", "t: {url: \"\(site.url("/home"))\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "t: first seen")
        for wish in ["back", "forward", "go?index=3"] {
            let answer = try await watched.ask("POST /v1/targets/t/\(wish)")
            #expect(answer.status == 409 && answer.code == "noSuchItem", "\(wish)")
        }
        let begun = try await watched.ask("POST /v1/targets/t/load?url=\(site.url("/slow"))")
        #expect(begun.json["page"]["isLoading"] == .boolean(true))
        let stopped = try await watched.ask("POST /v1/targets/t/stop?wait=1")
        let page = stopped.json["page"]
        #expect(page["isLoading"] == .boolean(false))
        // What is shown stays, as in a web view.
        #expect(page["url"].string == site.url("/home") && page["title"].string == "Home")
        #expect(stopped.json["load"] == .null)
        try await daemon.end()
        #expect(try watched.story(of: "t") == ["firstSeen \"Home\""])
        await site.stop()
    }

    @Test func `does not count a check that it stops`() async throws {
        let site = try await LoopbackSite.playing("serve /slow\nsilence")
        try watched.configure(
            "confirm: 1, failures: 1", "t: {url: \"\(site.url("/slow"))\", interval: 1h}")
        let daemon = try watched.start()
        try await site.waitForRequest("/slow")
        let stopped = try await wish("stop")
        #expect(stopped["state"].string == "new" && stopped["failedLoads"].integer == 0)
        #expect(stopped["lastFailed"] == .null)
        #expect(stopped["nextCheck"] != .null)
        let metrics = MetricsText(try await watched.ask("GET /metrics").body)
        #expect(metrics.values["pagewatch_loads_total{outcome=\"failed\"}"] == 0)
        try await daemon.end()
        #expect(try watched.story(of: "t").isEmpty)
        await site.stop()
    }

    @Test func `counts a reload of the target's own page as a check`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /p\ntimes 1\nhead 200 text/html\ntext <title>A</title>\n"
                + "serve /p\nhead 200 text/html\ntext <title>B</title>")
        try watched.configure("confirm: 1", "t: {url: \"\(site.url("/p"))\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "t: first seen: \"A\"")
        #expect(try await wish("reload")["title"].string == "B")
        try await daemon.wait(for: "t: title changed: \"A\" -> \"B\"")
        try await daemon.end()
        await site.stop()
    }
}
