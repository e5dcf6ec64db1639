import PageModel

/// Turns batches into rows, on the store's thread; the owner of the connection that writes.
final class StoreWriter {
    /// How long a call waits for another process's lock: the thread has more to do meanwhile.
    private static let patience: Int32 = 250

    let database: Database
    /// The number of this start; see ``LoadNumbers``.
    private let epoch: Int64
    private(set) var loadFloor: Int64
    /// Rows by name, as far as they were needed; forgotten when a transaction is taken back.
    private var rows: [String: Int64] = [:]
    /// Rows added since the target was last trimmed; 0 stands for the service.
    private(set) var added: [Int64: Int] = [:]
    /// Whether a target was forgotten since this was last cleared.
    var hasForgotten = false

    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement
    private let insertTarget: Statement
    private let findTarget: Statement
    private let updateTarget: Statement
    private let insertEvent: Statement
    private let extendRun: Statement
    private let insertRun: Statement

    init(_ database: consuming Database) throws(SQLiteError) {
        let epoch = try Numbers.read(Numbers.epoch, in: database)
        let loadFloor = try Numbers.read(Numbers.loadFloor, in: database)
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        let rollback = try database.prepare("ROLLBACK")
        let insertTarget = try database.prepare(
            "INSERT INTO targets (name, last_load, epoch) VALUES (?, ?, ?)")
        let findTarget = try database.prepare("SELECT id FROM targets WHERE name = ?")
        let updateTarget = try database.prepare(
            """
            UPDATE targets SET last_load = max(last_load, ?2),
                epoch = CASE WHEN ?2 > last_load THEN ?3 ELSE epoch END,
                last_start = coalesce(?4, last_start),
                state_version = coalesce(?5, state_version), state = coalesce(?6, state),
                last_good = coalesce(?7, last_good), last_failed = coalesce(?8, last_failed)
            WHERE id = ?1
            """)
        let insertEvent = try database.prepare(
            "INSERT INTO events (seq, time, target, load, kind, data) VALUES (?, ?, ?, ?, ?, ?)")
        let extendRun = try database.prepare(
            """
            UPDATE titles SET last = ?3, count = count + 1, told = told | ?4
            WHERE id = (SELECT max(id) FROM titles WHERE target = ?1) AND title IS ?2
            """)
        let insertRun = try database.prepare(
            "INSERT INTO titles (target, title, first, last, count, told) VALUES (?, ?, ?, ?, 1, ?)"
        )
        database.wait(milliseconds: Self.patience)
        self.database = database
        self.epoch = epoch
        self.loadFloor = loadFloor
        self.begin = begin
        self.commit = commit
        self.rollback = rollback
        self.insertTarget = insertTarget
        self.findTarget = findTarget
        self.updateTarget = updateTarget
        self.insertEvent = insertEvent
        self.extendRun = extendRun
        self.insertRun = insertRun
    }

    // MARK: Transactions

