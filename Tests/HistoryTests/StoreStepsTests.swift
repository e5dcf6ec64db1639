import Glibc
import PageModel
import Reactor
import TestSupport
import Testing

@testable import History

@Suite struct `A start that takes long` {
    private func open(_ store: Store, _ schema: Schema = .current) throws -> Int {
        let count = Locked(0)
        let file = StoreFile(
            folder: store.folder, version: "2", schema: schema,
            steps: StoreSteps {
                count.withLock { $0 += 1 }
                return true
            })
        let listener = HistoryStore.Listener(committed: { _ in }, trouble: { _ in })
        let opening = try HistoryStore.open(
            file, limits: StoreLimits(), listener: listener, now: { at(0) })
        // What the store does later is no start.
        let atStart = count.withLock { $0 }
        opening.store.submit(
            Batch([
                .event(
                    StoredEvent(
                        time: at(0), target: "a", load: 1,
                        event: .firstSeen(title: "A", url: "https://a.test/", previous: nil)))
            ]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(count.withLock { $0 } == atStart)
        return atStart
    }

    @Test func `tells of its steps while it migrates, and no more once it is done`() throws {
        let store = try Store()
        #expect(try open(store) < 5)
        // Ten million steps of SQLite's machine, a hundred thousand at a time.
        let slow = """
            CREATE TABLE work AS WITH RECURSIVE n (i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
            SELECT max(i) AS i FROM n;
            """
        #expect(try open(store, Schema(version: 2, steps: [1: slow])) > 20)
    }

    @Test func `tells of its steps while it copies what it will migrate`() throws {
        let store = try Store()
        _ = try open(store)
        try store.run(
            """
            CREATE TABLE ballast AS WITH RECURSIVE n (i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            SELECT i, randomblob(4000) AS b FROM n;
            """)
        #expect(try open(store, Schema(version: 2, steps: [1: "DROP TABLE ballast"])) >= 4)
    }
}

@Suite struct `A start that is to end` {
    private func open(_ store: Store, _ schema: Schema) throws {
        let file = StoreFile(
            folder: store.folder, version: "2", schema: schema, steps: StoreSteps { false })
        let listener = HistoryStore.Listener(committed: { _ in }, trouble: { _ in })
        _ = try HistoryStore.open(
            file, limits: StoreLimits(), listener: listener, now: { at(0) })
    }

    @Test(arguments: [0, 20_000])
    func `does so in the middle of a migration or of the copy before it, and changes nothing`(
        ballast: Int
    ) throws {
        let store = try Store()
        _ = try store.open()
        try store.run(
            """
            CREATE TABLE ballast AS WITH RECURSIVE n (i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ballast))
            SELECT i, randomblob(4000) AS b FROM n;
            """)
        let slow = """
            DROP TABLE ballast;
            CREATE TABLE work AS WITH RECURSIVE n (i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
            SELECT max(i) AS i FROM n;
            """
        #expect(throws: StoreError.ended(path: store.folder.database)) {
            try open(store, Schema(version: 2, steps: [1: slow]))
        }
        #expect(try store.number("PRAGMA user_version") == 1)
        #expect(try store.number("SELECT count(*) FROM ballast") == Int64(max(1, ballast)))
        #expect(!store.files("").contains { $0.contains(".part") })
        // The folder is free.
        _ = try store.open()
    }

    @Test
    func `is what passes, like a full disk; a later version's store and a barred folder do not`() {
        let path = "/state/history.db"
        #expect(StoreError.ended(path: path).isPassing)
        #expect(StoreError.held(path: path, by: 1).isPassing)
        for code in [ENOSPC, EIO, EMFILE, ENFILE, ENOMEM, EDQUOT, EAGAIN] {
            #expect(StoreError.system(code, path).isPassing)
        }
        for code in [EACCES, EROFS, ENOTDIR, ENOENT] {
            #expect(!StoreError.system(code, path).isPassing)
        }
        #expect(
            !StoreError.newer(path: path, version: 2, reads: 1, writtenBy: nil, copy: nil).isPassing
        )
    }
}

@Suite struct `The newest event of a kind` {
    @Test func `is found whosever it is`() throws {
        let store = try Store()
        let url = "https://a.test/"
        let change = TitleChange(
            from: "A", to: "B", url: url, initialURL: url, lastSeen: at(1), firstShown: at(2),
            fromURL: nil)
        func event(_ second: Int64, _ target: String, _ event: DurableEvent) -> Batch {
            Batch([.event(StoredEvent(time: at(second), target: target, load: 1, event: event))])
        }
        _ = try store.write(
            event(1, "a", .firstSeen(title: "A", url: url, previous: nil)),
            event(2, "a", .titleChanged(change)), event(3, "b", .titleChanged(change)),
            event(4, "a", .firstSeen(title: "A", url: url, previous: nil)))
        let reader = try store.reader()
        let newest = try #require(try reader.lastEvent(.titleChanged))
        #expect(newest.target == "b")
        #expect(newest.time == at(3))
        #expect(try reader.lastEvent(.failing) == nil)
    }
}
