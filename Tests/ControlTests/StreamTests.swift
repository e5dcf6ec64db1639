import Control
import Glibc
import Reactor
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `Streams of the HTTP server` {
    @Test func `bring each piece at once, and end when their source does`() async throws {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.get("/stream")
        await service.wait { $0.handled == 1 }
        for text in ["one\n", "two\n"] {
            await service.push(text)
            let received = try await client.receive(upTo: "\(text)\r\n")
            #expect(received.ending == .enough)
        }
        await service.push(nil)
        #expect(try await client.receive(upTo: "0\r\n\r\n").text == "0\r\n\r\n")
        #expect(await service.ended == 1)
        // The connection is as good as before.
        client.get("/echo")
        #expect(try await client.receive(upTo: "GET echo ? - \n").ending == .enough)
        await service.stop()
    }

    @Test func `send a piece larger than was asked for, whole`() async throws {
        let service = try await Service.start()
        let program = try Program(
            "curl", ["-sSN", "--unix-socket", service.path, "http://localhost/stream"]
        ).start()
        await service.wait { $0.handled == 1 }
        await service.push(String(repeating: "0123456789", count: 100_000))
        await service.push(nil)
        #expect(await program.outcome().output.count == 1_000_000)
        await service.stop()
    }

    @Test func `ask their source for no more than a slow reader takes`() async throws {
        let service = try await Service.start()
        let client = try RawConnection(path: service.path)
        client.get("/flood")
        // It stands still when the socket is full; curl's answer comes after some more turns.
        await service.wait { $0.flooded > 100_000 }
        var (last, now) = (0, 1)
        while last != now {
            _ = try await curl(service, "/echo")
            (last, now) = (now, await service.flooded)
        }
        #expect(last < 4 << 20)
        await service.resetTurns()
        _ = try await curl(service, "/echo")
        #expect(await service.turns < 50)
        await service.stop()
        withExtendedLifetime(client) {}
    }

    @Test func `and requests that wait are freed when their clients go`() async throws {
        let service = try await Service.start()
        _ = try await curl(service, "/echo")
        await service.wait { $0.connections == 0 }
        for round in 0..<100 {
            do {
                let clients = try (0..<8).map { _ in try RawConnection(path: service.path) }
                for (number, client) in clients.enumerated() {
                    client.get(["/later", "/stream", "/flood", "/echo"][number % 4])
                }
                let handled = (round + 1) * 8 + 1
                await service.wait { $0.handled == handled }
                withExtendedLifetime(clients) {}
            }
            await service.wait { $0.connections == 0 }
            #expect(await service.firstIsOpen == false)
            await service.forget()
        }
        #expect(await service.ended == 400)
        // For a moment, a program that another test starts has copies of this process's descriptors.
        while try openSockets(service.path) != 1 { await Task.yield() }
        await service.stop()
    }

    @Test func `leave the loop alone while nothing happens, among a thousand silent clients`()
        async throws
    {
        let service = try await Service.start()
        let stream = try RawConnection(path: service.path)
        stream.get("/stream")
        await service.wait { $0.handled == 1 }
        let silent = try (0..<1000).map { _ in try RawConnection(path: service.path) }
        await service.wait { $0.connections == 64 }
        // Each new one took the place of the longest silent one, never of one that has asked.
        let madeRoom = try await silent[0].receive()
        #expect(madeRoom.ending != .timedOut && madeRoom.text.isEmpty)
        // When the last one has its answer, all the others have come and gone.
        silent[999].get("/stream")
        await service.wait { $0.handled == 2 && $0.connections == 64 }
        await service.resetTurns()
        let began = MonotonicClock.now()
        // Long enough for a loop that does not rest to turn thousands of times.
        _ = try await stream.receive(within: .milliseconds(500))
        #expect(MonotonicClock.now() - began >= .milliseconds(500))
        #expect(await service.turns < 10)
        // And it is not late.
        await service.push("now\n")
        #expect(try await stream.receive(upTo: "now\n\r\n").ending == .enough)
        await service.stop()
        withExtendedLifetime(silent) {}
    }

    @Test func `keep their places when all are taken`() async throws {
        let service = try await Service.start()
        let streams = try (0..<64).map { _ in try RawConnection(path: service.path) }
        for stream in streams { stream.get("/stream") }
        await service.wait { $0.handled == 64 }
        let turnedAway = try await RawConnection(path: service.path).receive()
        #expect(turnedAway.text.hasPrefix("HTTP/1.1 503 "))
        #expect(turnedAway.text.contains(#"{"error":{"code":"tooManyConnections""#))
        await service.push("now\n")
        for stream in streams {
            #expect(try await stream.receive(upTo: "now\n\r\n").ending == .enough)
        }
        await service.stop()
    }
}

@Suite(.inTurns, .timeLimit(.minutes(15)))
struct `Clients that take their time` {
    private func impatient() async throws -> Service {
        var limits = HTTPServer.Limits()
        limits.patience = .milliseconds(100)
        return try await Service.start(limits: limits)
    }

    @Test(arguments: [
        "", "GET /echo HT", "GET /echo HTTP/1.1\r\nHost: x\r\nX",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
    ])
    func `are cut off before their request is whole`(start: String) async throws {
        let service = try await impatient()
        let client = try RawConnection(path: service.path)
        client.send(start)
        #expect(try await client.receive().ending == .closed)
        await service.wait { $0.connections == 0 }
        #expect(await service.handled == 0)
        await service.stop()
    }

    @Test func `are cut off when no further request comes`() async throws {
        let service = try await impatient()
        let client = try RawConnection(path: service.path)
        client.get("/echo")
        let received = try await client.receive()
        #expect(received.text.hasSuffix("GET echo ? - \n"))
        #expect(received.ending == .closed)
        await service.stop()
    }

    @Test func `are left alone while their stream runs or their answer is made`() async throws {
        let service = try await impatient()
        let (stream, later) = (
            try RawConnection(path: service.path), try RawConnection(path: service.path)
        )
        stream.get("/stream")
        later.get("/later")
        // A client that is cut off meanwhile shows that the time has passed, three times.
        for _ in 0..<3 {
            let idle = try RawConnection(path: service.path)
            #expect(try await idle.receive().ending == .closed)
        }
        await service.push("one\n")
        #expect(try await stream.receive(upTo: "one\n\r\n").ending == .enough)
        await service.release()
        #expect(try await later.receive(upTo: "later\n").ending == .enough)
        await service.stop()
    }
}

/// How many sockets of a service are open: the one that listens, and one a connection.
private func openSockets(_ path: String) throws -> Int {
    try TextFile.read("/proc/net/unix").split(separator: "\n").count { $0.hasSuffix(" \(path)") }
}
