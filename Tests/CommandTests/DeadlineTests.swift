import Glibc
import LoopbackSite
import TestSupport
import Testing

/// How much later than its deadline a load may end where others keep the processor busy; alone it
/// ends within some milliseconds.
private let slack = 1.0

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A deadline` {
    /// B45-B50: each of these servers would hold a careless client for ever.
    @Test func `ends whatever hangs, wherever it hangs, and holds up nobody else`() async throws {
        let site = try await SharedSite.own("page", "drip", "silent", "stalled-title")
        let mute = try await LoopbackSite.playing("accept\nsilence")
        let swallowing = try ReservedPort(.swallowing)
        let stuck: [(url: String, error: String)] = [
            (site.url("/drip"), "body: timedOut"),
            (site.url("/silent-after-head"), "body: timedOut"),
            (site.url("/silent-after-block"), "body: timedOut"),
            (site.url("/stalled-title"), "body: timedOut"),
            (site.url("/silent"), "firstByte: timedOut"),
            (site.url("/drip-head"), "firstByte: timedOut"),
            ("https://127.0.0.1:\(mute.port)/", "tls: timedOut"),
            ("http://127.0.0.1:\(mute.port)/", "firstByte: timedOut"),
            ("http://127.0.0.1:\(swallowing.port)/", "connect: timedOut"),
        ]
        let good = (1...100).map { site.url("/page?title=\($0)") }
        let run = try await CheckRun.of(
            stuck.map(\.url) + good + ["--timeout", "3s", "--per-host", "20"])
        for (url, error) in stuck {
            let result = try #require(run.result(of: url))
            #expect(result.error == error, "\(url)")
            #expect(result.seconds("total") >= 3, "\(url)")
            #expect(result.seconds("total") < 3 + slack, "\(url)")
        }
        // All the good ones have come before, and none of them had to wait long.
        #expect(run.results.prefix(good.count).allSatisfy { $0.outcome == "finished" })
        #expect(run.results.prefix(good.count).allSatisfy { $0.seconds("total") < 2 })
        #expect(run.results.count == good.count + stuck.count)
        #expect(run.result(of: site.url("/silent-after-block"))?.title == "Stalled")
        #expect(run.exitCode == 2)
        #expect(run.outcome.wall < .seconds(3 + 4 * slack))
        await mute.stop()
        await site.stop()
        withExtendedLifetime(swallowing) {}
    }

    @Test func `of a phase is its own`() async throws {
        let site = try await SharedSite.own("page", "drip", "silent", "stalled-title")
        let mute = try await LoopbackSite.playing("accept\nsilence")
        let swallowing = try ReservedPort(.swallowing)
        let stuck: [(url: String, error: String, seconds: Double)] = [
            (site.url("/silent-after-head"), "body: stalled", 0.9),
            (site.url("/silent-after-block"), "body: stalled", 0.9),
            (site.url("/silent"), "firstByte: timedOut", 0.8),
            (site.url("/drip-head"), "firstByte: timedOut", 0.8),
            ("https://127.0.0.1:\(mute.port)/", "tls: timedOut", 0.7),
            ("http://127.0.0.1:\(swallowing.port)/", "connect: timedOut", 0.6),
        ]
        let run = try await CheckRun.of(
            stuck.map(\.url) + [
                "--connect-timeout", "600ms", "--tls-timeout", "700ms", "--first-byte-timeout",
                "800ms", "--stall-timeout", "900ms",
            ])
        for (url, error, seconds) in stuck {
            let result = try #require(run.result(of: url))
            #expect(result.error == error, "\(url)")
            #expect(result.seconds("total") >= seconds, "\(url)")
            #expect(result.seconds("total") < seconds + slack, "\(url)")
        }
        #expect(run.exitCode == 2)
        await mute.stop()
        await site.stop()
        withExtendedLifetime(swallowing) {}
    }

    @Test func `of the load holds through redirects and refreshes`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /around
            pause 150ms
            redirect 302 /around
            serve /again
            head 200 text/html
            text <meta http-equiv=refresh content=1><title>Again</title>
            """)
        let run = try await CheckRun.of(
            site.url("/around"), site.url("/again"), "--timeout", "1500ms", "--max-redirects",
            "1000")
        let around = try #require(run.result(of: site.url("/around")))
        #expect(around.error == "firstByte: timedOut")
        #expect(around.redirectStatuses.count >= 5)
        let again = try #require(run.result(of: site.url("/again")))
        #expect(again.error == "redirect: timedOut")
        #expect(again.title == "Again")
        for result in run.results {
            #expect(result.seconds("total") >= 1.5 && result.seconds("total") < 1.5 + slack)
        }
        await site.stop()
    }

    /// A page that is slow but comes: only the whole load's time bounds it.
    @Test func `of the stall does not end what still comes`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /slow
            head 200 text/html
            length none
            repeat 12
              text .
              pause 100ms
            end
            text <title>Came at last</title>
            """)
        let run = try await CheckRun.of(site.url("/slow"), "--stall-timeout", "600ms")
        #expect(run.result?.title == "Came at last")
        #expect(run.exitCode == 0)
        await site.stop()
    }

    /// As after a suspended machine, or a reader of the output that took nothing for a while.
    @Test func `finds nothing late that came while the program was stopped`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /held/{n}
            head 200 text/html
            text <title>Came</title>
            gate go
            text <p>The end
            """)
        let urls = (1...10).map { site.url("/held/\($0)") }
        let program = try Program.pagewatch(
            arguments: ["check", "--json", "--timeout", "3s", "--per-host", "10"] + urls
        ).start()
        await site.waitForGate("go", count: 10)
        let timeout = ContinuousClock.now + .milliseconds(3200)
        program.send(signal: SIGSTOP)
        await site.open(gate: "go", staysOpen: true)
        // The moment itself is what matters here.
        try await Task.sleep(until: timeout)
        program.send(signal: SIGCONT)
        let run = CheckRun(await program.outcome())
        #expect(run.results.count == 10)
        #expect(run.results.allSatisfy { $0.title == "Came" && $0.error == nil })
        #expect(run.exitCode == 0)
        await site.stop()
    }
}
