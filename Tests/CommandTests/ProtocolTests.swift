import Glibc
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `An answer in old or odd forms` {
    private static let scenario = """
        serve /http-1.0
        text HTTP/1.0 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<title>Old</title>
        close
        serve /hints
        text HTTP/1.1 103 Early Hints\\r\\nRefresh: 0; url=/no\\r\\nContent-Encoding: gzip\\r\\n\\r\\n
        text HTTP/1.1 102 Processing\\r\\nLocation: /no\\r\\n\\r\\n
        text HTTP/1.1 200 OK\\r\\nContent-Length: 19\\r\\n\\r\\n<title>Hint</title>
        serve /trailers
        text HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n
        text 13\\r\\n<title>Tail</title>\\r\\n0\\r\\nRefresh: 0; url=/no\\r\\nLocation: /no\\r\\n\\r\\n
        serve /no-reason
        text HTTP/1.1 200\\r\\nContent-Length: 19\\r\\n\\r\\n<title>Bare</title>
        serve /line-feeds
        text HTTP/1.1 200 OK\\nContent-Length: 19\\nContent-Type: text/html\\n\\n<title>Feed</title>
        serve /folded
        text HTTP/1.1 200 OK\\r\\nContent-Length: 19\\r\\nX-Long: a\\r\\n  b\\r\\n\\r\\n<title>Fold</title>
        serve /odd-lines
        text HTTP/1.1 200 OK\\r\\nno colon here\\r\\n: no name\\r\\nContent-Length: 19\\r\\n\\r\\n<title>Odd!</title>
        serve /lengths
        text HTTP/1.1 200 OK\\r\\nContent-Length: 19\\r\\nContent-Length: 5\\r\\n\\r\\n<title>Two!</title>
        serve /negative
        text HTTP/1.1 200 OK\\r\\nContent-Length: -5\\r\\n\\r\\n<title>Less</title>
        close
        serve /enormous
        text HTTP/1.1 200 OK\\r\\nContent-Length: 99999999999999999999999\\r\\n\\r\\n<title>More</title>
        close
        serve /status-999
        text HTTP/1.1 999 Odd\\r\\nContent-Length: 19\\r\\n\\r\\n<title>Nine</title>
        """

    @Test(arguments: [
        ("http-1.0", "Old"), ("hints", "Hint"), ("trailers", "Tail"), ("no-reason", "Bare"),
        ("line-feeds", "Feed"), ("folded", "Fold"),
    ])
    func `is read as a browser reads it`(name: String, title: String) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(site.url("/\(name)"))
        #expect(run.result?.title == title)
        #expect(run.result?.error == nil)
        #expect(run.result?.redirectStatuses == [])
        #expect(run.exitCode == 0)
        await site.stop()
    }

    /// What they come to may differ from one libcurl to the next; that they come to an end not.
    @Test(arguments: ["odd-lines", "lengths", "negative", "enormous", "status-999"])
    func `is a page or a failure, at once`(name: String) async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(site.url("/\(name)"), "--timeout", "5s")
        #expect(run.results.count == 1)
        #expect([0, 2].contains(run.exitCode))
        #expect(run.result.map { $0.seconds("total") < 5 } == true)
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A connection` {
    @Test func `is kept for the next page of its host`() async throws {
        let site = try await LoopbackSite.playing(Self.counted)
        let run = try await CheckRun.of(
            (1...5).map { site.url("/page?\($0)") } + ["--concurrency", "1"])
        #expect(run.results.allSatisfy { $0.title == "Page" })
        #expect(await site.acceptedConnections == 1)
        #expect(run.results.dropFirst().allSatisfy { $0.seconds("connect") < 0.01 })
        await site.stop()
    }

    private static let counted = "serve /page\nhead 200 text/html\ntext <title>Page</title>"

    /// Once: for a page that a server answers by hanging up, that would go on for ever.
    @Test(arguments: ["close", "reset"])
    func `that was kept and has died is replaced once, without a word`(
        ending: String
    ) async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /kept
            head 200 text/html
            text <title>Kept</title>
            next \(ending)
            serve /never
            \(ending)
            """)
        let kept = try await CheckRun.of(
            site.url("/kept?1"), site.url("/kept?2"), "--concurrency", "1")
        #expect(kept.results.map(\.title) == ["Kept", "Kept"])
        #expect(kept.exitCode == 0)
        #expect(await site.acceptedConnections == 2)
        let never = try await CheckRun.of(
            site.url("/kept?3"), site.url("/never"), "--concurrency", "1")
        #expect(
            never.result(of: site.url("/never"))?.error?.hasPrefix("firstByte: connection") == true)
        #expect(never.exitCode == 2)
        #expect(await site.requests(for: "/never").count == 2)
        await site.stop()
    }

    @Test func `has company to six on one host, and what waits lets other hosts pass`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve /gated\ngate all\nhead 200 text/html\ntext <title>Gated</title>")
        let other = try await LoopbackSite.playing(Self.counted)
        let gated = (1...20).map { site.url("/gated?\($0)") }
        var program = Program.pagewatch(
            arguments: ["check", "--json"] + CheckRun.patience + gated + [other.url("/page")])
        program.timeLimit = .seconds(300)
        let running = try program.start()
        await site.waitForGate("all", count: 6)
        // The last in the line: what could start before it has started.
        var lines = running.lines.makeAsyncIterator()
        #expect(await lines.next()?.text.contains("Page") == true)
        #expect(await site.requests().count == 6)
        await site.open(gate: "all", staysOpen: true)
        let run = CheckRun(await running.outcome())
        #expect(run.results.count { $0.title == "Gated" } == 20)
        #expect(await site.acceptedConnections == 6)
        await site.stop()
        await other.stop()
    }

    @Test func `brings cookies to the next hop of a load and to no other load`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /set
            head 302
            header Set-Cookie: seen=1; Path=/
            header Location: /shown
            serve /shown
            head 200 text/html
            text <title>[{header Cookie}]</title>
            """)
        let run = try await CheckRun.of(
            site.url("/set"), site.url("/shown"), site.url("/set"), site.url("/shown"),
            "--concurrency", "1")
        #expect(run.results.map(\.title) == ["[seen=1]", "[]", "[seen=1]", "[]"])
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `An address` {
    @Test func `of IPv6 is loaded, with a zone too`() async throws {
        let site = try await LoopbackSite.playing(Self.page, alsoIPv6: true)
        let urls = ["http://[::1]:\(site.port)/page", "http://[::1%25lo]:\(site.port)/page"]
        let run = try await CheckRun.of(urls)
        #expect(run.results.map(\.title) == ["Here", "Here"])
        #expect(run.exitCode == 0)
        await site.stop()
    }

    private static let page = "serve /page\nhead 200 text/html\ntext <title>Here</title>"

    /// B47, B54.
    @Test func `of two, one refused or dead, is loaded from the other`() async throws {
        let site = try await LoopbackSite.playing(Self.page)
        let url = "http://two.example:\(site.port)/page"
        let refused = try await CheckRun.of(
            url, "--resolve", "two.example:\(site.port):[::1],127.0.0.1")
        #expect(refused.result?.title == "Here")
        let deaf = try #require(DeafIPv6(port: site.port))
        let dead = try await CheckRun.of(
            url, "--resolve", "two.example:\(site.port):[::1],127.0.0.1", "--timeout", "5s")
        #expect(dead.result?.title == "Here")
        // Happy eyeballs: the second is tried after 200 ms, not when the first has failed.
        #expect(dead.result.map { $0.seconds("total") < 3 } == true)
        let only = try await CheckRun.of(
            url, "--resolve", "two.example:\(site.port):[::1],127.0.0.1", "-6",
            "--connect-timeout", "500ms")
        #expect(only.result?.error == "connect: timedOut")
        await site.stop()
        withExtendedLifetime(deaf) {}
    }

    @Test(arguments: ["C", "C.UTF-8", "POSIX"])
    func `with an international name is loaded in any locale`(locale: String) async throws {
        let site = try await LoopbackSite.playing(Self.page)
        let run = try await CheckRun.of(
            [
                "http://B\u{FC}cher.example:\(site.port)/page", "--resolve",
                "xn--bcher-kva.example:\(site.port):127.0.0.1",
            ],
            environment: ["LC_ALL": locale, "LANG": locale])
        #expect(run.result?.title == "Here")
        #expect(run.result?.url == "http://xn--bcher-kva.example:\(site.port)/page")
        await site.stop()
    }

    @Test func `that leads nowhere is told by how far it led`() async throws {
        let refused = try ReservedPort()
        let run = try await CheckRun.of(
            "http://127.0.0.1:\(refused.port)/", "http://no-such-host.invalid/", "--timeout", "5s")
        let url = "http://127.0.0.1:\(refused.port)/"
        #expect(run.result(of: url)?.error == "connect: refused")
        // Without any network a resolver may take its time.
        let missing = run.result(of: "http://no-such-host.invalid/")
        #expect(missing?.error?.hasPrefix("resolve: ") == true)
        #expect(run.exitCode == 2)
        let other = try await CheckRun.of("-6", url)
        #expect(other.result?.error == "resolve: notFound")
        #expect(other.result?.message == "the host has no IPv6 address")
        withExtendedLifetime(refused) {}
    }
}

/// A port of [::1] whose queue of new connections is full: a further one hangs.
private final class DeafIPv6 {
    private let descriptors: [CInt]

    /// Nil if there is no IPv6, or the port is taken.
    init?(port: UInt16) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let kind = CInt(
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let sockets = (0..<3).map { _ in socket(AF_INET6, kind, 0) }
        descriptors = sockets
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(sockets[0], pointer, size) == 0, listen(sockets[0], 0) == 0 else {
                    return false
                }
                for filler in sockets.dropFirst() { _ = connect(filler, pointer, size) }
                return true
            }
        }
        guard isBound else { return nil }
    }

    deinit {
        for descriptor in descriptors { _ = close(descriptor) }
    }
}
