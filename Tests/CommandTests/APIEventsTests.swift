import Glibc
import History
import LoopbackSite
import Reactor
import TestSupport
import Testing

private let pages = """
    serve /changing
    head 200 text/html
    text <title>Number {count}</title>
    serve /{page}
    head 200 text/html
    text <title>Steady</title>
    """

/// A page at the end of many redirects, each of which is two events.
private let many = """
    serve /hop/0/{page}
    head 200 text/html; charset=utf-8
    text <title>Many</title>
    serve /hop/{left}/{page}
    redirect 302 /hop/{left-1}/{page}
    """

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `Readers of the events` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    /// Watches a steady page and one that changes with every load.
    private func start(_ site: LoopbackSite) async throws -> RunningDaemon {
        try watched.configure(
            "confirm: 1", "a: {url: \"\(site.url("/a"))\"}",
            "changing: {url: \"\(site.url("/changing"))\"}")
        let daemon = try watched.start()
        try await watched.isServed()
        return daemon
    }

    /// The numbers of the durable events behind one, as the history has them.
    private func stored(after seq: Int) throws -> [Int] {
        try watched.reader().events(after: Int64(seq), limit: .max).map { Int($0.seq) }
    }

    @Test func `are followed by nobody once all have gone, even before their streams began`()
        async throws
    {
        try watched.configure("confirm: 1", "t: {url: \"http://127.0.0.1:9/\", interval: 1h}")
        let daemon = try watched.start()
        try await watched.isServed()
        for _ in 0..<300 {
            let client = try RawConnection(path: watched.socket)
            client.send("GET /v1/events?since=@0 HTTP/1.1\r\nHost: p\r\n\r\n")
            // It goes while the history is asked, about every second time.
            _ = try await client.receive(within: .microseconds(Int64.random(in: 1...1500)))
        }
        var followers = -1
        while followers != 0 {
            followers = try await watched.ask("GET /v1/status").json["followers"].integer ?? -1
        }
        try await daemon.end()
    }

    @Test func `get the same lines in order, twenty of them`() async throws {
        let site = try await LoopbackSite.playing(pages)
        let daemon = try await start(site)
        let followers = try (1...20).map { _ in try watched.follow() }
        for follower in followers { try await follower.begun() }
        let seen = await site.requests(for: "/changing").count
        try await site.waitForRequest("/changing", number: seen + 4)
        try await daemon.end()
        var all: [FollowedEvents] = []
        for follower in followers { all.append(try await follower.rest()) }
        let begin = try #require(all.compactMap(\.numbers.first).max())
        let first = all[0].lines.drop { JSONValue($0)?["seq"].integer ?? 0 < begin }
        #expect(first.count > 30)
        for events in all {
            #expect(events.lines.suffix(first.count) == first)
            let numbers = events.numbers
            #expect(numbers == Array((numbers.first ?? 0)...(numbers.last ?? 0)))
            #expect(events.missed == 0)
        }
        await site.stop()
    }

    @Test func `choose by target and by kind`() async throws {
        let site = try await LoopbackSite.playing(pages)
        let daemon = try await start(site)
        let titles = try watched.follow("?event=titleChanged,firstSeen")
        let steady = try watched.follow("?target=a&event=title&event=isLoading")
        let durable = try watched.follow("?event=durable&target=changing")
        for follower in [titles, steady, durable] { try await follower.begun() }
        let people = try RawConnection(path: watched.socket)
        people.send(
            "GET /v1/events?event=durable&utc=1&since=@0 HTTP/1.0\r\nHost: x\r\n"
                + "Accept: text/plain\r\n\r\n")
        try await titles.events(upTo: "\"to\":\"Number 4\"")
        try await daemon.end()
        let text = try await people.receive().text
        let changes = try await titles.rest().events
        #expect(
            Set(changes.compactMap { $0["event"].string }).isSubset(of: [
                "titleChanged", "firstSeen",
            ]))
        let ofA = try await steady.rest().events
        #expect(Set(ofA.compactMap { $0["target"].string }) == ["a"])
        #expect(Set(ofA.compactMap { $0["event"].string }) == ["title", "isLoading"])
        let last = try await durable.rest().events
        // What becomes of the service concerns its targets.
        #expect(last.last?["state"].string == "stopping")
        #expect(last.dropLast().allSatisfy { $0["target"] != .string("a") })
        #expect(text.hasSuffix("Z (service): stopping\n"))
        #expect(text.contains("Z changing: title changed: \"Number 3\" -> \"Number 4\"\n"))
        await site.stop()
    }

    // A ring full of events takes a daemon with a sanitizer too long.
    @Test(.disabled(if: Program.isSanitized, "takes too long with a sanitizer"))
    func `that were stopped are told exactly how many they missed`() async throws {
        let site = try await LoopbackSite.playing(many)
        try watched.configure(
            "confirm: 1", limits: "per_host: 100",
            targets: (1...100).map { "t\($0): {url: \"\(site.url("/hop/19/\($0)"))\"}" })
        let daemon = try watched.start(timeLimit: .seconds(240))
        try await watched.isServed()
        let stopped = try watched.follow()
        try await stopped.begun()
        try await stopped.events(until: { FollowedEvents($0).numbers.count > 1 })
        var next = 0
        // More than the ring and the socket hold.
        while next < 45_000 {
            next = try #require(try await watched.ask("GET /v1/status").json["nextEvent"].integer)
        }
        // That it has missed some is told before what follows.
        try await stopped.events(until: { bytes in
            String(decoding: bytes.suffix(2000), as: UTF8.self).split(separator: "\n")
                .compactMap { JSONValue($0) }.contains { event in
                    event["event"].string != "missed" && event["seq"].integer ?? 0 >= next + 5000
                }
        })
        // It reads on while the service ends.
        async let rest = stopped.rest()
        try await daemon.end()
        let events = try await rest
        let numbers = events.numbers
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(events.missed > 1000)
        let first = try #require(numbers.first)
        let last = try #require(numbers.last)
        #expect(numbers.count + events.missed == last - first + 1)
        // The end may come before the last of them are made.
        let durable = try stored(after: first).filter { $0 <= last }
        #expect(Set(durable).subtracting(numbers) == [])
        await site.stop()
    }

    @Test func `go on behind the last they saw, over a clean restart`() async throws {
        let site = try await LoopbackSite.playing(pages)
        var daemon = try await start(site)
        let follower = try watched.follow()
        let before = try await follower.events(upTo: "\"to\":\"Number 2\"")
        let last = try #require(before.numbers.last)
        try await daemon.wait(for: "changing: title changed: \"Number 2\"")
        try await daemon.end()
        daemon = try await start(site)
        let again = try watched.follow(lastEventID: last)
        try await again.events(upTo: "\"event\":\"isLoading\"")
        try await daemon.end()
        let events = try await again.rest()
        let numbers = events.numbers
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(events.missed > 0)
        #expect(numbers.count + events.missed == (numbers.last ?? 0) - last, "\(events.lines)")
        let durable = Set(try stored(after: last))
        #expect(numbers.filter { durable.contains($0) }.count == durable.count)
        await site.stop()
    }

    @Test func `go on behind the last they saw when the service was killed`() async throws {
        let site = try await LoopbackSite.playing(pages)
        var last = 0
        var all: [Int] = []
        for round in 1...4 {
            let daemon = try await start(site)
            let follower = try watched.follow(lastEventID: last)
            let seen = await site.requests(for: "/changing").count
            try await site.waitForRequest("/changing", number: seen + 2)
            if round == 4 {
                try await daemon.end()
            } else {
                await daemon.kill()
            }
            let events = try await follower.rest()
            #expect(events.numbers.allSatisfy { $0 > last })
            all += events.numbers
            last = events.numbers.last ?? last
        }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        let durable = try stored(after: 0)
        #expect(durable.count > 8)
        #expect(all.filter { Set(durable).contains($0) } == durable)
        await site.stop()
    }

    @Test func `begin at a time, or at a number, with what the history has`() async throws {
        let site = try await LoopbackSite.playing(pages)
        let daemon = try await start(site)
        try await daemon.wait(for: "changing: title changed: \"Number 2\"")
        for since in ["@0", "2020-01-01T00:00:00Z", "2020-01-01T02:00:00%2b02:00", "seq:0"] {
            let follower = try watched.follow("?event=durable&since=\(since)")
            let events = try await follower.events(upTo: "\"to\":\"Number 3\"")
            #expect(events.events.first?["state"].string == "started", "\(since)")
            #expect(events.missed == 0)
        }
        let future = try watched.follow("?since=seq:1000000000")
        let told = try await future.events(upTo: "\"missed\"")
        #expect(told.events.first?["event"].string == "missed")
        let late = try watched.follow("?since=2100-01-01T00:00:00Z")
        try await late.events(upTo: "\"isLoading\"")
        #expect(late.events.missed == 0)
        try await daemon.end()
        await site.stop()
    }

    @Test func `of Server-Sent Events get id and data, and comments when it is quiet`()
        async throws
    {
        let site = try await LoopbackSite.playing(pages)
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\", interval: 1h}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        let curl = try Program(
            "curl",
            [
                "-sSN", "-i", "--unix-socket", watched.socket, "-H", "Last-Event-ID: 0",
                "http://pagewatch/v1/events?event=firstSeen",
            ]
        ).start()
        var lines: [String] = []
        for await line in curl.lines {
            lines.append(line.text)
            if line.text == ":" { break }
        }
        #expect(lines.contains("Content-Type: text/event-stream\r"))
        let body = lines.drop { $0 != "\r" }.dropFirst()
        let id = try #require(body.first?.split(separator: " ").last.flatMap { Int($0) })
        let data = try #require(body.dropFirst().first)
        #expect(body.first == "id: \(id)")
        #expect(data.hasPrefix("data: {\"seq\":\(id),"))
        #expect(JSONValue(data.dropFirst(6))?["event"].string == "firstSeen")
        #expect(Array(body.dropFirst(2)) == ["", ":"])
        try await daemon.end()
        #expect(await curl.outcome().exitCode == 0)
        await site.stop()
    }

    @Test func `are told that the service stops, fifty of them, within two seconds`()
        async throws
    {
        let site = try await LoopbackSite.playing("serve /silent\nsilence\n" + pages)
        try watched.configure(
            "confirm: 1", "a: {url: \"\(site.url("/a"))\"}",
            "silent: {url: \"\(site.url("/silent"))\"}",
            "changing: {url: \"\(site.url("/changing"))\"}")
        let daemon = try watched.start()
        try await watched.isServed()
        let followers = try (1...50).map { _ in try watched.follow() }
        for follower in followers { try await follower.begun() }
        try await site.waitForRequest("/changing", number: 3)
        let began = MonotonicClock.now()
        try await daemon.end()
        #expect(MonotonicClock.now() - began < .seconds(2))
        for follower in followers {
            let events = try await follower.rest()
            #expect(events.isEnded)
            let last = try #require(events.events.last)
            #expect(last["event"].string == "service" && last["state"].string == "stopping")
        }
        await site.stop()
    }
}