    /// Runs `body` in a transaction, which is taken back if anything fails.
    func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        do {
            try begin.run()
            try body()
            try commit.run()
        } catch {
            rows.removeAll(keepingCapacity: true)
            // Some errors have ended the transaction already.
            if database.isInTransaction { try? rollback.run() }
            throw error
        }
    }

    /// Says that everything is on the disk and nothing was given out beyond it.
    func markClosed(sequence: Int64) throws(SQLiteError) {
        try transaction { () throws(SQLiteError) in
            try Numbers.write(Numbers.sequence, sequence, in: database)
            try Numbers.write(Numbers.epoch, epoch - 1, in: database)
            try Numbers.write(Numbers.isOpen, 0, in: database)
        }
    }

    /// What the rows take in the file, its log and free pages aside.
    func databaseBytes() throws(SQLiteError) -> Int64 {
        let pages = try database.number("PRAGMA page_count") ?? 0
        let free = try database.number("PRAGMA freelist_count") ?? 0
        let size = try database.number("PRAGMA page_size") ?? 0
        return (pages - free) * size
    }

    /// The target was trimmed.
    func resetAdded(of row: Int64) { added[row] = nil }

    // MARK: Items

    /// What a batch changes in one target's row, so that it is written once.
    private struct RowChange {
        var row: Int64 = 0
        var load: Int64 = 0
        var start: Int64?
        var state: VersionedBytes?
        var good: [UInt8]?
        var failed: [UInt8]?
    }

    /// Writes the rows of a batch, within a transaction.
    func apply(_ batch: Batch) throws(SQLiteError) {
        var change = RowChange()
        for item in batch.items {
            guard let target = item.target else {
                if case .event(let event) = item { try insert(event, row: nil) }
                continue
            }
            if case .forget(_, let lastLoad) = item {
                try write(change)
                change = RowChange()
                try forget(target, lastLoad: lastLoad)
                continue
            }
            let row = try row(of: target)
            if row != change.row {
                try write(change)
                change = RowChange(row: row)
            }
            try apply(item, to: &change)
        }
        try write(change)
    }

    private func apply(_ item: Batch.Item, to change: inout RowChange) throws(SQLiteError) {
        switch item {
        case .event(let event):
            change.load = max(change.load, event.load ?? 0)
            try insert(event, row: change.row)
        case .observation(_, let observation):
            change.load = max(change.load, observation.load)
            change.start = observation.started.milliseconds
            try observe(observation, row: change.row)
        case .loadNumber(_, let load): change.load = max(change.load, load)
        case .state(_, let state): change.state = state
        case .lastGood(_, let record): change.good = Encoded.record(record)
        case .lastFailed(_, let record): change.failed = Encoded.record(record)
        case .backForwardList(_, let list):
            let statement = try database.prepare(
                "INSERT INTO back_forward_lists VALUES (?, ?)"
                    + " ON CONFLICT DO UPDATE SET list = excluded.list")
            statement.bind(1, change.row)
            statement.bind(2, Encoded.list(list))
            try statement.run()
        case .definition(_, let definition):
            let statement = try database.prepare(
                "INSERT INTO definitions VALUES (?, ?, ?) ON CONFLICT DO UPDATE"
                    + " SET version = excluded.version, definition = excluded.definition")
            statement.bind(1, change.row)
            statement.bind(2, Int64(definition.version))
            statement.bind(3, definition.bytes)
            try statement.run()
        case .retire(_, let time):
            try set("retired = ?2", time.milliseconds, nil, row: change.row)
        case .unretire: try set("retired = ?2", nil, nil, row: change.row)
        case .pause(_, let pause):
            try set(
                "paused_since = ?2, paused_until = ?3", pause?.since.milliseconds,
                pause?.until?.milliseconds, row: change.row)
        case .forget: break
        }
    }

    private func insert(_ event: StoredEvent, row: Int64?) throws(SQLiteError) {
        insertEvent.bind(1, event.seq)
        insertEvent.bind(2, event.time.milliseconds)
        insertEvent.bind(3, row)
        insertEvent.bind(4, event.load)
        insertEvent.bind(5, event.event.name.rawValue)
        insertEvent.bind(6, event.event.encoded)
        try insertEvent.run()
        added[row ?? 0, default: 0] += 1
    }

    /// Adds to the last run of the target's titles, or begins one.
    private func observe(_ observation: Observation, row: Int64) throws(SQLiteError) {
        guard case .title(let title) = observation.outcome else { return }
        let told: Int64 = observation.isTold ? 1 : 0
        extendRun.bind(1, row)
        extendRun.bind(2, title)
        extendRun.bind(3, observation.ended.milliseconds)
        extendRun.bind(4, told)
        try extendRun.run()
        if database.changes > 0 { return }
        insertRun.bind(1, row)
        insertRun.bind(2, title)
        insertRun.bind(3, observation.ended.milliseconds)
        insertRun.bind(4, observation.ended.milliseconds)
        insertRun.bind(5, told)
        try insertRun.run()
        added[row, default: 0] += 1
    }

    private func write(_ change: RowChange) throws(SQLiteError) {
        guard change.row != 0 else { return }
        updateTarget.bind(1, change.row)
        updateTarget.bind(2, change.load)
        updateTarget.bind(3, epoch)
        updateTarget.bind(4, change.start)
        updateTarget.bind(5, change.state.map { Int64($0.version) })
        updateTarget.bind(6, change.state?.bytes)
        updateTarget.bind(7, change.good)
        updateTarget.bind(8, change.failed)
        try updateTarget.run()
    }

    private func set(
        _ columns: String, _ first: Int64?, _ second: Int64?, row: Int64
    ) throws(SQLiteError) {
        let statement = try database.prepare("UPDATE targets SET \(columns) WHERE id = ?1")
        statement.bind(1, row)
        statement.bind(2, first)
        if columns.contains("?3") { statement.bind(3, second) }
        try statement.run()
    }

    /// The target's row, made if it is new.
    private func row(of target: String) throws(SQLiteError) -> Int64 {
        if let row = rows[target] { return row }
        findTarget.bind(1, target)
        let isKnown = try findTarget.step()
        let known = isKnown ? findTarget.number(0) : 0
        findTarget.reset()
        if isKnown {
            rows[target] = known
            return known
        }
        insertTarget.bind(1, target)
        insertTarget.bind(2, loadFloor)
        insertTarget.bind(3, epoch)
        try insertTarget.run()
        return try row(of: target)
    }

    /// Removes the target with everything that refers to it. The pages' old content is overwritten
    /// because the connection has `secure_delete` on.
    private func forget(_ target: String, lastLoad: Int64) throws(SQLiteError) {
        rows[target] = nil
        hasForgotten = true
        let last = try database.prepare("SELECT last_load, epoch FROM targets WHERE name = ?")
        last.bind(1, target)
        // One that comes back under this name must not repeat its numbers.
        var floor = max(loadFloor, lastLoad)
        if try last.step() {
            let next = LoadNumbers.next(after: last.number(0), epoch: last.number(1), now: epoch)
            floor = max(floor, next - 1)
        }
        last.reset()
        if floor > loadFloor {
            loadFloor = floor
            try Numbers.write(Numbers.loadFloor, floor, in: database)
        }
        let delete = try database.prepare("DELETE FROM targets WHERE name = ?")
        delete.bind(1, target)
        try delete.run()
    }
}

extension Batch.Item {
    /// The target it is about; nil for the service.
    var target: String? {
        switch self {
        case .event(let event): event.target
        case .observation(let target, _), .loadNumber(let target, _), .state(let target, _),
            .backForwardList(let target, _), .lastGood(let target, _), .lastFailed(let target, _),
            .definition(let target, _), .retire(let target, _), .unretire(let target),
            .pause(let target, _), .forget(let target, _):
            target
        }
    }
}
