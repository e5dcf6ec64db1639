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
                guard
                    let event = try? DurableEvent(
                        kind: statement.text(3), encoded: statement.blob(4))
                else { continue }
                events.append(
                    StoredEvent(
                        seq: statement.number(0),
                        time: Timestamp(milliseconds: statement.number(1)), target: target,
                        load: statement.optionalNumber(2), event: event))
            }
            return events.reversed()
        }
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
