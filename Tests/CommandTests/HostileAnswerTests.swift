import LoopbackSite
import TestSupport
import Testing

/// One answer of the site, and what is to become of it.
private struct Expectation: Sendable, CustomTestStringConvertible {
    let target: String
    let error: String?
    let title: String?
    let exitCode: CInt

    init(_ target: String, _ error: String?, title: String? = nil) {
        self.target = target
        self.error = error
        self.title = title
        exitCode = error == nil ? 0 : 2
    }

    var testDescription: String { target }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A broken answer` {
    private static let expectations = [
        // The head.
        Expectation("/not-http", "firstByte: notHTTP"),
        Expectation("/closed", "firstByte: connectionClosed"),
        Expectation("/closed-in-head", "firstByte: connectionClosed"),
        Expectation("/reset", "firstByte: connectionReset"),
        Expectation("/header-1mb", "firstByte: tooLarge"),
        Expectation("/header-line-endless", "firstByte: tooLarge"),
        Expectation("/header-endless", "firstByte: tooLarge"),
        Expectation("/header-lines", nil, title: "Many headers"),
        // The body's end.
        Expectation("/cut-short", "body: bodyCutShort", title: "Half a page"),
        Expectation("/cut-short-before-title", "body: bodyCutShort"),
        Expectation("/chunked-unfinished", "body: bodyCutShort", title: "Unfinished chunks"),
        Expectation("/chunked-wrong", "body: bodyCutShort"),
        Expectation("/reset-after-commit", "body: connectionReset", title: "Reset"),
        Expectation("/body-odd/length-3gib", "body: bodyCutShort", title: "Promises"),
        // The coding.
        Expectation("/gzip", nil, title: "Gzip"),
        Expectation("/deflate", nil, title: "Deflate"),
        Expectation("/deflate-raw", nil, title: "Raw deflate"),
        Expectation("/brotli", nil, title: "Brotli"),
        Expectation("/zstd", nil, title: "Zstandard"),
        Expectation("/gzip-twice-labelled", nil, title: "Twice"),
        Expectation("/gzip-double", nil),
        Expectation("/gzip-unlabelled", nil),
        Expectation("/gzip-empty", nil),
        Expectation("/gzip-junk-behind", nil, title: "Whole"),
        Expectation("/gzip-late-cut", nil, title: "Before the cut"),
        Expectation("/gzip-cut", "body: bodyCutShort"),
        Expectation("/gzip-wrong-label", "body: badContentEncoding"),
        // What is no page.
        Expectation("/no-content", "content: noContent"),
        Expectation("/reset-content", "content: noContent"),
        Expectation("/not-modified", "content: notModified"),
        Expectation("/download", "content: download"),
        Expectation("/body-odd/empty", nil),
        Expectation("/body-odd/early-hints", nil, title: "After the hints"),
    ]

    @Test(arguments: expectations)
    private func `has one outcome, and keeps the title that is known`(
        _ expected: Expectation
    ) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(site.url(expected.target))
        let result = try #require(run.result)
        #expect(result.error == expected.error)
        #expect(result.title == expected.title)
        #expect(result.outcome == (expected.error == nil ? "finished" : "failed"))
        #expect(run.exitCode == expected.exitCode)
        #expect(run.outcome.errorText == "")
        #expect(result.seconds("total") < 5)
    }

    @Test func `delays none of the others in its run`() async throws {
        let site = try await SharedSite.get()
        let urls = Self.expectations.map { site.url($0.target) }
        let run = try await CheckRun.of(urls + ["--per-host", "4"])
        for expected in Self.expectations {
            let result = try #require(run.result(of: site.url(expected.target)))
            #expect(result.error == expected.error, "\(expected.target)")
            #expect(result.title == expected.title, "\(expected.target)")
        }
        #expect(run.results.count == urls.count)
        #expect(run.exitCode == 2)
    }

    /// libcurl keeps the number of a system call's error from one use of a handle to the next: an
    /// answer that broke the rules was told as the reset of the page before it.
    @Test func `is told as what it is, not as the one before on the same handle`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.of(
            site.url("/reset"), site.url("/chunked-wrong"), site.url("/closed-in-head"),
            "--concurrency", "1")
        #expect(
            run.results.map(\.error) == [
                "firstByte: connectionReset", "body: bodyCutShort", "firstByte: connectionClosed",
            ])
    }

    @Test func `with a head over 256 KiB in many lines is too large, and just under it is fine`()
        async throws
    {
        // 21 bytes a line with its end.
        let site = try await LoopbackSite.playing(
            """
            serve /lines/fine
            head 200 text/html
            repeat 12000
              header X-Line: ten bytes..
            end
            text <title>Fine</title>
            serve /lines/over
            head 200 text/html
            repeat 13000
              header X-Line: ten bytes..
            end
            text <title>Over</title>
            serve /lines/wide
            head 200 text/html
            wide 102000 X-Wide: a
            text <title>Wide</title>
            """)
        let run = try await CheckRun.of(
            site.url("/lines/fine"), site.url("/lines/over"), site.url("/lines/wide"))
        #expect(run.result(of: site.url("/lines/fine"))?.title == "Fine")
        #expect(run.result(of: site.url("/lines/over"))?.error == "firstByte: tooLarge")
        #expect(run.result(of: site.url("/lines/wide"))?.title == "Wide")
        await site.stop()
    }

    @Test func `of an unknown coding is taken as it is`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /unknown-coding
            head 200 text/html
            header Content-Encoding: aes128gcm
            text <title>As it is</title>
            serve /many-codings
            head 200 text/html
            header Content-Encoding: gzip, gzip, gzip, gzip, gzip
            text <title>No</title>
            """)
        let unknown = try await CheckRun.of(site.url("/unknown-coding"))
        #expect(unknown.result?.title == "As it is")
        let many = try await CheckRun.of(site.url("/many-codings"))
        #expect(many.result?.error == "body: badContentEncoding")
        await site.stop()
    }

    /// B37: a length of 3 GiB, then the end of the connection.
    @Test func `never makes progress go back or past its end`() async throws {
        let site = try await SharedSite.get()
        let program = Program.pagewatch(
            "check", "--events", site.url("/body-odd/length-3gib"), site.url("/gzip"),
            site.url("/v6"))
        let outcome = try await program.run()
        var last: [String: Double] = [:]
        var ends: [String: Int] = [:]
        for line in outcome.outputLines {
            let event = try #require(JSONValue(line))
            let target = try #require(event["target"].string)
            if let progress = event["estimatedProgress"].number {
                #expect(progress >= last[target] ?? 0.1 && progress <= 1, "\(line)")
                last[target] = progress
            }
            if event["isLoading"] == .boolean(false) { ends[target, default: 0] += 1 }
        }
        // B42, B43: the flag falls once, whatever happened.
        #expect(last.count == 3)
        #expect(last.values.allSatisfy { $0 == 1 })
        #expect(ends.values.allSatisfy { $0 == 1 } && ends.count == 3)
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `An odd answer` {
    @Test func `that changes the protocol is no HTTP, and at once`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /switch
            text HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\n
            text Connection: Upgrade\\r\\n\\r\\n
            silence
            """)
        let run = try await CheckRun.of(site.url("/switch"), "--timeout", "20s")
        #expect(run.result?.error == "firstByte: notHTTP")
        await site.stop()
    }

    @Test func `of too many codings is refused only if somebody would read it`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /away
            head 302
            header Location: /there
            header Content-Encoding: gzip, gzip, gzip, gzip, gzip
            serve /there
            head 200 text/html
            text <title>There</title>
            serve /many
            head 200 text/html
            header Content-Encoding: gzip, gzip, gzip, gzip, gzip
            text <title>Many</title>
            """)
        let run = try await CheckRun.of(site.url("/away"), site.url("/many"))
        #expect(run.result(of: site.url("/away"))?.title == "There")
        #expect(run.result(of: site.url("/many"))?.error == "body: badContentEncoding")
        await site.stop()
    }

    @Test func `that forbids to guess its type is no page without one`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /guessed
            head 200
            text <!DOCTYPE html><title>Guessed</title>
            serve /told
            head 200
            header X-Content-Type-Options: NoSniff
            text <!DOCTYPE html><title>Guessed</title>
            """)
        let run = try await CheckRun.of(site.url("/guessed"), site.url("/told"))
        #expect(run.result(of: site.url("/guessed"))?.title == "Guessed")
        let told = try #require(run.result(of: site.url("/told")))
        #expect(told.outcome == "finished")
        #expect(told.title == nil)
        await site.stop()
    }
}
