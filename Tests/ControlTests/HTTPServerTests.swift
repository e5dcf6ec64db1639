import Control
import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `HTTP server` {
    @Test func `hands over method, path, query, headers and body as they were meant`() async throws
    {
        let service = try await Service.start()
        let outcome = try await curl(
            service, "/echo/a%20b%2Fc/?since=2026-01-01T00:00:00+02:00&x=%C3%A4&x=2&flag", "-d",
            "body", "-H", "X-Test: one", "-H", "x-test: two")
        #expect(
            outcome.outputText
                == "POST echo|a b/c| ?since=2026-01-01T00:00:00+02:00|x=ä|x=2|flag= one, two body\n"
        )
        await service.stop()
    }

    @Test(arguments: ["/a%00b", "/a%ff", "/a%4", "/a?b=%zz", "/%c0%80"])
    func `refuses a target that has no one meaning`(target: String) async throws {
        let service = try await Service.start()
        let outcome = try await curl(service, target, "-w", "%{http_code} %{content_type}")
        #expect(outcome.outputText.hasPrefix(#"{"error":{"code":"badTarget","message":""#))
        #expect(outcome.outputText.hasSuffix("}}\n400 application/json"))
        #expect(await service.handled == 0)
        await service.stop()
    }

    @Test func `answers HEAD as GET, without the body`() async throws {
        let service = try await Service.start()
        let outcome = try await curl(service, "/big?1000", "-I")
        #expect(outcome.outputText.contains("Content-Length: 1000\r\n"))
        #expect(outcome.exitCode == 0)
        let stream = try await curl(service, "/stream", "-I")
        #expect(stream.exitCode == 0)
        await service.wait { $0.ended == 1 }
        await service.stop()
    }

    @Test func `answers in a later turn, and leaves the loop alone until then`() async throws {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.get("/later")
        await service.wait { $0.waitingRequests == 1 }
        await service.release()
        let answer = try await client.receive(upTo: "later\n").text
        #expect(answer.hasPrefix("HTTP/1.1 202 "))
        #expect(answer.contains("X-Answer: late\r\n"))
        await service.stop()
    }

    @Test func `answers requests that were sent at once on one connection, in order`() async throws
    {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.send(
            "GET /later HTTP/1.1\r\nHost: x\r\n\r\nPOST /echo/2 HTTP/1.1\r\nHost: x\r\n"
                + "Content-Length: 3\r\n\r\nabcGET /echo/3 HTTP/1.1\r\nHost: x\r\n\r\n")
        await service.wait { $0.waitingRequests == 1 }
        #expect(await service.handled == 1)
        await service.release()
        let text = try await client.receive(upTo: "GET echo|3 ? - \n").text
        let places = ["later\n", "POST echo|2 ? - abc\n", "GET echo|3"].map {
            text.firstRange(of: $0)?.lowerBound
        }
        #expect(places.allSatisfy { $0 != nil })
        #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        await service.stop()
    }

    @Test func `says so when the handler forgets to answer`() async throws {
        let service = try await Service.start()
        let outcome = try await curl(service, "/forget", "-w", "%{http_code}")
        #expect(outcome.outputText.hasPrefix(#"{"error":{"code":"unanswered""#))
        #expect(outcome.outputText.hasSuffix("500"))
        await service.stop()
    }

    @Test func `answers a client that ends its sending first`() async throws {
        let service = try await Service.start()
        // libmicrohttpd looks at the one that was heard of least lately in another way than at all others.
        let older = try RawConnection(path: service.path)
        older.get("/echo")
        _ = try await older.receive(upTo: "echo ? - \n")
        for _ in 0..<4 {
            let client = try RawConnection(path: service.path)
            client.get("/later", "Connection: close")
            client.endSending()
            await service.wait { $0.waitingRequests == 1 }
            _ = try await curl(service, "/echo")
            await service.release()
            #expect(try await client.receive().text.hasSuffix("later\n"))
        }
        await service.stop()
    }

    @Test func `streams to HTTP/1.0 until it closes`() async throws {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.send("GET /stream HTTP/1.0\r\n\r\n")
        await service.wait { $0.handled == 1 }
        await service.push("one\n")
        await service.push(nil)
        let received = try await client.receive()
        #expect(received.text.hasSuffix("\r\n\r\none\n"))
        #expect(received.ending == .closed)
        await service.stop()
    }

    @Test(arguments: [
        "\r\n\r\n\r\n", "NONSENSE\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
        "GET /echo HTTP/9.9\r\n\r\n", "GET http://x/echo HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET /\(String(repeating: "x", count: 400_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 400_000))\r\n\r\n",
    ])
    func `goes on serving others, whatever it is sent`(nonsense: String) async throws {
        var limits = HTTPServer.Limits()
        limits.patience = .milliseconds(200)
        let service = try await Service.start(limits: limits)
        let client = try RawConnection(path: service.path)
        client.send(nonsense)
        #expect(try await client.receive().ending != .timedOut)
        #expect(try await curl(service, "/echo").outputText == "GET echo ? - \n")
        #expect(await service.handled == 1)
        await service.wait { $0.connections == 0 }
        await service.stop()
    }

    @Test func `sends a large answer whole`() async throws {
        let service = try await Service.start()
        let outcome = try await curl(service, "/big?5000000")
        #expect(outcome.output.count == 5_000_000)
        await service.stop()
    }

    // MARK: Bodies

    @Test(arguments: [
        (65_536, "", 200), (65_537, "", 413), (500_000, "", 413), (10_000_000, "", 413),
        (65_536, "Transfer-Encoding: chunked", 200), (65_537, "Transfer-Encoding: chunked", 413),
        (65_536, "Expect: 100-continue", 200), (65_537, "Expect: 100-continue", 413),
    ])
    func `takes a body up to its limit, and tells what is more`(
        size: Int, header: String, status: Int
    ) async throws {
        let service = try await Service.start()
        var program = Program(
            "curl",
            [
                "-sS", "--max-time", "20", "--unix-socket", service.path, "--data-binary", "@-",
                "-H",
                header, "-w", "%{http_code}", "-o", "/dev/null", "http://localhost/echo",
            ])
        program.input = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let outcome = try await program.run()
        #expect(outcome.outputText == "\(status)")
        #expect(await service.handled == (status == 200 ? 1 : 0))
        await service.stop()
    }

    @Test func `cuts off a body without an end`() async throws {
        let service = try await Service.start()
        let outcome = try await Program(
            "sh",
            [
                "-c",
                "yes | curl -sS --unix-socket \(service.path) -T - http://localhost/echo; echo $?",
            ]
        ).run()
        #expect(outcome.outputLines.last != "0")
        #expect(await service.handled == 0)
        await service.stop()
    }

    // MARK: The end

    @Test func `ends streams and refuses requests that wait when it is closed`() async throws {
        let service = try await Service.start()
        let (stream, later) = (
            try RawConnection(path: service.path), try RawConnection(path: service.path)
        )
        let idle = try RawConnection(path: service.path)
        stream.get("/stream")
        later.get("/later")
        await service.wait { $0.handled == 2 }
        await service.push("one\n")
        _ = try await stream.receive(upTo: "one\n\r\n")
        await service.close()
        // The end of a chunked body: it was not cut off.
        #expect(try await stream.receive().text == "0\r\n\r\n")
        let refused = try await later.receive()
        #expect(refused.text.contains(#"{"error":{"code":"stopped""#))
        #expect(refused.ending == .closed)
        #expect(try await idle.receive().ending == .closed)
        #expect(await service.connections == 0)
        #expect(await service.ended == 1)
        #expect(access(service.path, F_OK) != 0)
        // A late answer is of no use, and does no harm.
        await service.release()
        await service.push("two\n")
        await service.stop()
    }

    @Test func `can be closed by its handler`() async throws {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.get("/close")
        #expect(try await client.receive().ending == .closed)
        await service.wait { $0.connections == 0 }
        await service.stop()
    }
}
