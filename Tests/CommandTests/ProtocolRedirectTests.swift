import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A redirect` {
    @Test(arguments: [
        ("relative", "/redirect-odd/relative-target", "Relative"),
        ("query", "/echo?x=1&y=2", "/echo?x=1&y=2"),
        ("fragment", "/v2#part", "V2"),
        ("utf-8", "/echo/gr%C3%BC%C3%9Fe", "/echo/gr%C3%BC%C3%9Fe"),
        ("latin-1", "/echo/gr%FC%DFe", "/echo/gr%FC%DFe"),
        ("space", "/echo/a%20b", "/echo/a%20b"),
        ("absolute", "/v2", "V2"),
        ("no-scheme", "/v2", "V2"),
    ])
    func `leads where a browser goes`(name: String, path: String, title: String) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-odd/\(name)"))
        #expect(run.result?.url == site.url(path))
        #expect(run.result?.title == title)
        #expect(run.result?.redirectURLs == [site.url("/redirect-odd/\(name)")])
        #expect(run.result?.redirectStatuses == [302])
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [
        ("file", "redirect: unsupportedScheme"), ("ftp", "redirect: unsupportedScheme"),
        ("javascript", "redirect: unsupportedScheme"), ("bad-url", "redirect: malformedURL"),
        ("refused", "connect: refused"),
    ])
    func `to no page is a failure`(name: String, error: String) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-odd/\(name)"))
        #expect(run.result?.error == error)
        #expect(run.result?.title == nil)
        #expect(run.result?.redirectStatuses == [302])
        #expect(run.exitCode == 2)
    }

    @Test(arguments: [("empty", "No place to go"), ("none", "No place named")])
    func `that names no place is the page itself`(name: String, title: String) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-odd/\(name)"))
        #expect(run.result?.title == title)
        #expect(run.result?.status == 302)
        #expect(run.result?.redirectStatuses == [])
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `of any of the five statuses is followed`(status: Int) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-status/\(status)"))
        #expect(run.result?.title == "V2")
        #expect(run.result?.redirectStatuses == [status])
    }

    @Test(arguments: [300, 305, 306, 399])
    func `of another status is a page`(status: Int) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-status/\(status)"))
        #expect(run.result?.status == status)
        #expect(run.result?.url == site.url("/redirect-status/\(status)"))
        #expect(run.result?.redirectStatuses == [])
        #expect(run.exitCode == 0)
    }

    @Test func `is followed twenty times and no more`() async throws {
        let site = try await SharedSite.get()
        let twenty = try await CheckRun.of(site.url("/redirect/20"))
        #expect(twenty.result?.title == "Arrived")
        #expect(twenty.result?.redirectStatuses.count == 20)
        for target in ["/redirect/21", "/redirect-loop", "/redirect-pair"] {
            let run = try await CheckRun.of(site.url(target))
            #expect(run.result?.error == "redirect: tooManyRedirects", "\(target)")
            #expect(run.result?.redirectStatuses.count == 21, "\(target)")
            #expect(run.exitCode == 2)
        }
    }

    @Test func `is followed as often as --max-redirects says`() async throws {
        let site = try await SharedSite.get()
        let none = try await CheckRun.of(site.url("/redirect/1"), "--max-redirects", "0")
        #expect(none.result?.error == "redirect: tooManyRedirects")
        #expect(none.result?.url == site.url("/redirect/1"))
        let two = try await CheckRun.of(site.url("/redirect/2"), "--max-redirects", "2")
        #expect(two.result?.title == "Arrived")
        let three = try await CheckRun.of(site.url("/redirect/3"), "--max-redirects", "2")
        #expect(three.result?.error == "redirect: tooManyRedirects")
    }

    @Test func `keeps the fragment, unless it has its own, and sends none`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /plain
            redirect 302 /page
            serve /own
            redirect 302 /page#own
            serve /page
            head 200 text/html
            text <title>{target}</title>
            """)
        let run = try await CheckRun.of(site.url("/plain#mine"), site.url("/own#mine"))
        #expect(run.result(of: site.url("/plain#mine"))?.url == site.url("/page#mine"))
        #expect(run.result(of: site.url("/own#mine"))?.url == site.url("/page#own"))
        #expect(run.results.allSatisfy { $0.title == "/page" })
        #expect(await site.requests().allSatisfy { !$0.target.contains("#") })
        await site.stop()
    }

    /// B28: of the last hop alone.
    @Test func `with a body counts for nothing`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/redirect-with-body"))
        #expect(run.result?.title == "Right one")
        #expect(run.result?.bytes == 50)
    }

    @Test func `with a body that never comes is followed at once`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /from
            head 302 text/html
            header Location: /to
            length 1000000
            body
            silence
            serve /to
            head 200 text/html
            text <title>There</title>
            """)
        let run = try await CheckRun.of(site.url("/from"))
        #expect(run.result?.title == "There")
        #expect(run.result.map { $0.seconds("total") < 5 } == true)
        await site.stop()
    }

    @Test func `to another origin takes along neither headers nor credentials nor cookies`()
        async throws
    {
        // 127.0.0.1 and localhost are two hosts; another port of one host is another origin too.
        let other = try await LoopbackSite.playing(Self.shows)
        let site = try await LoopbackSite.playing(
            """
            serve /same
            head 302
            header Set-Cookie: k=v
            header Location: /shown
            serve /host
            head 302
            header Set-Cookie: k=v
            header Location: http://localhost:{port}/shown
            serve /port
            redirect 302 http://127.0.0.1:\(other.port)/shown
            serve /back
            redirect 302 http://localhost:{port}/back-again
            serve /back-again
            redirect 302 http://127.0.0.1:{port}/shown

            """ + Self.shows)
        let own = ["-H", "X-Secret: mine", "-u", "me:word"]
        let none = "auth= secret= cookie="
        let all = "auth=Basic bWU6d29yZA== secret=mine cookie="
        let run = try await CheckRun.of(
            ["/same", "/host", "/port", "/back"].map { site.url($0) } + own)
        #expect(run.result(of: site.url("/same"))?.title == all + "k=v")
        #expect(run.result(of: site.url("/host"))?.title == none.trimmedAtEnd)
        #expect(run.result(of: site.url("/port"))?.title == none.trimmedAtEnd)
        // Back at its own origin it has them again.
        #expect(run.result(of: site.url("/back"))?.title == all.trimmedAtEnd)
        await site.stop()
        await other.stop()
    }

    private static let shows = """
        serve /shown
        head 200 text/html
        text <title>auth={header Authorization} secret={header X-Secret} cookie={header Cookie}</title>
        """
}

extension String {
    /// A title has no space at its end.
    fileprivate var trimmedAtEnd: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A refresh` {
    @Test(arguments: ["/refresh/0", "/refresh/1", "/refresh-header/0"])
    func `within a second is followed and listed`(target: String) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url(target))
        #expect(run.result?.title == "Refreshed")
        #expect(run.result?.url == site.url("/refreshed"))
        #expect(run.result?.redirectURLs == [site.url(target)])
        #expect(run.result?.redirectStatuses == [200])
        #expect(run.result?.refreshDelay == nil)
        #expect(run.exitCode == 0)
    }

    @Test func `later than that is told and not followed`() async throws {
        let site = try await SharedSite.get()
        for target in ["/refresh/5", "/refresh/2", "/refresh-header/5"] {
            let run = try await CheckRun.of(site.url(target))
            #expect(run.result?.title == "Refreshing")
            #expect(
                run.result?.refreshDelay.map { "\($0)" }
                    == target.split(separator: "/").last.map(String.init))
            #expect(run.result?.json["refresh"]["url"].string == site.url("/refreshed"))
            #expect(run.exitCode == 0)
        }
    }

    @Test func `is told only, when none is to be followed`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/refresh/0"), "--no-refresh")
        #expect(run.result?.title == "Refreshing")
        #expect(run.result?.refreshDelay == 0)
    }

    @Test func `inside noscript is none`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url("/refresh-noscript"))
        #expect(run.result?.title == "Stays here")
        #expect(run.result?.refreshDelay == nil)
    }

    @Test func `is followed ten times and no more`() async throws {
        let site = try await SharedSite.get()
        let ten = try await CheckRun.of(site.url("/refresh-chain/10"))
        #expect(ten.result?.title == "Arrived")
        #expect(ten.result?.redirectStatuses.count == 10)
        for (target, title) in [("/refresh-chain/12", "2 left"), ("/refresh-self", "Again")] {
            let run = try await CheckRun.of(site.url(target))
            #expect(run.result?.error == "redirect: tooManyRedirects")
            #expect(run.result?.title == title)
            #expect(run.result?.redirectStatuses.count == 11)
            #expect(run.exitCode == 2)
        }
    }

    @Test func `to what is no page is not followed`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /script
            head 200 text/html
            text <meta http-equiv=refresh content="0; url=javascript:alert(1)"><title>Script</title>
            serve /file
            head 200 text/html
            header Refresh: 0; url=file:///etc/passwd
            text <title>File</title>
            """)
        let run = try await CheckRun.of(site.url("/script"), site.url("/file"))
        #expect(run.result(of: site.url("/script"))?.title == "Script")
        #expect(run.result(of: site.url("/file"))?.title == "File")
        #expect(run.results.allSatisfy { $0.redirectStatuses.isEmpty })
        #expect(run.exitCode == 0)
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `What is known before a load goes on to nowhere` {
    @Test func `is kept of the page whose refresh it followed`() async throws {
        let nobody = try ReservedPort(.refusing)
        let site = try await LoopbackSite.playing(
            """
            serve /page
            head 200 text/html; charset=utf-8
            text <meta http-equiv=refresh content="0;url=http://127.0.0.1:\(nobody.port)/">
            text <title>Kept</title>
            """)
        let result = try #require(try await CheckRun.of(site.url("/page")).result)
        #expect(result.error == "connect: refused")
        #expect(result.url == "http://127.0.0.1:\(nobody.port)/")
        #expect(result.status == 200)
        #expect(result.title == "Kept")
        #expect(result.json["encoding"].string == "UTF-8")
        #expect(result.json["contentType"].string == "text/html; charset=utf-8")
        #expect(try #require(result.bytes) > 60)
        await site.stop()
        withExtendedLifetime(nobody) {}
    }

    @Test func `is the status alone of an answer that sent it on`() async throws {
        let nobody = try ReservedPort(.refusing)
        let site = try await LoopbackSite.playing(
            "serve /away\nredirect 302 http://127.0.0.1:\(nobody.port)/")
        let result = try #require(try await CheckRun.of(site.url("/away")).result)
        #expect(result.error == "connect: refused")
        #expect(result.status == 302)
        #expect(result.bytes == nil)
        #expect(result.title == nil)
        await site.stop()
        withExtendedLifetime(nobody) {}
    }
}
