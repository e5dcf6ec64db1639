import Glibc
import PageModel
import Testing
import TestSupport

@testable import History

/// A later program's schema: a column more.
private let later = Schema(
    version: 2, steps: [1: "ALTER TABLE targets ADD COLUMN colour TEXT"])

@Suite struct `Store of another version` {
    @Test func `is migrated after a copy was kept, which the earlier program reads`() throws {
        let store = try Store()
        let event = change(1, seq: 1)
        _ = try store.write(Batch([.event(event)]))
        let opening = try store.open(version: "2.0.0", schema: later)
        let copy = store.folder.database + ".v1"
        #expect(opening.migratedFrom == copy)
        #expect(opening.targets.map(\.name) == ["blog"])
        #expect(try store.number("SELECT count(colour) FROM targets") == 0)
        opening.store.close(within: .seconds(10))

        // The earlier program says which one reads it, and where the copy is.
        let refusal = StoreError.newer(
            path: store.folder.database, version: 2, reads: 1, writtenBy: "2.0.0", copy: copy)
        #expect(throws: refusal) { try store.open() }
        #expect(throws: refusal) { try store.reader() }
        #expect(
            refusal.description == "\(store.folder.database) has format 2, made by pagewatch"
                + " 2.0.0; this one reads up to 1 (use pagewatch 2.0.0 or later, or put back"
                + " \(copy))")
        #expect(try store.open(version: "2.0.1", schema: later).migratedFrom == nil)

        for name in store.files("history.db") where name != "history.db.v1" {
            unlink(store.folder.path + "/" + name)
        }
        #expect(rename(copy, store.folder.database) == 0)
        #expect(try store.reader().events(of: "blog") == [event])
    }

    @Test func `stays as it is when a migration fails`() throws {
        let store = try Store()
        _ = try store.write(Batch([.event(change(1, seq: 1))]))
        let broken = Schema(
            version: 3, steps: [1: "ALTER TABLE targets ADD COLUMN colour TEXT", 2: "nonsense"])
        #expect(throws: StoreError.self) { try store.open(schema: broken) }
        #expect(try store.number("PRAGMA user_version") == 1)
        #expect(try store.open().targets.map(\.name) == ["blog"])
    }
}

@Suite struct `Backup of a store` {
    @Test func `is one file for its owner, made while the store is written, and can be put back`()
        throws
    {
        let store = try Store()
        let opening = try store.open()
        var events: [StoredEvent] = []
        for number in Int64(1)...50 {
            events.append(change(number, seq: (opening.store.nextSequenceNumbers() ?? -1)))
        }
        opening.store.submit(Batch(events.map { .event($0) }))
        opening.store.close(within: .seconds(10))
        let running = try store.open()
        let file = store.folder.path + "/copy.db"
        try Backup.make(of: store.folder, to: file)
        #expect(try FileMode.of(file) == 0o600)
        #expect(store.files("copy") == ["copy.db"])
        // What comes after is not in it.
        let seq = (running.store.nextSequenceNumbers() ?? -1)
        running.store.submit(Batch([.event(change(51, seq: seq))]))
        #expect(running.store.close(within: .seconds(10)))

        // As docs/STORE.md says.
        for name in store.files("history.db") { unlink(store.folder.path + "/" + name) }
        #expect(rename(file, store.folder.database) == 0)
        let restored = try store.open()
        #expect(try store.reader().events(of: "blog") == events)
        #expect((restored.store.nextSequenceNumbers() ?? -1) > seq)
        #expect(try #require(restored.targets.first).nextLoad > 51)
    }

    @Test func `never replaces a file, and leaves nothing when it fails`() throws {
        let store = try Store()
        _ = try store.write(Batch([.event(change(1, seq: 1))]))
        let file = try TextFile.written("mine", in: store.folder.path)
        #expect(throws: StoreError.self) { try Backup.make(of: store.folder, to: file) }
        #expect(try TextFile.read(file) == "mine")
        #expect(throws: StoreError.self) {
            try Backup.make(of: store.folder, to: store.folder.path + "/none/copy")
        }
        #expect(throws: StoreError.missing(path: "/nonexistent/history.db")) {
            try Backup.make(of: StateFolder("/nonexistent"), to: file + "2")
        }
        #expect(store.files("file") == ["file"])
    }
}

extension TextFile {
    fileprivate static func written(_ text: String, in folder: String) throws -> String {
        try write(text, to: folder + "/file")
        return folder + "/file"
    }
}
