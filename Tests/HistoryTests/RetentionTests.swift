import PageModel
import Testing
import TestSupport

@testable import History

private let day: Int64 = 86_400

@Suite struct `Rows that are kept` {
    /// A store whose targets have these many events, one a day up to day 0.
    private func store(_ counts: [String: Int64]) throws -> Store {
        let store = try Store()
        var seq: Int64 = 0
        var batch = Batch()
        for (target, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in 1...count {
                seq += 1
                let time = at((number - count) * day)
                batch.append(.event(change(number, of: target, seq: seq, time: time)))
                batch.append(
                    .observation(
                        target: target,
                        observation("\(number)", load: number, ended: (number - count) * day)))
            }
        }
        _ = try store.write(batch)
        return store
    }

    /// Runs a whole sweep as the store's thread does.
    private func sweep(
        _ store: Store, _ limits: StoreLimits, now: Timestamp = at(0)
    ) throws -> Int {
        let database = try Database(store.folder.database, .write)
        try StoreFile.configure(database)
        let writer = try StoreWriter(database)
        var retention = Retention(limits)
        try retention.beginSweep(now: now, in: writer.database)
        var dropped = 0
        while retention.isSweeping { dropped += try retention.step(writer) }
        return dropped
    }

    @Test func `keeps the newest rows of each target, and counts the others`() throws {
        let store = try store(["busy": 50, "calm": 10])
        var limits = StoreLimits()
        limits.rowsPerTarget = 30
        limits.newestRows = 5
        #expect(try sweep(store, limits) == 40)
        let reader = try store.reader()
        #expect(try reader.events(of: "busy").map(\.load) == Array(21...50))
        #expect(try reader.titles(of: "busy").map(\.title) == (21...50).map { "\($0)" })
        #expect(try reader.events(of: "calm").count == 10)
        #expect(try reader.target("busy")?.dropped == 40)
        #expect(try reader.target("calm")?.dropped == 0)
        #expect(try store.open().store.statistics.droppedRows == 40)
    }

    @Test func `drops what is too old, but never the newest`() throws {
        let store = try store(["busy": 100, "calm": 10])
        var limits = StoreLimits()
        limits.days = 30
        limits.newestRows = 5
        #expect(try sweep(store, limits) == 2 * 69)
        #expect(try store.reader().events(of: "busy").count == 31)
        // A year later, a day a sweep.
        for sweep in 1...40 { _ = try self.sweep(store, limits, now: at(Int64(sweep) * day)) }
        #expect(try store.reader().events(of: "busy").count == 5)
        #expect(try store.reader().titles(of: "calm").count == 5)
    }

    @Test func `does not believe a clock that jumps`() throws {
        let store = try store(["busy": 100])
        var limits = StoreLimits()
        limits.days = 200
        _ = try sweep(store, limits)
        #expect(try sweep(store, limits, now: at(70 * 365 * day)) == 0)
        #expect(try sweep(store, limits, now: at(-70 * 365 * day)) == 0)
        #expect(try store.reader().events(of: "busy").count == 100)
    }

    @Test func `trims a target that changes often while the store runs`() throws {
        let store = try Store()
        var limits = StoreLimits()
        limits.rowsPerTarget = 100
        let opening = try store.open(limits)
        for number in Int64(1)...1000 {
            opening.store.submit(Batch([.event(change(number, seq: number))]))
        }
        #expect(opening.store.close(within: .seconds(10)))
        let next = try store.open(limits)
        next.store.submit(Batch((1001...1100).map { .event(change($0, seq: $0)) }))
        next.store.submit(Batch([.event(change(0, of: "other", seq: 2000))]))
        #expect(next.store.close(within: .seconds(10)))
        _ = try sweep(store, limits)
        #expect(try store.reader().events(of: "blog").map(\.seq) == Array(1001...1100))
    }

    @Test func `makes room when the store is too large, and gives pages back`() throws {
        let store = try Store()
        let long = String(repeating: "x", count: 2000)
        var batch = Batch()
        for number in Int64(1)...1000 {
            batch.append(
                .event(
                    StoredEvent(
                        seq: number, time: at(number), target: "t\(number % 4)", load: number,
                        event: .firstSeen(title: long, url: "u", previous: nil))))
        }
        _ = try store.write(batch)
        var limits = StoreLimits()
        limits.bytes = 1 << 20
        let database = try Database(store.folder.database, .write)
        try StoreFile.configure(database)
        let writer = try StoreWriter(database)
        var retention = Retention(limits)
        let before = try writer.databaseBytes()
        #expect(before > limits.bytes * 2)
        while try writer.databaseBytes() > limits.bytes {
            #expect(
                try !retention.check(
                    bytes: try writer.databaseBytes(), now: at(0), in: writer.database))
            #expect(retention.isSweeping)
            while retention.isSweeping { _ = try retention.step(writer) }
        }
        let left = try store.number("SELECT count(*) FROM events") ?? 0
        #expect(left >= 80)
        #expect(try store.number("PRAGMA freelist_count") == 0)
        // The newest are never dropped: that is told, once.
        limits.bytes = 1000
        retention = Retention(limits)
        var told = 0
        for _ in 0..<20 {
            let isTold = try retention.check(
                bytes: try writer.databaseBytes(), now: at(0), in: writer.database)
            if isTold { told += 1 }
            while retention.isSweeping { _ = try retention.step(writer) }
        }
        #expect(told == 1)
        #expect(try store.number("SELECT count(*) FROM events") == 80)
    }
}
