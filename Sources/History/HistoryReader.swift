import Glibc
import PageModel

/// Reads a state folder, whether a service writes in it or not; changes nothing.
package final class HistoryReader {
    private let database: Database
    private let path: String

    /// - Throws: ``StoreError``: `missing` if there is no store in the folder.
    package init(_ folder: StateFolder) throws(StoreError) {
        path = folder.database
        guard folder.hasDatabase else { throw .missing(path: path) }
        do {
            database = try Self.open(path)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
    }

    private static func open(_ path: String) throws -> Database {
        do {
            return try open(path, .read)
        } catch let error as SQLiteError where error.isPassing {
            // A reader makes files beside the database, for which there may be no permission.
            // Without a log nobody has written since the last one closed it.
            var status = stat()
            guard stat(path + "-wal", &status) != 0 || status.st_size == 0 else {
                throw StoreError.unusable(
                    path: path,
                    reason: "\(error) (its log is read by those who may write in the folder)")
            }
            return try open(path, .readUnchanging)
        }
    }

    private static func open(_ path: String, _ mode: Database.Mode) throws -> Database {
        let database = try Database(path, mode)
        guard try StoreFile.identify(database, path: path, reads: .current) != nil else {
            throw StoreError.missing(path: path)
        }
        return database
    }

    // MARK: Reading

    /// A target; nil if nothing was ever stored of it.
    package func target(_ name: String) throws(StoreError) -> StoredTarget? {
        try reading { () throws(SQLiteError) in
            try TargetRows.read(database, epoch: try epoch(), name: name).first
        }
    }

    /// All targets, retired ones too, in the order in which they were added.
    package func targets() throws(StoreError) -> [StoredTarget] {
        try reading { () throws(SQLiteError) in
            try TargetRows.read(database, epoch: try epoch())
        }
    }

    /// A target's events, or with nil the service's own, oldest first. Events that this program
    /// can't read, of a later one or damaged, are left out.
    ///
    /// - Parameters:
    ///   - limit: The newest so many; nil for all.
    ///   - seq: Only those below it.
    package func events(
        of target: String?, limit: Int? = nil, before seq: Int64? = nil
    ) throws(StoreError) -> [StoredEvent] {
        try reading { () throws(SQLiteError) in
            var row: Int64?
            if let target {
                row = try self.row(of: target)
                guard row != nil else { return [] }
            }
            let statement = try database.prepare(
                """
                SELECT seq, time, load, kind, data FROM events
                WHERE target IS ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3
                """)
            statement.bind(1, row)
            statement.bind(2, seq ?? .max)
            statement.bind(3, limit.map(Int64.init) ?? -1)
            var events: [StoredEvent] = []
            while try statement.step() {
                guard let event = Self.event(in: statement, of: target) else { continue }
                events.append(event)
            }
            return events.reversed()
        }
    }

    /// The events of all targets and of the service, oldest first.
    ///
    /// - Parameters:
    ///   - seq: Only those above it.
    ///   - end: Only those below it.
    ///   - limit: The oldest so many of these.
    package func events(
        after seq: Int64, before end: Int64 = .max, limit: Int
    ) throws(StoreError) -> [StoredEvent] {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare(
                """
                SELECT seq, time, load, kind, data, name FROM events
                LEFT JOIN targets ON targets.id = events.target
                WHERE seq > ?1 AND seq < ?2 ORDER BY seq LIMIT ?3
                """)
            statement.bind(1, seq)
            statement.bind(2, end)
            statement.bind(3, Int64(limit))
            var events: [StoredEvent] = []
            while try statement.step() {
                guard let event = Self.event(in: statement, of: statement.optionalText(5)) else {
                    continue
                }
                events.append(event)
            }
            return events
        }
    }

    /// How many events there are with numbers above `seq` and below `end`, and the highest of these.
    package func countEvents(
        after seq: Int64, before end: Int64
    ) throws(StoreError) -> (count: Int64, last: Int64?) {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare(
                "SELECT count(*), max(seq) FROM events WHERE seq > ?1 AND seq < ?2")
            statement.bind(1, seq)
            statement.bind(2, end)
            guard try statement.step() else { return (0, nil) }
            return (statement.number(0), statement.optionalNumber(1))
        }
    }

    /// The facts of targets' last loads, by name.
    ///
    /// - Parameter name: Only of that target; nil for all.
    package func lastLoads(
        of name: String? = nil
    ) throws(StoreError) -> [String: (good: LoadRecord?, failed: LoadRecord?)] {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare(
                "SELECT name, last_good, last_failed FROM targets"
                    + (name == nil ? "" : " WHERE name = ?1"))
            if let name { statement.bind(1, name) }
            var loads: [String: (good: LoadRecord?, failed: LoadRecord?)] = [:]
            while try statement.step() {
                loads[statement.text(0)] = (
                    statement.isNull(1) ? nil : Encoded.record(from: statement.blob(1)),
                    statement.isNull(2) ? nil : Encoded.record(from: statement.blob(2))
                )
            }
            return loads
        }
    }

    /// How many events there are whose numbers follow each other up to the one below `end`; a
    /// thousand at most.
    package func countTail(before end: Int64) throws(StoreError) -> Int64 {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare(
                "SELECT seq FROM events WHERE seq < ?1 ORDER BY seq DESC LIMIT 1000")
            statement.bind(1, end)
            var count: Int64 = 0
            while try statement.step(), statement.number(0) == end - 1 - count { count += 1 }
            return count
        }
    }

    /// The number of the first event at a time or after it; nil if there is none.
    package func firstEvent(since time: Timestamp) throws(StoreError) -> Int64? {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare("SELECT min(seq) FROM events WHERE time >= ?1")
            statement.bind(1, time.milliseconds)
            return try statement.step() ? statement.optionalNumber(0) : nil
        }
    }

    /// When the last event of those kinds was, by the names of the targets.
    ///
    /// - Parameter name: Only of that target; nil for all.
    package func lastEvents(
        _ kinds: [DurableEvent.Name], of name: String? = nil
    ) throws(StoreError) -> [String: Timestamp] {
        try reading { () throws(SQLiteError) in
            let words = kinds.map { "'\($0.rawValue)'" }.joined(separator: ",")
            let statement = try database.prepare(
                "SELECT name, max(time) FROM events JOIN targets ON targets.id = events.target"
                    + " WHERE kind IN (\(words))" + (name == nil ? "" : " AND name = ?1")
                    + " GROUP BY targets.id")
            if let name { statement.bind(1, name) }
            var times: [String: Timestamp] = [:]
            while try statement.step() {
                times[statement.text(0)] = Timestamp(milliseconds: statement.number(1))
            }
            return times
        }
    }

    /// The newest event of a kind, whosever; nil if there is none.
    package func lastEvent(_ kind: DurableEvent.Name) throws(StoreError) -> StoredEvent? {
        try reading { () throws(SQLiteError) in
            let statement = try database.prepare(
                """
                SELECT seq, time, load, kind, data, name FROM events
                LEFT JOIN targets ON targets.id = events.target
                WHERE kind = ?1 ORDER BY seq DESC LIMIT 1
                """)
            statement.bind(1, kind.rawValue)
            guard try statement.step() else { return nil }
            return Self.event(in: statement, of: statement.optionalText(5))
        }
    }

    private static func event(in statement: borrowing Statement, of target: String?) -> StoredEvent?
    {
        guard
            let event = try? DurableEvent(kind: statement.text(3), encoded: statement.blob(4))
        else { return nil }
        return StoredEvent(
            seq: statement.number(0), time: Timestamp(milliseconds: statement.number(1)),
            target: target, load: statement.optionalNumber(2), event: event)
    }

    /// A target's runs of titles, oldest first; the newest `limit`.
    package func titles(of target: String, limit: Int? = nil) throws(StoreError) -> [TitleRun] {
        try reading { () throws(SQLiteError) in
            guard let row = try self.row(of: target) else { return [] }
            let statement = try database.prepare(
                """
                SELECT title, first, last, count, told FROM titles
                WHERE target = ?1 ORDER BY id DESC LIMIT ?2
                """)
            statement.bind(1, row)
            statement.bind(2, limit.map(Int64.init) ?? -1)
            var runs: [TitleRun] = []
            while try statement.step() {
                runs.append(
                    TitleRun(
                        title: statement.optionalText(0),
                        first: Timestamp(milliseconds: statement.number(1)),
                        last: Timestamp(milliseconds: statement.number(2)),
                        count: statement.number(3), isTold: statement.number(4) != 0))
            }
            return runs.reversed()
        }
    }

    // MARK: Within the module

    /// Copies all of it, as it is now.
    func copy(by backup: Backup, to path: String) throws {
        try backup.run(database, to: path, skipsNumbers: true)
    }

    private func row(of target: String) throws(SQLiteError) -> Int64? {
        let statement = try database.prepare("SELECT id FROM targets WHERE name = ?")
        statement.bind(1, target)
        return try statement.step() ? statement.number(0) : nil
    }

    private func epoch() throws(SQLiteError) -> Int64 {
        try Numbers.read(Numbers.epoch, in: database)
    }

    /// Tells an error with the file's name.
    private func reading<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
    }
}
