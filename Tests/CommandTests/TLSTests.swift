import LoopbackSite
import TestSupport
import Testing

/// A server block's lines that answer with a page of that title.
private func page(_ title: String) -> Nginx.Server.Source {
    .lines("location / { return 200 '<!DOCTYPE html><title>\(title)</title>'; }")
}

@Suite(.inTurns, .enabled(if: Nginx.isInstalled, "\(Nginx.skipReason)"))
struct `A TLS connection` {
    @Test func `is told by what is wrong with the certificate, and -k bears it`() async throws {
        let expected: [(kind: Certificates.Kind, error: String?)] = [
            (.good, nil), (.expired, "tls: certificateExpired"),
            (.notYetValid, "tls: certificateNotYetValid"), (.wrongHost, "tls: hostMismatch"),
            (.selfSigned, "tls: selfSigned"),
        ]
        let nginx = try await Nginx.start(
            .init(page("Shown"), certificate: .good), .init(page("Shown"), certificate: .expired),
            .init(page("Shown"), certificate: .notYetValid),
            .init(page("Shown"), certificate: .wrongHost),
            .init(page("Shown"), certificate: .selfSigned))
        let urls = expected.indices.map { nginx.url(server: $0) }
        let trusting = ["--cacert", nginx.certificates.authority]
        let run = try await CheckRun.of(urls + trusting)
        for (index, expected) in expected.enumerated() {
            let result = try #require(run.result(of: urls[index]))
            #expect(result.error == expected.error, "\(expected.kind)")
            #expect(result.title == (expected.error == nil ? "Shown" : nil))
            #expect(result.seconds("tls") > 0 && result.seconds("total") < 5)
        }
        #expect(run.exitCode == 2)
        let insecure = try await CheckRun.of(urls + ["-k"])
        #expect(insecure.results.map(\.title) == Array(repeating: "Shown", count: 5))
        #expect(insecure.exitCode == 0)
        // The system does not know the tests' authority.
        let untrusting = try await CheckRun.of(urls[0])
        #expect(untrusting.result?.error == "tls: untrusted")
        #expect(untrusting.exitCode == 2)
    }

    @Test func `needs a version in common, and TLS at the other end`() async throws {
        var old = Nginx.Server(page("Old"))
        old.versions = ["TLSv1.1"]
        let nginx = try await Nginx.start(old, .init(page("Plain"), certificate: nil))
        let trusting = ["--cacert", nginx.certificates.authority]
        let run = try await CheckRun.of([nginx.url()] + trusting)
        #expect(run.result?.error == "tls: protocolVersion")
        #expect(run.exitCode == 2)
        let plain = try await CheckRun.of(["https://127.0.0.1:\(nginx.ports[1])/"] + trusting)
        #expect(plain.result?.error == "tls: handshakeFailed")
        #expect(plain.exitCode == 2)
        // The other way round, nginx sees what it is sent and says so.
        let clear = try await CheckRun.of("http://127.0.0.1:\(nginx.ports[0])/")
        #expect(clear.result?.status == 400)
        #expect(clear.exitCode == 2)
    }

    @Test func `that ends within the handshake is told as such`() async throws {
        let closing = try await LoopbackSite.playing("accept\nclose")
        let resetting = try await LoopbackSite.playing("accept\nreset")
        let talking = try await LoopbackSite.playing("accept\ntext 220 mail ready\\r\\n\nsilence")
        for site in [closing, resetting, talking] {
            let run = try await CheckRun.of("https://127.0.0.1:\(site.port)/")
            // A reset may come before the connection is made.
            let error = try #require(run.result?.error)
            #expect(error.hasPrefix("tls: ") || error == "connect: connectionReset")
            #expect(run.exitCode == 2)
            #expect(run.result.map { $0.seconds("total") < 5 } == true)
            await site.stop()
        }
    }

    @Test func `uses HTTP/2 where it is offered, and without TLS only when told to`() async throws {
        let echo = page("$server_protocol")
        let nginx = try await Nginx.start(
            .init(echo, http2: true), .init(echo), .init(echo, certificate: nil, http2: true),
            .init(echo, certificate: nil))
        let trusting = ["--cacert", nginx.certificates.authority]
        let run = try await CheckRun.of([nginx.url(server: 0), nginx.url(server: 1)] + trusting)
        #expect(run.result(of: nginx.url(server: 0))?.title == "HTTP/2.0")
        #expect(run.result(of: nginx.url(server: 1))?.title == "HTTP/1.1")
        let prior = try await CheckRun.of(nginx.url(server: 2), "--http2-prior-knowledge")
        #expect(prior.result?.title == "HTTP/2.0")
        let plain = try await CheckRun.of(nginx.url(server: 3))
        #expect(plain.result?.title == "HTTP/1.1")
        // nginx answers a request of HTTP/1.1 on such a port in frames of HTTP/2.
        let wrong = try await CheckRun.of(nginx.url(server: 2))
        #expect(wrong.result?.error == "firstByte: notHTTP")
    }

    /// B24, B25: over http and https, HTTP/2 and HTTP/1.1, and back.
    @Test func `is begun and left again along a chain of redirects`() async throws {
        let site = try await LoopbackSite.playing("serve /none\nhead 404")
        let nginx = try await Nginx.start(
            .init(
                .lines(
                    """
                    location /start { return 301 http://127.0.0.1:\(site.port)/middle; }
                    location /end { return 200 '<title>At the end</title>'; }
                    """), http2: true))
        try await site.add("serve /middle\nredirect 302 \(nginx.url("/end"))")
        let run = try await CheckRun.of(
            nginx.url("/start"), "--cacert", nginx.certificates.authority)
        #expect(run.result?.title == "At the end")
        #expect(run.result?.redirectStatuses == [301, 302])
        #expect(run.result?.url == nginx.url("/end"))
        #expect(run.exitCode == 0)
        await site.stop()
    }

