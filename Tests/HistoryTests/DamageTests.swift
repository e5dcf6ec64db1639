import Glibc
import PageModel
import Reactor
import Testing
import TestSupport

@testable import History

/// A store of 200 targets with 10 events each, closed.
private func filled() throws -> Store {
    let store = try Store()
    let opening = try store.open()
    for target in 0..<200 {
        var batch = Batch()
        for number in Int64(1)...10 {
            batch.append(
                .event(
                    change(
                        number, of: "t\(target)", seq: (opening.store.nextSequenceNumbers() ?? -1)))
            )
            batch.append(
                .observation(
                    target: "t\(target)",
                    observation("\(number)", load: number, ended: number)))
        }
        batch.append(
            .definition(
                target: "t\(target)",
                VersionedBytes(version: 1, bytes: [UInt8](repeating: 9, count: 300))))
        opening.store.submit(batch)
    }
    guard opening.store.close(within: .seconds(10)) else { throw Store.NotClosed() }
    return store
}

/// Overwrites bytes of a file.
private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
    let file = FileDescriptor(owning: try call("open") { open(path, O_WRONLY) })
    try #require(pwrite(file.raw, bytes, bytes.count, off_t(offset)) == bytes.count)
}

private func size(_ path: String) throws -> Int {
    var status = stat()
    try call("look at \(path)") { stat(path, &status) }
    return Int(status.st_size)
}

/// Destroys pages that the next batch must read, under a store that is open.
private func destroyTargets(of store: Store) throws {
    // The list of targets' first page: the next batch must read it.
    let root = try #require(
        try store.number("SELECT rootpage FROM sqlite_schema WHERE name = 'targets'"))
    let index = try #require(
        try store.number(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_targets_1'"))
    let junk = [UInt8](repeating: 0xA5, count: 4096)
    for page in [root, index] {
        try overwrite(store.folder.database, at: Int(page - 1) * 4096, with: junk)
    }
    // Another writer's change makes the store drop the pages that it knows.
    try? store.run("INSERT INTO facts VALUES ('x', 'y')")
}

/// Copies a file that may be in use.
private func copy(_ path: String, to copy: String) throws {
    let source = FileDescriptor(owning: try call("open") { open(path, O_RDONLY) })
    let target = FileDescriptor(
        owning: try call("create") { open(copy, O_WRONLY | O_CREAT | O_EXCL, 0o640) })
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(source.raw, &bytes, bytes.count)
        try #require(count >= 0)
        if count == 0 { return }
        try #require(Glibc.write(target.raw, bytes, count) == count)
    }
}

@Suite struct `Damaged store` {
    // B69: a flipped page; B68: garbage at the end.
    @Test(arguments: 2...12)
    func `is set aside with a page destroyed, and the rest goes on`(page: Int) throws {
        let store = try filled()
        let junk = [UInt8](repeating: 0xA5, count: 4096)
        let pages = try size(store.folder.database) / 4096
        // Pages of every kind: spread over the whole file.
        let place = max(1, page * (pages - 1) / 12)
        try overwrite(store.folder.database, at: place * 4096, with: junk)
        let opening = try store.open()
        let damage = try #require(opening.damage)
        #expect(try size(damage.setAside) == pages * 4096)
        #expect(damage.message.contains(damage.setAside))
        #expect(damage.salvagedTargets >= 100)
        #expect(damage.salvagedEvents >= 1000)
        #expect(damage.salvagedTargets == opening.targets.count)
        #expect(try store.number("SELECT count(*) FROM events") == Int64(damage.salvagedEvents))
        // It works, and its numbers go on above all there were.
        let seq = (opening.store.nextSequenceNumbers() ?? -1)
        #expect(seq > 2000)
        opening.store.submit(Batch([.event(change(11, of: "t7", seq: seq))]))
        #expect(opening.store.close(within: .seconds(10)))
        let again = try store.open()
        #expect(again.damage == nil)
        #expect(again.wasClosedCleanly)
        #expect(try store.reader().events(of: "t7").last?.seq == seq)
    }

    @Test(arguments: [0.3, 0.6, 0.9])
    func `is set aside when it was cut, and what is left goes on`(share: Double) throws {
        let store = try filled()
        let whole = try size(store.folder.database)
        truncate(store.folder.database, off_t(Double(whole) * share))
        let opening = try store.open()
        let damage = try #require(opening.damage)
        #expect(damage.salvagedEvents > 0)
        #expect(!damage.isComplete)
        #expect(opening.store.close(within: .seconds(10)))
        #expect(try store.open().damage == nil)
    }

    @Test(arguments: [0, 20, 100])
    func `goes on with all rows when only its first page is destroyed`(offset: Int) throws {
        let store = try filled()
        let junk = [UInt8](repeating: 0xFF, count: 4096 - offset)
        try overwrite(store.folder.database, at: offset, with: junk)
        let damage = try #require(try store.open().damage)
        #expect(damage.salvagedTargets == 200)
        #expect(damage.salvagedEvents == 2000)
        #expect(damage.salvagedTitles == 2000)
        #expect(store.files("history.db.salvage") == [])
    }

