import PageModel
import Testing
import TestSupport

@testable import History

@Suite struct `History store` {
    @Test func `keeps every kind of event as it was, in the order of its numbers`() throws {
        let store = try Store()
        let opening = try store.open()
        var events: [StoredEvent] = []
        for (index, event) in everyEvent.enumerated() {
            let isService = event.name == .service
            // A wall clock that goes back changes no order.
            events.append(
                StoredEvent(
                    seq: (opening.store.nextSequenceNumbers() ?? -1), time: at(Int64(-index)),
                    target: isService ? nil : "blog", load: isService ? nil : 3, event: event))
        }
        for event in events { opening.store.submit(Batch([.event(event)])) }
        #expect(opening.store.close(within: .seconds(10)))
        let reader = try store.reader()
        #expect(try reader.events(of: "blog") == events.filter { $0.target != nil })
        #expect(try reader.events(of: nil) == events.filter { $0.target == nil })
        #expect(try reader.events(of: "other") == [])
    }

    @Test func `tells what may be announced once, in order, when it can be read by others`()
        async throws
    {
        let store = try Store()
        let opening = try store.open()
        var tickets: [Int64?] = []
        for number in Int64(1)...100 {
            let seq = (opening.store.nextSequenceNumbers() ?? -1)
            tickets.append(opening.store.submit(Batch([.event(change(number, seq: seq))])))
        }
        await store.wait { $0.receipts.count == 100 }
        #expect(store.receipts.map(\.ticket) == tickets)
        let told = store.receipts.flatMap(\.events)
        #expect(told.map(\.seq) == Array(1...100))
        #expect(try store.reader().events(of: "blog") == told)
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.receipts.count == 100)
        #expect(store.troubles == [])
    }

    @Test func `gives a target back as it was`() throws {
        let store = try Store()
        var list = BackForwardList()
        list.append(.init(url: "https://a/", initialURL: "https://b/", title: "A"))
        let record = LoadRecord(
            load: 4, started: at(3), ended: at(4), url: "https://a/", status: 200, title: "A",
            bytes: 99, error: nil)
        var failed = record
        failed.error = LoadError(phase: .connect, code: "refused", message: "")
        _ = try store.write(
            Batch([
                .definition(target: "blog", VersionedBytes(version: 3, bytes: [1, 2, 3])),
                .state(target: "blog", VersionedBytes(version: 2, bytes: [])),
                .backForwardList(target: "blog", list),
                .lastGood(target: "blog", record), .lastFailed(target: "blog", failed),
                .observation(target: "blog", observation("A", load: 4, ended: 4)),
                .pause(target: "blog", Pause(since: at(9), until: nil)),
                .retire(target: "blog", at(10)), .retire(target: "shop", at(11)),
            ]),
            Batch([.unretire(target: "shop"), .pause(target: "shop", nil)]))
        let targets = try store.open().targets
        var blog = StoredTarget(name: "blog", nextLoad: 5)
        blog.definition = VersionedBytes(version: 3, bytes: [1, 2, 3])
        blog.state = VersionedBytes(version: 2, bytes: [])
        blog.backForwardList = list
        blog.lastGood = record
        blog.lastFailed = failed
        blog.lastStart = at(3)
        blog.pause = Pause(since: at(9), until: nil)
        blog.retired = at(10)
        #expect(targets == [blog, StoredTarget(name: "shop", nextLoad: 1)])
        #expect(try store.reader().target("blog") == blog)
        #expect(try store.reader().target("none") == nil)
    }

    @Test func `keeps titles as runs, told or not, over failures between`() throws {
        let store = try Store()
        let failure = Observation(
            load: 3, started: at(2), ended: at(3), outcome: .failed, isTold: false)
        let loads = [
            observation("A", load: 1, ended: 1), observation("A", load: 2, ended: 2), failure,
            observation("A", load: 4, ended: 4),
            observation("B", load: 5, ended: 5, isTold: false),
            observation("A", load: 6, ended: 6), observation(nil, load: 7, ended: 7),
            observation("", load: 8, ended: 8),
            observation("é", load: 9, ended: 9, isTold: false),
            observation("é", load: 10, ended: 10),
            observation("e\u{301}", load: 11, ended: 11),
        ]
        _ = try store.write(Batch(loads.map { .observation(target: "blog", $0) }))
        let runs = try store.reader().titles(of: "blog")
        #expect(
            runs.map { "\($0.title ?? "none") \($0.count) \($0.isTold)" }
                == [
                    "A 3 true", "B 1 false", "A 1 true", "none 1 true", " 1 true", "é 2 true",
                    "e\u{301} 1 true",
                ])
        #expect(runs[0].first == at(1))
        #expect(runs[0].last == at(4))
        #expect(try store.reader().titles(of: "blog", limit: 2) == Array(runs.suffix(2)))
    }

    @Test func `gives the newest events, and those before one`() throws {
        let store = try Store()
        let events = (Int64(1)...50).map { change($0, seq: $0 * 10) }
        _ = try store.write(Batch(events.map { .event($0) }))
        let reader = try store.reader()
        #expect(try reader.events(of: "blog", limit: 3) == Array(events.suffix(3)))
        #expect(try reader.events(of: "blog", limit: 2, before: 480) == Array(events[45..<47]))
        #expect(try reader.events(of: "blog", limit: 0) == [])
    }

    @Test func `numbers events on where an orderly end left off`() throws {
        let store = try Store()
        let first = try store.open()
        #expect(first.wasClosedCleanly)
        for number in Int64(1)...5 { #expect((first.store.nextSequenceNumbers() ?? -1) == number) }
        #expect(first.store.close(within: .seconds(10)))
        let second = try store.open()
        #expect(second.wasClosedCleanly)
        #expect((second.store.nextSequenceNumbers() ?? -1) == 6)
    }

    @Test func `numbers events as they are written, and others only when those are told`()
        async throws
    {
        let store = try Store()
        let opening = try store.open()
        #expect(opening.store.nextSequenceNumbers(3) == 1)
        for number in Int64(1)...4 {
            opening.store.submit(Batch([.event(change(number, seq: 0))]))
        }
        await store.wait { $0.receipts.flatMap(\.events).count == 4 }
        let events = store.receipts.flatMap(\.events)
        #expect(events.map(\.seq) == [4, 5, 6, 7])
        #expect(opening.store.nextSequenceNumbers() == nil)
        opening.store.settle(through: 6)
        #expect(opening.store.nextSequenceNumbers() == nil)
        opening.store.settle(through: 7)
        #expect(opening.store.nextSequenceNumbers() == 8)
        #expect(opening.store.nextSequenceNumber == 9)
        #expect(opening.store.close(within: .seconds(10)))
        #expect(try store.reader().events(of: "blog") == events)
    }

    @Test func `numbers the loads of a forgotten target on when it comes back`() throws {
        let store = try Store()
        _ = try store.write(
            Batch([.loadNumber(target: "blog", 41)]), Batch([.forget(target: "blog")]))
        #expect(try store.reader().target("blog") == nil)
        let opening = try store.write(
            Batch([.definition(target: "blog", VersionedBytes(version: 1, bytes: []))]))
        #expect(opening.targets == [])
        #expect(opening.store.firstLoad == 42)
        #expect(try store.reader().target("blog")?.nextLoad == 42)
    }

    @Test func `numbers them on at once, before the forgetting is on the disk`() async throws {
        let store = try Store()
        _ = try store.write(Batch([.loadNumber(target: "blog", 41)]))
        let opening = try store.open()
        let lock = try Database(store.folder.database, .write)
        try lock.run("BEGIN IMMEDIATE", for: "test")
        // Of a load that is not on the disk, and never will be.
        opening.store.submit(Batch([.forget(target: "blog", lastLoad: 43)]))
        #expect(opening.store.firstLoad == 44)
        try lock.run("ROLLBACK", for: "test")
        opening.store.submit(
            Batch([.definition(target: "blog", VersionedBytes(version: 1, bytes: []))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(opening.store.firstLoad == 44)
        #expect(try store.reader().target("blog")?.nextLoad == 44)
        #expect(try store.open().store.firstLoad == 44)
    }

    @Test func `leaves nothing of a forgotten target in its files`() throws {
        let store = try Store()
        let secret = "Extraordinarily Secret Title"
        let opening = try store.open()
        opening.store.submit(
            Batch([
                .event(
                    StoredEvent(
                        seq: 1, time: at(0), target: "blog", load: 1,
                        event: .firstSeen(title: secret, url: "https://a/", previous: nil))),
                .observation(target: "blog", observation(secret, load: 1, ended: 1)),
                .event(change(1, of: "shop", seq: 2)),
            ]))
        opening.store.submit(Batch([.forget(target: "blog")]))
        #expect(opening.store.close(within: .seconds(10)))
        let reader = try store.reader()
        #expect(try reader.events(of: "blog") == [])
        #expect(try reader.titles(of: "blog") == [])
        #expect(try reader.events(of: "shop").count == 1)
        for name in store.files("history.db") {
            let bytes = try TextFile.bytes(store.folder.path + "/" + name)
            #expect(!bytes.contains(Array(secret.utf8)), "\(name)")
        }
    }

    @Test func `keeps two targets with one address apart, and one that is renamed back`() throws {
        let store = try Store()
        let one = change(1, of: "one", seq: 1)
        let two = change(2, of: "two", seq: 2)
        _ = try store.write(Batch([.event(one), .event(two), .retire(target: "one", at(3))]))
        _ = try store.write(Batch([.unretire(target: "one")]))
        #expect(try store.reader().events(of: "one") == [one])
        #expect(try store.reader().events(of: "two") == [two])
    }

    @Test func `refuses what is too much to wait in memory, and says how much`() async throws {
        let store = try Store()
        var limits = StoreLimits()
        limits.waitingItems = 10
        let opening = try store.open(limits)
        let lock = try Database(store.folder.database, .write)
        try lock.run("BEGIN IMMEDIATE", for: "test")
        // Batches without an event may fill half of the room, the others all of it.
        let tickets = (Int64(1)...8).map {
            opening.store.submit(Batch([.loadNumber(target: "blog", $0)]))
        }
        #expect(
            tickets.map { $0 != nil } == [Bool](repeating: true, count: 5) + [false, false, false])
        let more = (Int64(1)...8).map { opening.store.submit(Batch([.event(change($0, seq: $0))])) }
        #expect(
            more.map { $0 != nil } == [Bool](repeating: true, count: 5) + [false, false, false])
        await store.wait { !$0.troubles.isEmpty }
        try lock.run("ROLLBACK", for: "test")
        #expect(opening.store.close(within: .seconds(10)))
        let all = StoreTrouble.overflow(
            folder: store.folder.path, batches: 6, events: 3, isOver: true)
        #expect(store.troubles.contains(all))
        // Once at its beginning, too.
        #expect(store.troubles.count { if case .overflow = $0 { true } else { false } } == 2)
        #expect(store.receipts.flatMap(\.events).map(\.seq) == [1, 2, 3, 4, 5])
    }

    @Test func `takes no batch after its end`() throws {
        let store = try Store()
        let opening = try store.write()
        #expect(opening.store.submit(Batch([.event(change(1, seq: 1))])) == nil)
    }

    @Test func `makes its folder for owner and group`() throws {
        let store = try Store()
        _ = try store.write()
        #expect(try FileMode.of(store.folder.path) & 0o007 == 0)
        #expect(try FileMode.of(store.folder.database) & 0o137 == 0)
    }
}

extension Array where Element == UInt8 {
    /// Whether the bytes occur in a row.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return false }
        return indices.dropLast(part.count - 1).contains {
            self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part)
        }
    }
}
