import LoopbackSite
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The loopback site` {
    /// What a fresh connection gets for a target, up to its end.
    private func exchange(_ text: String, _ target: String = "/a") async throws
        -> RawConnection.Received
    {
        let site = try await LoopbackSite.start(scenarios: [], text: text)
        let connection = try RawConnection(port: site.port)
        connection.get(target, "Connection: close")
        let received = try await connection.receive()
        await site.stop()
        return received
    }

    @Test func `sends the head with a right length, and the body`() async throws {
        let received = try await exchange("serve /a\nhead 200 text/html\ntext hello\nblock 7 wo")
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n"
        #expect(received.text.hasPrefix(head + "hellowo"))
        #expect(received.bytes.count == head.utf8.count + 12)
        #expect(received.ending == .closed)
    }

    @Test func `frames chunks, with and without the last`() async throws {
        let whole = try await exchange("serve /a\nhead 200\nchunked\ntext abc\ntext de")
        #expect(whole.text.hasSuffix("\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
        let cut = try await exchange("serve /a\nhead 200\nchunked\nunfinished\ntext abc")
        #expect(cut.text.hasSuffix("\r\n\r\n3\r\nabc\r\n"))
    }

    @Test func `sends raw bytes when there is no head`() async throws {
        let received = try await exchange("serve /a\ntext \\x01{\u{74}arget}\nhex 02 ff")
        #expect(received.bytes == [1, 0x2F, 0x61, 2, 0xFF])
    }

    @Test func `waits at least as long as a pause says`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\npause 40ms\ntext a\npause 40ms\ntext b")
        let connection = try RawConnection(port: site.port)
        connection.get("/a")
        let received = try await connection.receive()
        let asked = try await site.waitForRequest("/a").time
        let first = try #require(received.progress.first)
        let last = try #require(received.progress.last)
        #expect(first.time - asked >= .milliseconds(40))
        #expect(last.time - asked >= .milliseconds(80))
        #expect(received.text == "ab")
        await site.stop()
    }

    @Test func `resets a connection, without an answer or in the middle of one`() async throws {
        let nothing = try await exchange("serve /a\nreset")
        #expect(nothing.bytes.isEmpty && nothing.ending == .reset)
        let half = try await exchange("serve /a\nhead 200\nlength 9\ntext abc\npause 20ms\nreset")
        #expect(half.text.hasSuffix("abc") && half.ending == .reset)
    }

    @Test func `stays silent until the client goes`() async throws {
        let site = try await LoopbackSite.start(scenarios: [], text: "serve /a\nsilence")
        var connection: RawConnection? = try RawConnection(port: site.port)
        connection?.get("/a")
        try await site.waitForRequest("/a")
        let received = try await connection?.receive(within: .milliseconds(20))
        #expect(received?.ending == .timedOut)
        #expect(await site.openConnections == 1)
        connection = nil
        await site.waitForEnd(ofConnection: 1)
        #expect(await site.openConnections == 0)
        await site.stop()
    }

    @Test func `answers several requests on a connection, and counts them`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\nhead 200\ntext {count}")
        let connection = try RawConnection(port: site.port)
        for count in 1...3 {
            connection.get("/a")
            let received = try await connection.receive(upTo: "\r\n\r\n\(count)")
            #expect(received.ending == .enough)
        }
        #expect(await site.requests(for: "/a").map(\.connection) == [1, 1, 1])
        #expect(await site.acceptedConnections == 1)
        await site.stop()
    }

    @Test func `ends a kept connection upon its next request if told so`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\nhead 200\ntext x\nnext reset")
        let connection = try RawConnection(port: site.port)
        connection.get("/a")
        #expect(try await connection.receive(upTo: "\r\n\r\nx").ending == .enough)
        connection.get("/a")
        let received = try await connection.receive()
        #expect(received.bytes.isEmpty && received.ending == .reset)
        await site.stop()
    }

    @Test func `chooses by count, turn, header and method`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [],
            text: """
                serve /once
                times 1
                text first
                serve /once
                text later
                serve /turn
                turn 1 of 2
                text odd
                serve /turn
                turn 2 of 2
                text even
                serve /cookie
                when Cookie: a=1
                text known {header cookie}
                serve /cookie
                unless Cookie:
                text unknown
                serve /method
                method POST
                text posted
                """)
        func ask(_ target: String, _ headers: String...) async throws -> String {
            let connection = try RawConnection(port: site.port)
            let lines = headers.map { $0 + "\r\n" }.joined()
            connection.send("GET \(target) HTTP/1.1\r\n\(lines)\r\n")
            return try await connection.receive().text
        }
        #expect(try await ask("/once") == "first")
        #expect(try await ask("/once") == "later")
        #expect(try await ask("/turn") == "odd")
        #expect(try await ask("/turn?x") == "even")
        #expect(try await ask("/turn") == "odd")
        #expect(try await ask("/cookie") == "unknown")
        #expect(try await ask("/cookie", "cookie: b=2; a=1") == "known b=2; a=1")
        #expect(try await ask("/method", "Connection: close").hasPrefix("HTTP/1.1 404 Not Found"))
        await site.stop()
    }

    @Test func `fills in what the client sent, as text in a body and raw in a head`() async throws {
        let received = try await exchange(
            "serve /a/{n}\nhead 200\nheader X-N: {n-1} {query q}\ntext {target}", "/a/3?q=%3Cb&c")
        #expect(received.text.contains("\r\nX-N: 2 <b\r\n"))
        #expect(received.text.hasSuffix("\r\n\r\n/a/3?q=%3Cb&amp;c"))
    }

    @Test func `goes on at a gate when the test opens it`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\ntext before\ngate g\ntext after")
        let connection = try RawConnection(port: site.port)
        connection.get("/a")
        #expect(try await connection.receive(upTo: "before").ending == .enough)
        await site.waitForGate("g")
        await site.open(gate: "g")
        #expect(try await connection.receive().text == "after")
        await site.stop()
    }

    @Test func `plays to every connection at once if told to greet`() async throws {
        let site = try await LoopbackSite.start(scenarios: [], text: "accept\ntext 220 hello\\n")
        let connection = try RawConnection(port: site.port)
        #expect(try await connection.receive().text == "220 hello\n")
        await site.stop()
    }

    @Test func `listens on both loopback addresses if asked`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /a\ntext both", alsoIPv6: true)
        for isIPv6 in [false, true] {
            let connection = try RawConnection(port: site.port, isIPv6: isIPv6)
            connection.get("/a")
            #expect(try await connection.receive().text == "both")
        }
        await site.stop()
    }

    @Test func `is a proxy, by absolute targets and by tunnels`() async throws {
        let proxy = try await LoopbackSite.start()
        let site = try await LoopbackSite.start()
        let url = site.url("/page?title=Far")
        for options in [[], ["-p"]] {
            let curl = Program("curl", ["-sS", "-m", "20", "-x", proxy.url()] + options + [url])
            #expect(try await curl.run().outputText == "<!DOCTYPE html><title>Far</title>")
        }
        #expect(await proxy.requests().map(\.method) == ["GET", "CONNECT"])
        #expect(await site.requests().count == 1)
        let large = Program(
            "curl",
            [
                "-sS", "-m", "30", "-x", proxy.url(), "-p", site.url("/v5"), site.url("/nuls"),
                "-o", "/dev/null", "-o", "/dev/null", "-w", "%{size_download} ",
            ])
        #expect(try await large.run().outputText == "5000 100000000 ")
        await site.stop()
        await proxy.stop()
    }

    @Test func `answers the vectors of the progress bar with the bytes they name`() async throws {
        let site = try await LoopbackSite.start()
        for (path, size) in [("/v2", 1000), ("/v5", 5000), ("/v8", 0), ("/v10/0", 1000)] {
            let connection = try RawConnection(port: site.port)
            connection.get(path, "Connection: close")
            let parts = try await connection.receive().text.split(
                separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            #expect(parts.last?.utf8.count == size, "\(path)")
        }
        let connection = try RawConnection(port: site.port)
        connection.get("/v6")
        let cut = try await connection.receive()
        #expect(cut.ending == .reset && cut.text.contains("Content-Length: 10000"))
        #expect(cut.text.utf8.count < 5200)
        await site.stop()
    }

    @Test func `lists its scenarios on the first page`() async throws {
        let site = try await LoopbackSite.start(text: "# Mine & <yours>.\nserve /mine\ntext x")
        let connection = try RawConnection(port: site.port)
        connection.get("/", "Connection: close")
        let page = try await connection.receive().text
        #expect(page.contains("<li><a href=\"/mine\">inline</a>: Mine &amp; &lt;yours>.</li>"))
        #expect(page.contains("<a href=\"/journey/3\">demo-3-redirects</a>"))
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The loopback site under load` {
    @Test func `serves others while a reader takes nothing of an endless body`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [],
            text: "serve /flood\nrepeat forever\nfill 65536 x\nend\nserve /a\ntext quick")
        let lazy = try RawConnection(port: site.port)
        lazy.get("/flood")
        let greedy = try RawConnection(port: site.port)
        greedy.get("/flood")
        async let flood = greedy.receive(atLeast: 50_000_000)
        for _ in 0..<100 {
            let connection = try RawConnection(port: site.port)
            connection.get("/a")
            #expect(try await connection.receive().text == "quick")
        }
        #expect(try await flood.ending == .enough)
        await site.stop()
    }

    @Test func `keeps a thousand silent connections and still answers`() async throws {
        let site = try await LoopbackSite.start(
            scenarios: [], text: "serve /s\nsilence\nserve /a\ntext quick")
        let silent = try (0..<1000).map { _ in
            let connection = try RawConnection(port: site.port)
            connection.get("/s")
            return connection
        }
        try await site.waitForRequest("/s", number: 1000)
        let connection = try RawConnection(port: site.port)
        connection.get("/a")
        #expect(try await connection.receive().text == "quick")
        #expect(await site.openConnections >= silent.count)
        await site.stop()
    }

    @Test func `tells those who wait that it has stopped`() async throws {
        let site = try await LoopbackSite.start(scenarios: [], text: "serve /a\ntext x")
        async let waited: Void = {
            await #expect(throws: SiteStopped.self) { try await site.waitForRequest("/never") }
        }()
        await site.stop()
        await waited
        #expect(throws: SystemError.self) { try RawConnection(port: site.port) }
    }
}
