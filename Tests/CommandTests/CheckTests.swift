import Foundation
import Glibc
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The check command` {
    private func check(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome
    {
        var program = Program.pagewatch(arguments: ["check"] + arguments)
        program.input = input.map { Array($0.utf8) }
        return try await program.run()
    }

    @Test func `tells a page in one line`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check(site.url("/page?title=Hello"))
        #expect(outcome.exitCode == 0)
        #expect(outcome.outputLines.count == 1)
        #expect(outcome.outputText.hasPrefix("200 "))
        #expect(outcome.outputText.contains("\"Hello\""))
        #expect(outcome.outputText.hasSuffix("  \(site.url("/page?title=Hello"))\n"))
        #expect(outcome.errors.isEmpty)
        await site.stop()
    }

    @Test func `gives every key of the result, in order`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check("--json", site.url("/page?title=A"), "http://127.0.0.1:1/")
        let always = [
            "initialURL", "url", "title", "outcome", "status", "contentType", "encoding",
            "encodingSource", "redirects", "bytes", "timings",
        ]
        for line in outcome.outputLines {
            let places = always.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
            #expect(places.count == always.count)
            #expect(places == places.sorted())
        }
        let results = try objects(outcome)
        let fine = try #require(results.first { $0["outcome"] as? String == "finished" })
        #expect(fine["title"] as? String == "A")
        #expect(fine["status"] as? Int == 200)
        #expect(fine["encoding"] as? String == "UTF-8")
        #expect(fine["encodingSource"] as? String == "http")
        #expect(fine["error"] == nil)
        #expect(fine["refresh"] == nil)
        let failed = try #require(results.first { $0["outcome"] as? String == "failed" })
        #expect(failed["status"] is NSNull)
        #expect((failed["error"] as? JSON)?["code"] as? String == "refused")
        #expect(outcome.exitCode == 2)
        await site.stop()
    }

    @Test func `lists the redirects that it followed`() async throws {
        let site = try await LoopbackSite.start()
        let result = try #require(try objects(try await check("--json", site.url("/v10"))).first)
        let redirects = try #require(result["redirects"] as? [JSON])
        #expect(
            redirects.map { $0["url"] as? String } == ["/v10", "/v10/2", "/v10/1"].map(site.url))
        #expect(redirects.map { $0["status"] as? Int } == [302, 302, 302])
        #expect(result["url"] as? String == site.url("/v10/0"))
        #expect(result["initialURL"] as? String == site.url("/v10"))
        await site.stop()
    }

    private static let pages: [([String], Int32)] = [
        (["/page?title=Shop"], 0), (["/status/404"], 2), (["/v9"], 2),
        (["/page?title=Shop", "/status/500"], 2),
    ]

    @Test(arguments: pages)
    func `ends with 2 when a page failed, a status of 400 or more too`(
        paths: [String], code: Int32
    ) async throws {
        let site = try await LoopbackSite.start()
        let program = Program.pagewatch(arguments: ["check"] + paths.map { site.url($0) })
        #expect(try await program.run().exitCode == code)
        await site.stop()
    }

    @Test func `ends with 1 when a title has no match`() async throws {
        let site = try await LoopbackSite.start()
        let url = site.url("/page?title=Shop")
        #expect(try await check("--expect-title", "^Sho", url).exitCode == 0)
        let outcome = try await check("--expect-title", "^sho", url)
        #expect(outcome.exitCode == 1)
        #expect(outcome.outputText.contains("^sho"))
        await site.stop()
    }

    @Test func `ends with 2 before 3 before 1 when several went wrong`() async throws {
        let site = try await LoopbackSite.start()
        let list = "\(site.url("/page?title=A"))\nnonsense\n"
        let title = try await check("--expect-title", "B", "--from", "-", input: list)
        #expect(title.exitCode == 3)
        let failed = try await check("--from", "-", site.url("/v9"), input: list)
        #expect(failed.exitCode == 2)
        await site.stop()
    }

    @Test func `loads nothing when an argument is no URL`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check(site.url("/v2"), "ftp://127.0.0.1/")
        #expect(outcome.exitCode == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorText.split(separator: "\n").count == 1)
        #expect(outcome.errorText.contains("ftp://127.0.0.1/"))
        #expect(await site.requests().isEmpty)
        await site.stop()
    }

    @Test func `gives a result for a bad line of a list and goes on`() async throws {
        let site = try await LoopbackSite.start()
        let list = "# a comment\r\n\n\(site.url("/page?title=A"))\r\nhttp://\n"
        let outcome = try await check("--json", "--from", "-", input: list)
        let results = try objects(outcome)
        #expect(results.count == 2)
        let bad = try #require(results.first { $0["outcome"] as? String == "failed" })
        #expect(bad["initialURL"] as? String == "http://")
        #expect((bad["error"] as? JSON)?["phase"] as? String == "request")
        #expect(outcome.exitCode == 3)
        await site.stop()
    }

    @Test func `loads nothing when the authorities to trust can't be read`() async throws {
        let site = try await LoopbackSite.start()
        let folder = try TemporaryFolder()
        let empty = try folder.write("no certificate\n", to: "ca.pem")
        for (file, words) in [
            ("/nonexistent/ca.pem", "No such file"), ("/tmp", "Is a directory"),
            (empty, "holds no certificate"), ("/dev/null", "holds no certificate"),
        ] {
            let outcome = try await check("--cacert", file, site.url("/v2"))
            #expect(outcome.exitCode == 3)
            #expect(outcome.errorText.hasPrefix("pagewatch check: --cacert: "))
            #expect(outcome.errorText.contains(words))
        }
        #expect(await site.requests().isEmpty)
        await site.stop()
    }

    @Test func `loads fewer pages at a time where few files may be open, and says so`() async throws
    {
        let site = try await LoopbackSite.start()
        func check(descriptors: Int) async throws -> Program.Outcome {
            let urls = (1...40).map { site.url("/page?title=\($0)") }
            return try await Program(
                "/bin/sh",
                [
                    "-c", "ulimit -S -n 70 && ulimit -H -n \(descriptors) && exec \"$@\"", "sh",
                    BuiltProducts.path("pagewatch"), "check", "--per-host", "64",
                ] + urls
            ).run()
        }
        let few = try await check(descriptors: 80)
        #expect(few.exitCode == 0)
        #expect(
            few.errorText == "pagewatch check: 4 pages load at a time, not 64: only 80 files may"
                + " be open (raise \"ulimit -n\")\n")
        // The soft limit is raised as far as that goes.
        let enough = try await check(descriptors: 400)
        #expect(enough.exitCode == 0)
        #expect(enough.errorText == "")
        await site.stop()
    }

    @Test func `takes no notice of blanks around a URL`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check("--json", " \t\(site.url("/page?title=A"))\n")
        #expect(outcome.exitCode == 0)
        #expect(
            try objects(outcome).first?["initialURL"] as? String == site.url("/page?title=A"))
        await site.stop()
    }

    @Test func `names the line of a list that is bad`() async throws {
        let site = try await LoopbackSite.start()
        let folder = try TemporaryFolder()
        let good = site.url("/page?title=A")
        let file = try folder.write("# a\n\(good) # fine\nhttp://\n", to: "urls")
        let json = try await check("--json", "--from", file)
        let bad = try #require(try objects(json).first { $0["outcome"] as? String == "failed" })
        let message = try #require((bad["error"] as? JSON)?["message"] as? String)
        #expect(message.hasPrefix("\(file):3: "))
        #expect(json.outputText.contains("\"initialURL\":\"\(good)\""))
        let events = try await check("--events", "--from", file)
        #expect(events.exitCode == 3)
        #expect(events.errorText.hasPrefix("pagewatch check: \(file):3: "))
        // Word and code agree.
        let plugin = try await check("--plugin", "--from", file)
        #expect(plugin.exitCode == 3)
        #expect(plugin.outputText.hasPrefix("UNKNOWN - 1 of 2 pages not fine: \(file):3: "))
        await site.stop()
    }

    @Test func `is not fine with a list without a URL`() async throws {
        let text = try await check("--from", "-", input: "# nothing\n")
        #expect(text.exitCode == 3)
        #expect(
            text.errorText
                == "pagewatch check: no URL in standard input (nothing is checked)\n")
        let plugin = try await check("--plugin", "--from", "-", input: "")
        #expect(plugin.exitCode == 3)
        #expect(plugin.outputText == "UNKNOWN - no pages\n")
        #expect(plugin.errorText == "")
    }

    @Test func `tells whether a title matches, and what it was`() async throws {
        let site = try await LoopbackSite.start()
        let folder = try TemporaryFolder()
        let url = site.url("/page?title=A")
        let file = try folder.write("# pagewatch titles 1\n\(url)\t\"B\"\n", to: "titles")
        let outcome = try await check("--json", "--changed", file, "--expect-title", "^A", url)
        #expect(outcome.exitCode == 1)
        #expect(
            outcome.outputText.hasSuffix(#"},"previousTitle":"B","titleMatches":true}"# + "\n"))
        await site.stop()
    }

    @Test func `counts a page once whose title takes a pattern too long`() async throws {
        let site = try await LoopbackSite.start(
            text: """
                serve /long
                head 200 text/html
                text <title>\(String(repeating: "a", count: 900))!</title>
                """)
        let outcome = try await check("--plugin", "--expect-title", "^(a+)+$", site.url("/long"))
        #expect(outcome.exitCode == 3)
        #expect(outcome.outputText.hasPrefix("UNKNOWN - 200 "))
        #expect(outcome.outputText.contains("takes too long"))
        #expect(outcome.errorText.contains("takes too long"))
        await site.stop()
    }

    @Test func `tells of a list that cannot be read`() async throws {
        let outcome = try await check("--from", "/nonexistent/list")
        #expect(outcome.exitCode == 3)
        #expect(outcome.errorText.contains("/nonexistent/list"))
        #expect(outcome.errorText.contains("No such file"))
    }

    @Test func `compares titles with those of the last run`() async throws {
        let folder = try TemporaryFolder()
        let site = try await LoopbackSite.start(
            text: """
                serve /changing
                times 1
                head 200 text/html; charset=utf-8
                text <title>One</title>
                serve /changing
                head 200 text/html; charset=utf-8
                text <title>Two</title>
                """)
        let file = folder.file("titles")
        let url = site.url("/changing")
        #expect(try await check("--changed", file, url).exitCode == 0)
        let second = try await check("--changed", file, url)
        #expect(second.exitCode == 1)
        #expect(second.outputText.contains("\"Two\""))
        #expect(second.outputText.contains("\"One\""))
        #expect(try await check("--changed", file, url).exitCode == 0)
        await site.stop()
    }

    @Test func `is silent about what is fine when asked to be`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check("-q", site.url("/v2"), site.url("/v9"))
        #expect(outcome.outputLines.count == 1)
        #expect(outcome.outputText.contains("/v9"))
        await site.stop()
    }

    @Test func `prints one line with figures for a monitoring system`() async throws {
        let site = try await LoopbackSite.start()
        let fine = try await check("--plugin", site.url("/page?title=a%7Cb"))
        #expect(fine.exitCode == 0)
        #expect(fine.outputText.hasPrefix("OK - "))
        #expect(fine.outputText.split(separator: "|").count == 2, "\(fine.outputText)")
        let failed = try await check("--plugin", site.url("/v9"))
        #expect(failed.exitCode == 2)
        #expect(failed.outputText.hasPrefix("CRITICAL - "))
        await site.stop()
    }

    @Test func `never lets a title forge a line or move the cursor`() async throws {
        let site = try await LoopbackSite.start(
            text: """
                serve /forged
                head 200 text/html; charset=utf-8
                text <title>a&#27;[2J&#10;200 forged &#x202E;b&#133;&#x2028;c</title>
                """)
        let text = try await check(site.url("/forged"))
        #expect(text.outputLines.count == 1)
        for scalar in text.outputText.unicodeScalars.dropLast() {
            #expect(scalar.value >= 0x20 && scalar.value != 0x202E && scalar.value != 0x2028)
            #expect(!(0x7F...0x9F).contains(scalar.value))
        }
        let json = try await check("--json", site.url("/forged"))
        #expect(json.outputLines.count == 1)
        #expect(!json.output.contains(0x1B))
        let title = try #require(try objects(json).first?["title"] as? String)
        #expect(title == "a\u{1B}[2J 200 forged \u{202E}b\u{2026}\u{2028}c")
        await site.stop()
    }

    @Test func `cuts a title where WebKit does, unless told not to`() async throws {
        let long = String(repeating: "x", count: 1500)
        let site = try await LoopbackSite.start(
            text: "serve /long\nhead 200 text/html\ntext <title>\(long)</title>\n")
        let url = site.url("/long")
        func title(_ arguments: String...) async throws -> String? {
            let program = Program.pagewatch(arguments: ["check", "--json", url] + arguments)
            return try objects(try await program.run()).first?["title"] as? String
        }
        #expect(try await title()?.count == 1000)
        #expect(try await title("--title-limit", "0") == long)
        #expect(try await title("--title-limit", "7")?.count == 7)
        await site.stop()
    }

    @Test func `follows a short refresh and tells a long one`() async throws {
        let site = try await LoopbackSite.start()
        let short = try #require(
            try objects(try await check("--json", site.url("/refresh/0"))).first)
        #expect(short["title"] as? String == "Refreshed")
        #expect((short["redirects"] as? [JSON])?.first?["status"] as? Int == 200)
        let long = try #require(
            try objects(try await check("--json", site.url("/refresh/5"))).first)
        #expect(long["title"] as? String == "Refreshing")
        let refresh = try #require(long["refresh"] as? JSON)
        #expect(refresh["delay"] as? Int == 5)
        #expect(refresh["url"] as? String == site.url("/refreshed"))
        let not = try #require(
            try objects(try await check("--json", "--no-refresh", site.url("/refresh/0"))).first)
        #expect(not["title"] as? String == "Refreshing")
        #expect((not["refresh"] as? JSON)?["delay"] as? Int == 0)
        await site.stop()
    }

    @Test func `says who asks`() async throws {
        let site = try await LoopbackSite.start()
        _ = try await check(site.url("/page?title=a"))
        _ = try await check("-A", "other/1", "-H", "X-Mine: yes", site.url("/page?title=b"))
        let requests = await site.requests()
        #expect(requests[0].header("User-Agent")?.hasPrefix("pagewatch/") == true)
        #expect(requests[1].header("User-Agent") == "other/1")
        #expect(requests[1].header("X-Mine") == "yes")
        await site.stop()
    }

    @Test func `asks this machine for no compression, and reads it all the same`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check("--json", site.url("/gzip"))
        #expect(await site.requests().first?.header("Accept-Encoding") == nil)
        #expect(try objects(outcome).first?["outcome"] as? String == "finished")
        let named = site.url("/gzip").replacingOccurrences(of: "127.0.0.1", with: "other.example")
        _ = try await check("--resolve", "other.example:\(site.port):127.0.0.1", named)
        #expect(
            await site.requests().last?.header("Accept-Encoding") == "gzip, deflate, br, zstd")
        await site.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The progress bar` {
    private func check(
        _ site: LoopbackSite, path: String = "/v1", streams: Set<CInt> = [0, 1, 2],
        terminal name: String = "xterm-256color", _ arguments: String...
    ) async throws -> Program.Outcome {
        var program = Program.pagewatch(arguments: ["check", site.url(path)] + arguments)
        program.terminal = .init(columns: 100, streams: streams)
        program.environment["TERM"] = name
        return try await program.run()
    }

    @Test func `fills on a terminal and is gone when the page is done`() async throws {
        let site = try await LoopbackSite.start()
        let outcome = try await check(site)
        let text = outcome.terminalText
        #expect(text.contains("━"))
        #expect(text.contains("%"))
        // What stands last is the result; everything drawn before it was erased.
        let last = try #require(text.range(of: "━", options: .backwards))
        #expect(
            text[last.upperBound...].contains("\u{1B}[J")
                || text[last.upperBound...].contains("\u{1B}[K"))
        #expect(text.contains("\"V1\""))
        // Hidden and shown the same number of times: the cursor is there at the end.
        #expect(
            text.components(separatedBy: "\u{1B}[?25l").count
                == text.components(separatedBy: "\u{1B}[?25h").count)
        await site.stop()
    }

    @Test func `is not drawn where it is not wanted`() async throws {
        let site = try await LoopbackSite.start()
        let dumb = try await check(site, path: "/v4", terminal: "dumb")
        #expect(!dumb.terminalText.contains("\u{1B}"))
        let off = try await check(site, path: "/v4", "--no-progress")
        #expect(!off.terminalText.contains("\u{1B}"))
        let piped = try await check(site, path: "/v4", streams: [0, 1])
        #expect(!piped.terminalText.contains("\u{1B}") && piped.errors.isEmpty)
        await site.stop()
    }
}
