import Glibc
import PageModel
import Reactor
import TestSupport

@testable import History

/// A time so many seconds after a day in 2026.
func at(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_780_000_000_000 + seconds * 1000)
}

/// A folder for one store, and what the store tells.
final class Store: Sendable {
    let folder: StateFolder
    private let temporary: TemporaryFolder
    private let told = Locked<[Receipt]>([])
    private let heard = Locked<[StoreTrouble]>([])
    private let committed: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation
    private let clock = Locked(at(0))

    init() throws {
        temporary = try TemporaryFolder()
        folder = StateFolder(temporary.file("state"))
        (committed, feed) = AsyncStream.makeStream(of: Void.self)
    }

    var receipts: [Receipt] { told.withLock { $0 } }
    var troubles: [StoreTrouble] { heard.withLock { $0 } }

    /// Whether all is written after nothing could be.
    var hasCleared: Bool {
        troubles.contains { if case .cleared = $0 { true } else { false } }
    }

    /// Sets the wall clock that retention goes by.
    func set(clock time: Timestamp) { clock.withLock { $0 = time } }

    func open(
        _ limits: StoreLimits = StoreLimits(), version: String = "1.2.3",
        schema: Schema = .current
    ) throws(StoreError) -> HistoryStore.Opening {
        let (told, heard, feed, clock) = (told, heard, feed, clock)
        let listener = HistoryStore.Listener { receipts in
            told.withLock { $0 += receipts }
            feed.yield()
        } trouble: { trouble in
            heard.withLock { $0.append(trouble) }
            feed.yield()
        }
        return try HistoryStore.open(
            StoreFile(folder: folder, version: version, schema: schema), limits: limits,
            listener: listener, now: { clock.withLock { $0 } })
    }

    /// Opens the store, submits batches, and closes it.
    func write(_ batches: Batch...) throws -> HistoryStore.Opening {
        let opening = try open()
        for batch in batches { opening.store.submit(batch) }
        guard opening.store.close(within: .seconds(10)) else { throw NotClosed() }
        return opening
    }

    struct NotClosed: Error {}

    func reader() throws(StoreError) -> HistoryReader { try HistoryReader(folder) }

    /// Waits until the store has told what is wanted.
    func wait(until isTold: (Store) -> Bool) async {
        if isTold(self) { return }
        for await _ in committed where isTold(self) { return }
    }

    /// Runs SQL on the file, as another process could.
    func run(_ sql: String) throws { try Database(folder.database, .write).run(sql, for: "test") }

    func number(_ sql: String) throws -> Int64? {
        try Database(folder.database, .write).number(sql)
    }

    /// The names of the files in the folder that begin with a prefix.
    func files(_ prefix: String) -> [String] {
        guard let list = opendir(folder.path) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        return names.sorted()
    }
}

/// A change of a target's title from one number to the next.
func change(
    _ number: Int64, of target: String = "blog", seq: Int64, load: Int64? = nil,
    time: Timestamp? = nil
) -> StoredEvent {
    let time = time ?? at(number)
    return StoredEvent(
        seq: seq, time: time, target: target, load: load ?? number,
        event: .titleChanged(
            TitleChange(
                from: "\(number - 1)", to: "\(number)", url: "https://example.com/",
                initialURL: "https://example.com/", lastSeen: time, firstShown: time,
                fromURL: nil)))
}

/// A load that ended a second after its beginning.
func observation(
    _ title: String?, load: Int64, ended: Int64, isTold: Bool = true
) -> Observation {
    Observation(
        load: load, started: at(ended - 1), ended: at(ended), outcome: .title(title),
        isTold: isTold)
}