    @Test(arguments: [600, 4095, 100_000])
    func `starts anew when nothing can be read, and keeps the file`(size: Int) throws {
        let store = try Store()
        try store.folder.create()
        let junk = String(repeating: "x", count: size)
        try TextFile.write(junk, to: store.folder.database)
        let opening = try store.open()
        let damage = try #require(opening.damage)
        #expect(try TextFile.read(damage.setAside) == junk)
        #expect(opening.targets == [])
        #expect(damage.message.hasPrefix("the store was damaged ("))
        let number = (opening.store.nextSequenceNumbers() ?? -1)
        #expect(number > 1 << 32)
        // Numbers go on though nothing is left of them, again and again.
        opening.store.close(within: .seconds(10))
        try TextFile.write(junk, to: store.folder.database)
        #expect(try store.open().store.nextSequenceNumber > number)
    }

    @Test func `is replaced while it is in use, and nothing that waits is lost`() async throws {
        let store = try filled()
        let opening = try store.open()
        try destroyTargets(of: store)
        let seq = (opening.store.nextSequenceNumbers() ?? -1)
        opening.store.submit(Batch([.event(change(1, of: "new", seq: seq))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.receipts.last?.events.map(\.seq) == [seq])
        guard case .repaired(let damage)? = store.troubles.first else {
            Issue.record("\(store.troubles)")
            return
        }
        #expect(damage.salvagedEvents > 0)
        #expect(try store.reader().events(of: "new").map(\.seq) == [seq])
    }

    @Test func `gives no number twice when a kill follows the replacing while it is in use`()
        throws
    {
        let store = try filled()
        let killed = try Store()
        try killed.folder.create()
        let told = Locked<[Int64]>([])
        let (from, to) = (store.folder.path, killed.folder.path)
        let listener = HistoryStore.Listener { receipts in
            // What a kill would leave behind at this moment.
            for name in ["/history.db", "/history.db-wal"] where told.withLock({ $0.isEmpty }) {
                do { try copy(from + name, to: to + name) } catch { Issue.record(error) }
            }
            told.withLock { $0 += receipts.flatMap(\.events).map(\.seq) }
        } trouble: { _ in
        }
        let opening = try HistoryStore.open(store.folder, version: "1", listener: listener)
        try destroyTargets(of: store)
        opening.store.submit(Batch([.event(change(1, of: "new", seq: 0))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.files("history.db.damaged-").count == 2)
        let last = try #require(told.withLock { $0.last })
        let next = try killed.open()
        #expect(!next.wasClosedCleanly)
        #expect(next.store.nextSequenceNumber > last + StoreQueue.sequenceBlock / 2)
        next.store.submit(Batch([.event(change(2, of: "new", seq: 0))]))
        #expect(next.store.close(within: .seconds(10)))
        #expect(killed.troubles == [])
        #expect(try killed.reader().events(of: "new").count == 2)
    }

    @Test func `goes on above the newest event, whatever the mark says`() throws {
        let store = try filled()
        try store.run("UPDATE numbers SET value = 1000 WHERE name = 'seq'")
        let opening = try store.open()
        #expect(opening.store.nextSequenceNumber == 2001)
        opening.store.submit(Batch([.event(change(11, of: "t7", seq: 0))]))
        #expect(opening.store.close(within: .seconds(10)))
        #expect(store.receipts.last?.events.map(\.seq) == [2001])
    }

    @Test func `is replaced in the end when a crash cuts the replacing short`() throws {
        let store = try filled()
        let file = StoreFile(folder: store.folder, version: "1", schema: .current)
        // As after a crash between making the new file and giving it its name; the log of the old
        // one must not be replayed into it.
        try Backup(mayReplace: true).run(
            try Database(store.folder.database, .read), to: file.salvaged)
        try TextFile.write("old log", to: store.folder.database + "-wal")
        let opening = try store.open()
        #expect(opening.targets.count == 200)
        #expect(store.files("history.db.damaged-").count == 2)
        #expect(store.files("history.db.salvaged") == [])
    }

    @Test func `that is another program's is refused and left as it is`() throws {
        let store = try Store()
        try store.folder.create()
        try TextFile.write("", to: store.folder.database)
        try store.run("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let before = try TextFile.bytes(store.folder.database)
        #expect(throws: StoreError.self) { try store.open() }
        #expect(try TextFile.bytes(store.folder.database) == before)
    }

    @Test func `tells no event whose bytes can't be read, and all others`() throws {
        let store = try filled()
        try store.run("UPDATE events SET data = x'FF' WHERE seq = 3")
        try store.run("UPDATE events SET kind = 'later' WHERE seq = 4")
        #expect(try store.reader().events(of: "t0").map(\.seq) == [1, 2, 5, 6, 7, 8, 9, 10])
    }
}