    /// A multi handle of libcurl's keeps 8 sessions: with more hosts than that, none was resumed.
    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `to one of many hosts is resumed when it is made again`(version: String) async throws {
        var server = Nginx.Server(page("$ssl_session_reused"))
        server.versions = [version]
        // Every connection is a new one.
        server.lines = "keepalive_timeout 0;\nssl_session_cache shared:S:1m;"
        let nginx = try await Nginx.start(server)
        let port = nginx.ports[0]
        let names = (1...30).map { "host\($0).example" }
        let urls = names.map { "https://\($0):\(port)/" }
        let resolve = names.flatMap { ["--resolve", "\($0):\(port):127.0.0.1"] }
        let run = try await CheckRun.of(urls + urls + resolve + ["-k", "--concurrency", "1"])
        #expect(run.results.prefix(30).allSatisfy { $0.title == "." })
        #expect(run.results.suffix(30).allSatisfy { $0.title == "r" })
        #expect(run.results.count == 60)
    }

    /// With a folder and a bundle of certificates both set, as Debian's libcurl has them, each
    /// connection parses 140 of them: 31 ms of CPU.
    @Test func `does not read the system's certificates anew`() async throws {
        let nginx = try await Nginx.start(.init(page("Never shown")))
        let port = nginx.ports[0]
        let names = (1...50).map { "host\($0).example" }
        let urls = names.map { "https://\($0):\(port)/" }
        let resolve = names.flatMap { ["--resolve", "\($0):\(port):127.0.0.1"] }
        let one = try await CheckRun.of([urls[0]] + resolve)
        let all = try await CheckRun.of(urls + resolve)
        #expect(all.results.allSatisfy { $0.error == "tls: untrusted" })
        #expect(all.results.count == 50)
        let cost = all.outcome.userTime - one.outcome.userTime
        #expect(cost < .milliseconds(49 * 10), "\(cost) for 49 more connections")
    }

    @Test func `of HTTP/2 tells a broken answer as one of HTTP/1.1`() async throws {
        let site = try await SharedSite.own(
            "cut-short", "chunked-unfinished", "gzip-cut", "no-content", "redirect", "body-odd")
        let nginx = try await Nginx.start(
            .init(.proxy(port: site.port), http2: true),
            .init(
                .lines("location / { return 200 '<title>Again</title>'; }\nkeepalive_requests 1;"),
                http2: true))
        for (target, error, title) in [
            ("/cut-short", "body: bodyCutShort", "Half a page"),
            ("/chunked-unfinished", "body: bodyCutShort", "Unfinished chunks"),
            ("/gzip-cut", "body: bodyCutShort", nil), ("/no-content", "content: noContent", nil),
            ("/redirect/3", nil, "Arrived"),
        ] as [(String, String?, String?)] {
            let run = try await CheckRun.of(nginx.url(target), "-k")
            #expect(run.result?.error == error, "\(target)")
            #expect(run.result?.title == title, "\(target)")
        }
        // nginx up to 1.28 breaks the stream before the answer.
        let hints = try await CheckRun.of(nginx.url("/body-odd/early-hints"), "-k")
        let told = hints.result?.error ?? hints.result?.title
        #expect(told == "firstByte: connectionClosed" || told == "After the hints")
        // B53: the server sends its clients away (GOAWAY) after each request.
        let pages = (1...30).map { nginx.url("/\($0)", server: 1) }
        let run = try await CheckRun.of(pages + ["-k", "--concurrency", "1"])
        #expect(run.results.count { $0.title == "Again" } == 30)
        await site.stop()
    }

    /// B52: the others on a connection of HTTP/2 go on when one stands still.
    @Test func `of HTTP/2 on which one page hangs serves the others`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /silent
            silence
            serve /page/{n}
            head 200 text/html
            text <title>{n}</title>
            """)
        let nginx = try await Nginx.start(.init(.proxy(port: site.port), http2: true))
        let good = (1...20).map { nginx.url("/page/\($0)") }
        for concurrency in ["1", "20"] {
            let run = try await CheckRun.of(
                [nginx.url("/silent")] + good + [
                    "--timeout", "1s", "--per-host", "20", "--concurrency", concurrency, "-k",
                ])
            #expect(run.result(of: nginx.url("/silent"))?.error == "firstByte: timedOut")
            #expect(run.results.count { $0.outcome == "finished" } == 20)
        }
        await site.stop()
    }

    @Test func `carries a body of many megabytes to its end, also in frames of HTTP/2`()
        async throws
    {
        let folder = try TemporaryFolder()
        let text =
            "<!DOCTYPE html><p>" + String(repeating: "0123456789abcde ", count: 1 << 19)
            + "<title>Behind it all</title>"
        try folder.write(text, to: "big.html")
        let nginx = try await Nginx.start(
            .init(.folder(folder.path), http2: true), .init(.folder(folder.path)),
            .init(.folder(folder.path), certificate: nil, http2: true))
        for (server, options) in [
            (0, ["-k"]), (1, ["-k"]), (2, ["--http2-prior-knowledge"]),
        ] {
            let run = try await CheckRun.of([nginx.url("/big.html", server: server)] + options)
            #expect(run.result?.title == "Behind it all")
            #expect(run.result?.bytes == text.utf8.count)
            #expect(run.exitCode == 0)
        }
    }
}
