import Glibc
import PageModel
import Reactor
import Testing
import TestSupport

@testable import History

@Suite struct `Store in trouble` {
    // B66: a daemon and a one-shot at once.
    @Test func `waits for another process's lock, and announces nothing before or twice`()
        async throws
    {
        let store = try Store()
        let opening = try store.open()
        let other = try Database(store.folder.database, .write)
        try other.run("BEGIN IMMEDIATE", for: "test")
        let events = (Int64(1)...20).map { change($0, seq: $0) }
        for event in events { opening.store.submit(Batch([.event(event)])) }
        await store.wait { !$0.troubles.isEmpty }
        #expect(store.receipts == [])
        #expect(opening.store.statistics.waitingItems == 20)
        #expect(opening.store.statistics.waitingBecause != nil)
        try other.run("COMMIT", for: "test")
        await store.wait { $0.hasCleared }
        #expect(store.receipts.flatMap(\.events) == events)
        #expect(opening.store.statistics.waitingItems == 0)
        #expect(opening.store.statistics.waitingBecause == nil)
        #expect(opening.store.close(within: .seconds(10)))
        #expect(try store.reader().events(of: "blog") == events)
        try #require(store.troubles.count == 2)
        let path = store.folder.path
        let words = store.troubles.map { "\($0)" }
        #expect(
            words.first == "the history in \(path) can't be written: another program keeps the"
                + " database locked (let it end); loads go on, and what they show waits in memory")
        #expect(words[1].hasPrefix("the history in \(path) is written again, after "))
        #expect(words[1].hasSuffix(": 20 events had to wait"))
    }

    @Test func `says what is wrong, where, and the way out, in words for people`() {
        let events = (Int64(1)...4).map { change($0, seq: 0) }
        let report = DamageReport(
            reason: "database disk image is malformed", setAside: "/s/history.db.damaged-1",
            salvagedTargets: 3, salvagedEvents: 4, salvagedTitles: 5, isComplete: false)
        let causes: [StoreTrouble.Cause] = [
            .full, .locked, .forbidden, .failing("disk I/O error"), .notReplaced("no space"),
        ]
        let others: [StoreTrouble] = [
            .cleared(folder: "/s", after: .seconds(7300), events: 1),
            .overflow(folder: "/s", batches: 1, events: 0, isOver: false),
            .overflow(folder: "/s", batches: 7, events: 1, isOver: true),
            .lost(folder: "/s", events: events, reason: "UNIQUE constraint failed"),
            .repaired(report), .tooLarge(folder: "/s", bytes: 3 << 20, limit: 2 << 20),
            .removed(folder: "/s"),
        ]
        for trouble in causes.map({ StoreTrouble.waiting(folder: "/s", $0) }) + others {
            let text = "\(trouble)"
            #expect(text.contains("/s"))
            #expect(!text.contains("History.") && !text.contains("[") && !text.contains(": 0"))
            if case .cleared = trouble { continue }
            #expect(text.contains("("), "the way out: \(text)")
        }
        #expect("\(others[0])".hasSuffix("after 2 h: 1 event had to wait"))
        #expect("\(others[3])".contains("4 events (titleChanged of blog, titleChanged of blog,"))
        #expect("\(others[5])".contains("takes 3 MiB"))
    }

    @Test func `keeps no number while it waits, and leaves no hole`() async throws {
        let store = try Store()
        let opening = try store.open()
        let other = try Database(store.folder.database, .write)
        try other.run("BEGIN IMMEDIATE", for: "test")
        opening.store.submit(Batch([.event(change(1, seq: 0)), .event(change(2, seq: 0))]))
        await store.wait { !$0.troubles.isEmpty }
        #expect(opening.store.nextSequenceNumbers() == 1)
        try other.run("COMMIT", for: "test")
        await store.wait { $0.receipts.count == 1 }
        #expect(store.receipts.flatMap(\.events).map(\.seq) == [2, 3])
        #expect(opening.store.close(within: .seconds(10)))
    }

    @Test func `gives numbers back that nothing was written under`() async throws {
        let store = try Store()
        let opening = try store.open()
        // The second takes its number in the transaction of all, which the first makes fail.
        opening.store.submit(Batch([.event(change(1, seq: 7))]))
        opening.store.submit(Batch([.event(change(2, seq: 7))]))
        opening.store.submit(Batch([.event(change(3, seq: 0))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.receipts.flatMap(\.events).map(\.seq) == [7, 1])
    }

    @Test func `gives up at its end when the disk takes nothing, in the time given`() throws {
        let store = try Store()
        let opening = try store.open()
        let other = try Database(store.folder.database, .write)
        try other.run("BEGIN IMMEDIATE", for: "test")
        opening.store.submit(Batch([.event(change(1, seq: 1))]))
        let began = MonotonicClock.now()
        #expect(!opening.store.close(within: .milliseconds(800)))
        #expect(MonotonicClock.now() - began < .milliseconds(1500))
    }

    // B67: a full disk.
    @Test func `keeps what waits while no file can grow, and writes it in order after`()
        async throws
    {
        let folder = try TemporaryFolder()
        let outcome = try await Program(
            BuiltProducts.path("history-writer"), ["full", folder.file("state")]
        ).run()
        #expect(
            outcome.outputText == """
                while full 0
                closed true
                troubles ["waiting", "cleared"]
                in order true

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [1, 1000, 100_000])
    func `takes the definitions of 100,000 targets, in batches of any size`(size: Int) throws {
        let store = try Store()
        let opening = try store.open()
        let definition = VersionedBytes(version: 1, bytes: [UInt8](repeating: 7, count: 300))
        for first in stride(from: 0, to: 100_000, by: size) {
            let items = (first..<first + size).map {
                Batch.Item.definition(target: "t\($0)", definition)
            }
            #expect(opening.store.submit(Batch(items)) != nil)
        }
        #expect(opening.store.close(within: .seconds(60)))
        #expect(store.troubles == [])
        #expect(try store.number("SELECT count(*) FROM definitions") == 100_000)
        #expect(try store.number("SELECT id FROM targets WHERE name = 't54321'") == 54322)
    }

    @Test func `refuses nothing that is not said again, however long it is stuck`() async throws {
        let store = try Store()
        _ = try store.write(
            Batch([.loadNumber(target: "kept", 5)]), Batch([.loadNumber(target: "gone", 9)]))
        var limits = StoreLimits()
        limits.waitingItems = 10
        let opening = try store.open(limits)
        let lock = try Database(store.folder.database, .write)
        try lock.run("BEGIN IMMEDIATE", for: "test")
        for load in Int64(6)...20 {
            opening.store.submit(Batch([.event(change(load, of: "kept", seq: 0))]))
        }
        await store.wait { $0.troubles.count == 2 }
        let state = VersionedBytes(version: 1, bytes: [2])
        var list = BackForwardList()
        list.append(.init(url: "https://a/", initialURL: "https://a/", title: "A"))
        let pause = Pause(since: at(5), until: at(9))
        func definition(_ turn: Int) -> VersionedBytes {
            VersionedBytes(version: turn, bytes: [UInt8](repeating: 1, count: 100))
        }
        for turn in 1...50 {
            let batches = [
                Batch([.definition(target: "new", definition(turn))]),
                Batch([.retire(target: "kept", at(1))]), Batch([.unretire(target: "kept")]),
                Batch([.retire(target: "kept", at(Int64(turn)))]),
                Batch([.pause(target: "new", pause), .state(target: "new", state)]),
                Batch([.backForwardList(target: "new", list)]),
                Batch([
                    .forget(target: "gone"), .definition(target: "gone", definition(turn)),
                    .loadNumber(target: "gone", 9),
                ]),
            ]
            for batch in batches { #expect(opening.store.submit(batch) != nil) }
        }
        // The last of each kind and target.
        #expect(opening.store.statistics.waitingItems == 18)
        #expect(opening.store.submit(Batch([.loadNumber(target: "kept", 21)])) == nil)
        try lock.run("ROLLBACK", for: "test")
        await store.wait { $0.hasCleared }
        // Those that come later stay behind.
        opening.store.submit(Batch([.pause(target: "new", nil)]))
        #expect(opening.store.close(within: .seconds(10)))
        let targets = try store.reader().targets()
        let new = try #require(targets.first { $0.name == "new" })
        #expect(new.definition == definition(50))
        #expect(new.state == state)
        #expect(new.backForwardList == list)
        #expect(new.pause == nil)
        let gone = try #require(targets.first { $0.name == "gone" })
        #expect(gone.definition == definition(50))
        #expect(gone.nextLoad == 10)
        let kept = try #require(targets.first { $0.name == "kept" })
        #expect(kept.retired == at(50))
        #expect(try store.reader().events(of: "kept").count == 10)
    }

    @Test func `drops a batch that can never be stored, says so, and goes on`() async throws {
        let store = try Store()
        let opening = try store.open()
        opening.store.submit(Batch([.event(change(1, seq: 7))]))
        opening.store.submit(Batch([.event(change(2, seq: 7))]))
        opening.store.submit(Batch([.event(change(3, seq: 8))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.receipts.flatMap(\.events).map(\.seq) == [7, 8])
        guard case .lost(_, let events, _)? = store.troubles.first else {
            Issue.record("\(store.troubles)")
            return
        }
        #expect(events == [change(2, seq: 7)])
        #expect(try store.reader().events(of: "blog") == [change(1, seq: 7), change(3, seq: 8)])
    }

    @Test(arguments: [false, true])
    func `says once when its file is removed or replaced while it is in use`(
        isReplaced: Bool
    ) async throws {
        let store = try Store()
        let opening = try store.open()
        opening.store.submit(Batch([.event(change(1, seq: 0))]))
        await store.wait { $0.receipts.count == 1 }
        #expect(store.troubles == [])
        unlink(store.folder.database)
        if isReplaced { try TextFile.write("another", to: store.folder.database) }
        for number in Int64(2)...4 {
            opening.store.submit(Batch([.event(change(number, seq: 0))]))
            await store.wait { $0.receipts.count == number }
        }
        opening.store.close(within: .seconds(10))
        #expect(store.troubles == [.removed(folder: store.folder.path)])
    }

    @Test func `is held by one process, and says by which`() throws {
        let store = try Store()
        let opening = try store.open()
        #expect(throws: StoreError.held(path: store.folder.path, by: getpid())) {
            try store.open()
        }
        #expect(opening.store.close(within: .seconds(10)))
        _ = try store.open()
    }

    @Test func `refuses a folder that is a file, and one that is not there`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let listener = HistoryStore.Listener { _ in
        } trouble: { _ in
        }
        for path in [folder.file("file"), folder.file("none/state")] {
            #expect(throws: StoreError.self) {
                try HistoryStore.open(StateFolder(path), version: "1", listener: listener)
            }
        }
        #expect(throws: StoreError.missing(path: folder.file("none/history.db"))) {
            try HistoryReader(StateFolder(folder.file("none")))
        }
    }
}

@Suite struct `Store that is killed` {
    @Test func `has all that was announced, once, and goes on from there`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("state")
        var announced: Set<Int64> = []
        var highest: Int64 = 0
        for turn in 0..<25 {
            // Other points of its work each time: before, in and after a commit.
            let changes = 30 + turn * 397 % 1000
            let outcome = try await Program(
                BuiltProducts.path("history-writer"), ["crash", path, "\(changes)"]
            ).run()
            #expect(outcome.ending == .killed(bySignal: SIGKILL))
            for line in outcome.outputLines {
                let words = line.split(separator: " ")
                let numbers = words.dropFirst().compactMap { Int64($0) }
                switch words.first {
                case "begins":
                    // Numbers never repeat or go back.
                    #expect(try #require(numbers.first) > highest)
                case "told":
                    #expect(announced.isDisjoint(with: numbers))
                    announced.formUnion(numbers)
                default: Issue.record("\(line)")
                }
                highest = max(highest, numbers.max() ?? 0)
            }
            try check(path, announced)
        }
        #expect(announced.count > 1000)
    }

    private func check(_ path: String, _ announced: Set<Int64>) throws {
        let folder = StateFolder(path)
        guard folder.hasDatabase else { return }
        let database = try Database(folder.database, .write)
        guard try database.number("PRAGMA user_version") == 1 else { return }
        #expect(try database.text("PRAGMA integrity_check") == "ok")
        let reader = try HistoryReader(folder)
        var found: Set<Int64> = []
        for target in try reader.targets() {
            let events = try reader.events(of: target.name)
            found.formUnion(events.map(\.seq))
            let titles = events.compactMap { event -> Int? in
                guard case .titleChanged(let change) = event.event else { return nil }
                return change.to.flatMap { Int($0) }
            }
            // Each change went on from the one before it, over all ends.
            #expect(titles == Array(1...titles.count))
            let state = try #require(target.state)
            #expect(
                String(decoding: state.bytes.prefix { $0 != 0x20 }, as: UTF8.self)
                    == "\(titles.count)")
            #expect(target.nextLoad > (events.compactMap(\.load).max() ?? 0))
        }
        #expect(announced.subtracting(found) == [])
    }
}
