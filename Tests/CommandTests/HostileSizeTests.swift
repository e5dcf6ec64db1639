import LoopbackSite
import TestSupport
import Testing

/// What the program may hold at most, whatever comes: in a debug build it begins with 22 MiB.
private let mostMemory = 64 << 20

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `A huge answer` {
    @Test(
        arguments: [
            ("/header-endless", "firstByte: tooLarge", nil),
            ("/header-line-endless", "firstByte: tooLarge", nil),
            ("/body-endless", "body: tooLarge", "Endless"),
            // 64 MiB of it are within the limit, but its end tag is not.
            ("/title-100mb", "body: tooLarge", nil),
        ] as [(String, String, String?)])
    func `ends at its bound, in little memory`(
        target: String, error: String, title: String?
    ) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.heavy(site.url(target))
        let result = try #require(run.result)
        #expect(result.error == error)
        #expect(result.title == title)
        #expect(run.exitCode == 2)
        #expect(run.outcome.peakResidentBytes < mostMemory)
        if error == "body: tooLarge" {
            let bytes = try #require(result.bytes)
            #expect(bytes > 64 << 20 && bytes < 65 << 20)
        }
    }

    @Test(arguments: ["/nuls", "/angles"])
    func `of one byte over and over ends at --max-bytes`(target: String) async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.heavy("--max-bytes", "8MiB", site.url(target))
        #expect(run.result?.error == "body: tooLarge")
        #expect(run.result?.title == nil)
        #expect(run.exitCode == 2)
        #expect(run.outcome.peakResidentBytes < mostMemory)
    }

    @Test func `with a title of 100 MB is shown with its first 1000 units`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.heavy("--max-bytes", "200MB", site.url("/title-100mb"))
        #expect(run.result?.title == String(repeating: "x", count: 1000))
        #expect(run.exitCode == 0)
        #expect(run.outcome.peakResidentBytes < mostMemory)
    }

    @Test func `unpacked to no end is too large as soon as it is unpacked so far`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /title-bomb
            gather text <!DOCTYPE html><title>
            gather fill 10000000 b
            squeeze gzip
            head 200 text/html; charset=utf-8
            header Content-Encoding: gzip
            pour rest
            """)
        let run = try await CheckRun.heavy("--max-bytes", "4MiB", site.url("/title-bomb"))
        let result = try #require(run.result)
        #expect(result.error == "body: tooLarge")
        #expect(result.message?.contains("decoded") == true)
        #expect(run.exitCode == 2)
        #expect(run.outcome.peakResidentBytes < mostMemory)
        await site.stop()
    }

    @Test func `is unpacked no further than its title needs`() async throws {
        let site = try await SharedSite.get()
        let run = try await CheckRun.heavy("--max-bytes", "1MiB", site.url("/gzip-bomb"))
        #expect(run.result?.title == "Bomb")
        #expect(run.exitCode == 0)
        #expect(run.outcome.peakResidentBytes < mostMemory)
    }

    /// libcurl reads a socket up to a hundred times before it returns: 10 MB that all others wait
    /// for, and a deadline of 3 s was met after 6 (30 s after 47, with two such pages).
    @Test func `holds up neither the others nor its own deadline`() async throws {
        let site = try await SharedSite.get()
        let huge = [site.url("/nuls"), site.url("/angles")]
        let good = (1...12).map { site.url("/page?title=\($0)") }
        let run = try await CheckRun.of(huge + good + ["--timeout", "3s", "--per-host", "20"])
        for url in huge {
            let result = try #require(run.result(of: url))
            #expect(result.error == "body: timedOut")
            #expect(result.seconds("total") >= 3)
            #expect(result.seconds("total") < 4)
        }
        #expect(run.results.suffix(2).allSatisfy { $0.outcome == "failed" })
        #expect(run.results.prefix(12).allSatisfy { $0.outcome == "finished" })
        #expect(run.results.count == 14)
    }

    /// 100 KB of gzip in one read were 64 MiB to go through before anything else.
    @Test func `that comes in a few packed bytes holds up neither the others nor its deadline`()
        async throws
    {
        let site = try await LoopbackSite.playing(
            """
            serve /packed/{n}
            gather fill 40000000 <
            squeeze gzip
            head 200 text/html; charset=utf-8
            header Content-Encoding: gzip
            pour rest
            serve /page
            head 200 text/html
            text <title>Good</title>
            """)
        let packed = (1...2).map { site.url("/packed/\($0)") }
        let good = (1...12).map { site.url("/page?\($0)") }
        let run = try await CheckRun.of(packed + good + ["--timeout", "5s", "--per-host", "20"])
        #expect(run.results.prefix(12).allSatisfy { $0.title == "Good" })
        for url in packed {
            let result = try #require(run.result(of: url))
            #expect(result.error == "body: timedOut")
            #expect(result.seconds("total") >= 5 && result.seconds("total") < 8)
        }
        await site.stop()
    }

    /// Empty blocks of deflate: 60 MB of them are 200 bytes on the wire and make no output, so that
    /// there was nothing to stop at.
    @Test func `that unpacks to nothing holds up nobody`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /empty/{n}
            gather fill 60000000 \\x00\\x00\\x00\\xff\\xff
            squeeze gzip
            squeeze gzip
            head 200 text/html; charset=utf-8
            header Content-Encoding: deflate, gzip, gzip
            pour rest
            serve /page
            head 200 text/html
            text <title>Good</title>
            """)
        let empty = (1...20).map { site.url("/empty/\($0)") }
        let good = (1...6).map { site.url("/page?\($0)") }
        let run = try await CheckRun.of(empty + good + ["--timeout", "3s", "--per-host", "26"])
        #expect(run.results.prefix(6).allSatisfy { $0.title == "Good" })
        for url in empty {
            let result = try #require(run.result(of: url))
            #expect(result.outcome == "failed")
            #expect(result.seconds("total") < 4)
        }
        await site.stop()
    }

    /// Cheap bytes that are dear to read: each of the end tags is looked for in a thousand open
    /// elements. Twenty such pages made everybody late by 7 s.
    @Test func `that is dear to read holds up nobody`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /dear/{n}
            head 200 text/html; charset=utf-8
            fill 5500 <svg>
            fill 8000000 </q>
            serve /page
            head 200 text/html
            text <title>Good</title>
            """)
        let dear = (1...10).map { site.url("/dear/\($0)") }
        let good = (1...6).map { site.url("/page?\($0)") }
        let run = try await CheckRun.of(dear + good + ["--timeout", "8s", "--per-host", "20"])
        #expect(run.results.prefix(6).allSatisfy { $0.title == "Good" })
        for url in dear {
            let result = try #require(run.result(of: url))
            #expect(result.error == "body: timedOut")
            #expect(result.seconds("total") >= 8 && result.seconds("total") < 13)
        }
        await site.stop()
    }

    /// libcurl keeps every line of a head and of a trailer.
    @Test(
        arguments: [
            ("/hints", "firstByte: tooLarge", nil), ("/trailer", "body: tooLarge", "Tail"),
        ] as [(String, String, String?)])
    func `in lines without end ends at a few of them`(
        target: String, error: String, title: String?
    ) async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /hints
            repeat forever
              text HTTP/1.1 103 Early Hints\\r\\nX: y\\r\\n\\r\\n
            end
            serve /trailer
            text HTTP/1.1 200 OK\\r\\nContent-Type: text/html; charset=utf-8\\r\\n
            text Transfer-Encoding: chunked\\r\\n\\r\\n13\\r\\n<title>Tail</title>\\r\\n0\\r\\n
            repeat forever
              text X-Trailer: one of very many lines\\r\\n
            end
            """)
        let run = try await CheckRun.heavy(site.url(target))
        #expect(run.result?.error == error)
        #expect(run.result?.title == title)
        #expect(run.outcome.peakResidentBytes < mostMemory)
        #expect(run.exitCode == 2)
        await site.stop()
    }
}
