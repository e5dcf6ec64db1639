import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A URL that is none` {
    @Test(arguments: [
        "", " ", "http://", "http:///", "https://user:hush@/", "http://a b/", "http://a/b c",
        "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:x/",
        "http://127.0.0.1/\u{1}", "http://127.0.0.1/a\nb", "http://\u{7F}/", "http://a\u{0}b/",
        "http://me:hush@exa mple/", "http://me:hush@[::1/", "http://me:hush@a<b/", "http://[::1",
        "http://[::g]/", "http://[::1]x/", "http://%zz/", "http://a%00b/", "file:///etc/passwd",
        "ftp://127.0.0.1/", "FILE:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
        "mailto:me:hush@example.org", "localhost:8080/", "example.org", "//example.org/", "/", "?",
        "gopher://me:hush@127.0.0.1/", "http:///me:hush@127.0.0.1:0/", "htp://me:hush@127.0.0.1/",
        "http:/me:hush@127.0.0.1:0/", "http:\\\\me:hush@127.0.0.1:0", "http://me:a/hush@127.0.0.1/",
        "http://me:a#hush@127.0.0.1/", "http://me:a?hush@127.0.0.1/", "//me:hush@127.0.0.1/",
    ])
    func `is refused before anything is loaded, in one line and without a secret`(
        typed: String
    ) async throws {
        let site = try await LoopbackSite.playing("serve /good\nhead 200")
        let program = Program.pagewatch("check", site.url("/good"), typed)
        // A NUL ends an argument, so that what follows it never comes.
        let outcome = try await program.run()
        if typed.utf8.contains(0) {
            #expect(outcome.exitCode != nil)
        } else {
            #expect(outcome.exitCode == 3)
            #expect(outcome.outputText == "")
            #expect(outcome.errorText.hasPrefix("pagewatch check: "))
            #expect(outcome.errorText.count { $0 == "\n" } == 1)
            #expect(outcome.errorText.hasSuffix("\n"))
            #expect(!outcome.errorText.contains("hush"))
            #expect(outcome.errorText.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
            #expect(await site.requests().isEmpty)
        }
        await site.stop()
    }

    @Test func `in a list is told as a result, and the rest goes on`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /good\nhead 200 text/html\ntext <title>Good</title>")
        let list = """
            # a comment, and a blank line

            \(site.url("/good?1"))
            http://me:hush@/
            ftp://me:hush@127.0.0.1/\r
            \(site.url("/good?2"))\r
            """
        let run = try await CheckRun.of(["--from", "-"], input: list)
        #expect(run.results.count == 4)
        #expect(run.results.count { $0.title == "Good" } == 2)
        #expect(run.results.count { $0.error == "request: malformedURL" } == 1)
        #expect(run.results.count { $0.error == "request: unsupportedScheme" } == 1)
        #expect(run.exitCode == 3)
        #expect(!run.outcome.outputText.contains("hush"))
        #expect(!run.outcome.errorText.contains("hush"))
        await site.stop()
    }

    @Test func `is no reason for more than an error, however long or odd the list`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            "serve *\nhead 200 text/html\ntext <title>Good</title>")
        let long = String(repeating: "x", count: 100_000)
        let junk = String(decoding: (0...255).map { UInt8($0) }, as: Unicode.ASCII.self)
        let list = [
            site.url("/1"), "http://127.0.0.1/\(long)", long, junk, "\u{0}", "http://\(junk)/",
            "http://\(long.prefix(60_000))/", site.url("/\(long.prefix(30_000))"), site.url("/2"),
        ].joined(separator: "\n")
        let run = try await CheckRun.of(["--from", "-"], input: list)
        // The pages that failed count before the lines that are none.
        #expect(run.exitCode == 2)
        #expect(run.result(of: site.url("/1"))?.title == "Good")
        #expect(run.result(of: site.url("/2"))?.title == "Good")
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The user information of a URL` {
    @Test func `is sent, and shown nowhere`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /in
            head 200 text/html
            text <title>In</title>
            serve /cut
            head 200 text/html
            length 1000
            text <title>Cut</title>
            close
            serve /away
            redirect 302 http://you:whisper@127.0.0.1:{port}/in
            """)
        let urls = ["/in", "/cut", "/away"].map { "http://me:hush@127.0.0.1:\(site.port)\($0)" }
        for form in [["--json"], ["--events"], [], ["--plugin"], ["--json", "--timeout", "1ms"]] {
            let outcome = try await Program.pagewatch(arguments: ["check"] + form + urls).run()
            for text in [outcome.outputText, outcome.errorText] {
                #expect(!text.contains("hush") && !text.contains("whisper"), "\(form)")
                #expect(!text.contains("me:") && !text.contains("you:"), "\(form)")
            }
        }
        let first = try #require(await site.requests(for: "/in").first)
        #expect(first.header("Authorization") == "Basic bWU6aHVzaA==")
        await site.stop()
    }

    @Test func `may be anything, encoded`() async throws {
        let site = try await LoopbackSite.playing("serve /in\nhead 200 text/html")
        let run = try await CheckRun.of("http://m%40e:h%3Au%2Fsh@127.0.0.1:\(site.port)/in")
        #expect(run.exitCode == 0)
        // m@e:h:u/sh
        let request = try #require(await site.requests().first)
        #expect(request.header("Authorization") == "Basic bUBlOmg6dS9zaA==")
        await site.stop()
    }
}
