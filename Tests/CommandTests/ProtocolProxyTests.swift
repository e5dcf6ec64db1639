import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A proxy` {
    private static let scenario = """
        serve /page
        head 200 text/html
        text <title>{header Host} through {port}</title>
        serve /go/here
        redirect 302 there?x=1&y=2
        serve /go/there
        head 200 text/html
        text <title>There {header Host} {query y}</title>
        serve /silent
        silence
        """

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func `of the environment is used`(variable: String) async throws {
        let proxy = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(
            ["http://nowhere.example/page"],
            environment: [variable: "http://127.0.0.1:\(proxy.port)"])
        #expect(run.result?.title == "nowhere.example through \(proxy.port)")
        #expect(run.exitCode == 0)
        await proxy.stop()
    }

    @Test func `of the command line is used, and that of the environment is not`() async throws {
        let proxy = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(
            ["http://nowhere.example/page", "-x", "http://127.0.0.1:\(proxy.port)"],
            environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(run.result?.title == "nowhere.example through \(proxy.port)")
        await proxy.stop()
    }

    @Test func `is passed by for the hosts of no_proxy`() async throws {
        let site = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(
            [site.url("/page"), "http://127.0.0.2:\(site.port)/page"],
            environment: [
                "http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1,other.example",
            ])
        #expect(run.result(of: site.url("/page"))?.title?.hasPrefix("127.0.0.1") == true)
        #expect(run.results.compactMap(\.error) == ["connect: refused"])
        await site.stop()
    }

    /// B26: the target was glued to the proxy's address.
    @Test func `does not matter to a relative redirect`() async throws {
        let proxy = try await LoopbackSite.playing(Self.scenario)
        let run = try await CheckRun.of(
            "http://nowhere.example/go/here", "--proxy", "http://127.0.0.1:\(proxy.port)")
        #expect(run.result?.url == "http://nowhere.example/go/there?x=1&y=2")
        #expect(run.result?.title == "There nowhere.example 2")
        await proxy.stop()
    }

    @Test func `that refuses a tunnel is told as such, and soon`() async throws {
        let proxy = try await LoopbackSite.playing(
            "serve *\nmethod CONNECT\nhead 403 text/html\ntext <title>Not to be shown</title>")
        for scheme in ["https_proxy", "HTTPS_PROXY"] {
            let run = try await CheckRun.of(
                ["https://nowhere.example/"],
                environment: [scheme: "http://127.0.0.1:\(proxy.port)"])
            #expect(run.result?.error == "connect: proxyRefused")
            #expect(run.result?.title == nil)
            #expect(run.result?.status == nil)
            #expect(run.exitCode == 2)
        }
        await proxy.stop()
    }

    @Test func `that is silent, not there or not to be found is told by its phase`() async throws {
        let silent = try await LoopbackSite.playing("serve *\nsilence")
        let tunnel = try await CheckRun.of(
            "https://nowhere.example/", "-x", "http://127.0.0.1:\(silent.port)",
            "--connect-timeout", "600ms")
        #expect(tunnel.result?.error == "connect: timedOut")
        #expect(tunnel.result.map { $0.seconds("total") < 3 } == true)
        let page = try await CheckRun.of(
            "http://nowhere.example/", "-x", "http://127.0.0.1:\(silent.port)",
            "--first-byte-timeout", "600ms")
        #expect(page.result?.error == "firstByte: timedOut")
        let refused = try ReservedPort()
        let absent = try await CheckRun.of(
            "http://nowhere.example/", "-x", "http://127.0.0.1:\(refused.port)")
        #expect(absent.result?.error == "connect: refused")
        await silent.stop()
        withExtendedLifetime(refused) {}
    }

    @Test func `never shows its password`() async throws {
        let refused = try ReservedPort()
        for form in [["--json"], ["--events"], []] {
            let program = Program.pagewatch(
                arguments: ["check", "http://nowhere.example/", "-x"]
                    + ["http://me:hush@127.0.0.1:\(refused.port)"] + form)
            let outcome = try await program.run()
            #expect(outcome.exitCode == 2)
            #expect(!outcome.outputText.contains("hush"))
            #expect(!outcome.errorText.contains("hush"))
        }
        withExtendedLifetime(refused) {}
    }

    @Test(arguments: ["http://", "socks9://x", "http://a b/"])
    func `that is none is a failure and no crash`(proxy: String) async throws {
        let run = try await CheckRun.of("http://127.0.0.1:1/", "-x", proxy)
        #expect(run.exitCode == 2 || run.exitCode == 3)
    }
}
