import Glibc
import LoopbackSite
import Reactor
import TestSupport
import Testing

private let pages = "serve /{page}\nhead 200 text/html\ntext <title>Steady</title>"

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The API refuses` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    @Test func `what it does not know, each by its status and a word`() async throws {
        try watched.configure("confirm: 1", "t: {url: \"http://127.0.0.1:9/\", interval: 1h}")
        let daemon = try watched.start()
        try await watched.isServed()
        let cases: [(String, Int, String)] = [
            ("GET /", 404, "notFound"), ("GET /v1", 404, "notFound"),
            ("GET /v1/targets/t/title", 404, "notFound"),
            ("GET /v1/targets/none", 404, "unknownTarget"),
            ("GET /v1/targets/none/history", 404, "unknownTarget"),
            ("POST /v1/targets/none/load", 404, "unknownTarget"),
            ("POST /v1/targets/none/forget", 404, "unknownTarget"),
            ("POST /v1/targets/a%2Fb/reload", 404, "unknownTarget"),
            ("POST /v1/status", 405, "methodNotAllowed"),
            ("DELETE /v1/targets/t", 405, "methodNotAllowed"),
            ("GET /v1/targets/t/load", 405, "methodNotAllowed"),
            ("GET /v1/targets/t/history?limit=many", 400, "badParameter"),
            ("GET /v1/targets/t/history?limit=10001", 400, "badParameter"),
            ("GET /v1/targets/t/history?before=0", 400, "badParameter"),
            ("GET /v1/status?width=7", 400, "badParameter"),
            ("POST /v1/targets/t/go", 400, "badParameter"),
            ("POST /v1/targets/t/go?index=101", 400, "badParameter"),
            ("POST /v1/targets/t/pause?seconds=0", 400, "badParameter"),
            ("POST /v1/targets/t/load?url=ftp://x/", 400, "unsupportedScheme"),
            ("POST /v1/targets/t/load?url=http://", 400, "malformedURL"),
            ("GET /v1/events?event=titlechanged", 400, "badParameter"),
            ("GET /v1/events?since=tomorrow", 400, "badParameter"),
            ("GET /v1/events?since=seq:-1", 400, "badParameter"),
            ("GET /v1/events?since=@1e99", 400, "badParameter"),
            ("GET /v1/targets/%ff", 400, "badTarget"), ("GET /v1/targets/%0", 400, "badTarget"),
        ]
        for (what, status, code) in cases {
            let answer = try await watched.ask(what)
            #expect(answer.status == status, "\(what)")
            #expect(answer.code == code, "\(what): \(answer.body)")
            #expect(answer.json["error"]["message"].string?.isEmpty == false)
            #expect(answer.headers["content-type"] == "application/json")
        }
        #expect(try await watched.ask("DELETE /v1/targets/t").headers["allow"] == "GET")
        #expect(try await watched.ask("GET /v1/targets/t/load").headers["allow"] == "POST")
        let id = try await watched.ask("GET /v1/events", "-H", "Last-Event-ID: x")
        #expect(id.status == 400 && id.code == "badParameter")
        try await daemon.end()
    }

    @Test func `a body of 10 MB, and reads no more of it than it must`() async throws {
        try watched.configure("confirm: 1", "t: {url: \"http://127.0.0.1:9/\", interval: 1h}")
        let daemon = try watched.start()
        try await watched.isServed()
        let file = try watched.folder.write(String(repeating: "x", count: 10 << 20), to: "big")
        let before = try daemon.residentKiB()
        // curl asks first ("Expect: 100-continue"), and is told at once.
        let asked = try await watched.ask("POST /v1/reconfigure", "--data-binary", "@\(file)")
        #expect(asked.status == 413 && asked.code == "tooLarge")
        // One that just sends is cut off, and may be before it looks for an answer.
        let sent = try? await watched.ask(
            "POST /v1/reconfigure", "--data-binary", "@\(file)", "-H", "Expect:")
        #expect(sent == nil || sent?.status == 413)
        #expect(try daemon.residentKiB() < before + 4096)
        #expect(try await watched.ask("GET /v1/status").status == 200)
        try await daemon.end()
    }

    @Test func `a thousand connections that send nothing, while loads are on time`() async throws {
        let site = try await LoopbackSite.playing(pages)
        let targets = (1...20).map { "t\($0): {url: \"\(site.url("/\($0)"))\"}" }
        try watched.configure("confirm: 1", targets: targets)
        let daemon = try watched.start()
        try await site.waitForRequest("/20", number: 2)
        let before = try daemon.residentKiB()
        var connections: [RawConnection] = []
        for _ in 0..<1000 {
            let connection = try RawConnection(path: watched.socket)
            connections.append(connection)
        }
        // Who asks for something is answered at once: the silent ones make room.
        for _ in 0..<3 { #expect(try await watched.ask("GET /v1/status").status == 200) }
        // All but the last are closed, those that found no place in their turn with a word.
        for connection in connections.prefix(900) {
            let answer = try await connection.receive(within: .seconds(10))
            #expect(answer.ending != .timedOut)
            #expect(answer.text.isEmpty || answer.text.hasPrefix("HTTP/1.1 503 "))
        }
        #expect(try daemon.residentKiB() < before + 8192)
        let seen = await site.requests(for: "/20").count
        try await site.waitForRequest("/20", number: seen + 3)
        // Starts of loads of a target are a second apart; what is late is late for all.
        for number in 1...20 {
            let times = await site.requests(for: "/\(number)").map(\.time)
            for (earlier, later) in zip(times, times.dropFirst()) {
                #expect(later - earlier < .milliseconds(1500))
            }
        }
        connections = []
        // Nor do those keep anybody out that begin to ask and never end.
        for _ in 0..<64 {
            let connection = try RawConnection(path: watched.socket)
            connection.send("GET /v1/status HTTP/1.1\r\n")
            connections.append(connection)
        }
        #expect(try await watched.ask("GET /v1/status").status == 200)
        connections = []
        try await daemon.end()
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The port of the API` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    private func configure(_ api: String) throws {
        try watched.folder.write(
            "api: {\(api)}\ntargets: {t: {url: \"http://127.0.0.1:9/\", interval: 1h}}\n",
            to: "pagewatch.yaml")
    }

    /// A port that nobody listens on, and that no other test is given by the system: below those of
    /// outgoing connections (32768 and up).
    private func unusedPort() -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<30_000)
            if (try? RawConnection(port: port)) == nil { return port }
        }
    }

    /// Asks a port for a path; nil if nobody listens.
    private func ask(_ port: UInt16, _ path: String, _ headers: String...) async throws
        -> RawConnection.Received?
    {
        guard let connection = try? RawConnection(port: port) else { return nil }
        let lines = headers.map { $0 + "\r\n" }.joined()
        connection.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(lines)\r\n")
        return try await connection.receive()
    }

    @Test func `serves the metrics alone, refuses web pages, and moves with the configuration`()
        async throws
    {
        let ports = [unusedPort(), unusedPort()]
        try configure("listen: \"127.0.0.1:\(ports[0])\"")
        let daemon = try watched.start()
        // By then its loop runs, and all doors are open.
        try await daemon.wait(for: "(service): started")
        let metrics = try #require(try await ask(ports[0], "/metrics"))
        #expect(metrics.text.hasPrefix("HTTP/1.1 200 "))
        #expect(metrics.text.contains("\npagewatch_info{version=\"0.1.0\"} 1\n"))
        for path in ["/v1/status", "/v1/events", "/v1/targets/t", "/"] {
            #expect(try await ask(ports[0], path)?.text.hasPrefix("HTTP/1.1 404 ") == true)
        }
        let page = try await ask(ports[0], "/metrics", "Origin: https://example.com")
        #expect(page?.text.hasPrefix("HTTP/1.1 403 ") == true)
        #expect(page?.text.contains("\"code\":\"crossOrigin\"") == true)
        try configure("listen: \"127.0.0.1:\(ports[1])\", metrics_only: false")
        daemon.program.send(signal: SIGHUP)
        try await daemon.wait(for: "(service): the configuration was read again")
        #expect(try await ask(ports[0], "/metrics") == nil)
        #expect(try await ask(ports[1], "/v1/status")?.text.hasPrefix("HTTP/1.1 200 ") == true)
        try configure("")
        _ = try await watched.ask("POST /v1/reconfigure")
        #expect(try await ask(ports[1], "/metrics") == nil)
        try await daemon.end()
    }

    @Test func `that is taken is told at an edit, and the one before goes on`() async throws {
        let taken = try ReservedPort()
        let port = unusedPort()
        try configure("listen: \"127.0.0.1:\(port)\"")
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): started")
        try configure("listen: \"127.0.0.1:\(taken.port)\"")
        let refused = try await watched.ask("POST /v1/reconfigure")
        #expect(refused.status == 422)
        #expect(refused.json["error"]["message"].string?.hasPrefix("api: listen: ") == true)
        #expect(try await ask(port, "/metrics")?.text.hasPrefix("HTTP/1.1 200 ") == true)
        try await daemon.end()
    }

    @Test func `that is taken is told, and nothing else suffers`() async throws {
        let taken = try ReservedPort()
        try configure("listen: \"127.0.0.1:\(taken.port)\"")
        let daemon = try watched.start()
        try await daemon.wait(for: "(service): api: listen: ")
        #expect(try await watched.ask("GET /v1/status").status == 200)
        try await daemon.end()
    }
}

extension RunningDaemon {
    /// Its resident memory.
    func residentKiB() throws -> Int {
        let status = try TextFile.read("/proc/\(program.processID)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let count = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Unmet("the daemon's memory")
        }
        return count
    }
}
