import CSQLite
import Glibc
import Reactor

/// Reads what can be read of a damaged database into a new one, and swaps the two.
///
/// Nothing is changed before the new one is complete: after a crash it is done once more.
struct Salvage {
    /// Reads that may fail a table: each costs some pages, and a file without a whole page must
    /// not hold up a start for long.
    private static let mostFailures = 5000

    let file: StoreFile
    let reason: String

    func run() throws -> DamageReport {
        let part = file.folder.database + ".salvage-part"
        for name in [part, part + "-journal"] { _ = unlink(name) }
        let raw = try call("create \(part)") {
            open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        }
        file.folder.adopt(raw)
        _ = close(raw)
        var report = DamageReport(
            reason: reason, setAside: "", salvagedTargets: 0, salvagedEvents: 0,
            salvagedTitles: 0, isComplete: true)
        try fill(part, &report)
        try call("rename to \(file.salvaged)") { rename(part, file.salvaged) }
        try file.syncFolder()
        report.setAside = try file.finishReplacement() ?? ""
        return report
    }

    /// Copies all rows that can be read, if need be of a copy whose first page is repaired.
    private func copyRows(to new: borrowing Database, at path: String) throws -> Rows {
        let damaged = file.folder.database
        if let old = try? Database(damaged, .salvage),
            let count = try? old.number(Self.countTables), count == Self.tables.count
        {
            return try copyTables(from: old, to: new)
        }
        let graft = damaged + ".salvage-graft"
        defer { for name in [graft, graft + "-wal", graft + "-shm"] { _ = unlink(name) } }
        try FirstPage.graft(of: damaged, from: path, to: graft)
        var rows = try copyTables(from: try Database(graft, .salvage), to: new)
        rows.isComplete = false
        return rows
    }

    private func fill(_ path: String, _ report: inout DamageReport) throws {
        let new = try Database(path, .create)
        new.tell(file.steps)
        // On the disk at once: the first page is read from there if need be.
        try file.create(in: new)
        try new.run("PRAGMA synchronous = FULL; BEGIN", for: "salvage")
        let rows = try copyRows(to: new, at: path)
        report.salvagedTargets = rows.counts["targets"] ?? 0
        report.salvagedEvents = rows.counts["events"] ?? 0
        report.salvagedTitles = rows.counts["titles"] ?? 0
        report.isComplete = rows.isComplete
        try new.run(
            """
            DELETE FROM events WHERE target NOT IN (SELECT id FROM targets);
            DELETE FROM titles WHERE target NOT IN (SELECT id FROM targets);
            DELETE FROM definitions WHERE target NOT IN (SELECT id FROM targets);
            DELETE FROM back_forward_lists WHERE target NOT IN (SELECT id FROM targets);
            """, for: "salvage")
        try skipNumbers(in: new)
        try new.run("COMMIT", for: "salvage")
    }

    /// Numbers go on above all that the damaged database can have known and that is lost.
    private func skipNumbers(in new: borrowing Database) throws(SQLiteError) {
        // Each damaged store that lies there may have gone on from a number that is lost now.
        let losses = Int64(file.folder.damagedDatabases) + 1
        let stored = try Numbers.read(Numbers.sequence, in: new)
        let newest = try new.number("SELECT max(seq) FROM events") ?? 0
        try Numbers.write(
            Numbers.sequence, max(stored, newest) + losses * Backup.sequenceJump, in: new)
        let epoch = try Numbers.read(Numbers.epoch, in: new)
        let newestEpoch = try new.number("SELECT max(epoch) FROM targets") ?? 0
        try Numbers.write(Numbers.epoch, max(epoch, newestEpoch) + losses, in: new)
    }

    // MARK: Tables

    /// Each with its key, which is the number of the row, too.
    private static let tables = [
        ("targets", "id"), ("definitions", "target"), ("back_forward_lists", "target"),
        ("events", "seq"), ("titles", "id"),
    ]

    private static let countTables =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ("
        + tables.map { "'\($0.0)'" }.joined(separator: ", ") + ")"

    private struct Rows {
        var counts: [String: Int] = [:]
        var isComplete = true
    }

    private func copyTables(
        from old: borrowing Database, to new: borrowing Database
    ) throws(SQLiteError) -> Rows {
        var rows = Rows()
        for name in ["numbers", "facts"] {
            do {
                rows.counts[name] = try copyWhole(name, from: old, to: new)
            } catch {
                guard error.isUnreadable else { throw error }
                rows.isComplete = false
            }
        }
        for (name, key) in Self.tables {
            var table = TableCopy(name: name, key: key, failuresLeft: Self.mostFailures)
            do {
                try table.run(from: old, to: new)
            } catch {
                guard error.isUnreadable else { throw error }
                table.isComplete = false
            }
            rows.counts[name] = table.count
            rows.isComplete = rows.isComplete && table.isComplete
        }
        return rows
    }

    /// Copies a small table of two columns.
    private func copyWhole(
        _ name: String, from old: borrowing Database, to new: borrowing Database
    ) throws(SQLiteError) -> Int {
        let select = try old.prepare("SELECT * FROM \(name)")
        let insert = try new.prepare("INSERT OR REPLACE INTO \(name) VALUES (?, ?)")
        var count = 0
        while try select.step() {
            insert.bindColumns(of: select)
            try insert.run()
            count += 1
        }
        return count
    }
}

/// Copies the rows of one table whose pages can be read, by their integer keys.
private struct TableCopy {
    let name: String
    let key: String
    var failuresLeft: Int
    var count = 0
    var isComplete = true

    mutating func run(
        from old: borrowing Database, to new: borrowing Database
    ) throws(SQLiteError) {
        let columns = try new.number("SELECT count(*) FROM pragma_table_info('\(name)')") ?? 0
        let places = [String](repeating: "?", count: Int(columns)).joined(separator: ", ")
        let insert = try new.prepare("INSERT OR IGNORE INTO \(name) VALUES (\(places))")
        // Through the table alone: an index may be what is damaged.
        let range = "FROM \(name) NOT INDEXED WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)"
        let forward = try old.prepare("SELECT * \(range)")
        let backward = try old.prepare("SELECT * \(range) DESC")
        // Keys begin at 1; far fewer than half of all numbers are ever used.
        var pending: [ClosedRange<Int64>] = [1...Int64.max / 2]
        while let range = pending.popLast() {
            guard let last = try copy(range, by: forward, ascending: true, into: insert) else {
                continue
            }
            // What comes behind a page that can't be read is reached from the other end.
            guard last < range.upperBound else { continue }
            let rest = last + 1...range.upperBound
            guard let first = try copy(rest, by: backward, ascending: false, into: insert),
                first > rest.lowerBound
            else { continue }
            isComplete = false
            failuresLeft -= 1
            let gap = rest.lowerBound...first - 1
            guard failuresLeft > 0, gap.lowerBound < gap.upperBound else { continue }
            let middle = gap.lowerBound + (gap.upperBound - gap.lowerBound) / 2
            pending.append(middle + 1...gap.upperBound)
            pending.append(gap.lowerBound...middle)
        }
    }

    /// Copies rows until the end, or until a page can't be read: then the key of the last row that
    /// could, or what stands before the first.
    private mutating func copy(
        _ range: ClosedRange<Int64>, by select: borrowing Statement, ascending: Bool,
        into insert: borrowing Statement
    ) throws(SQLiteError) -> Int64? {
        var last = ascending ? range.lowerBound - 1 : range.upperBound + 1
        select.bind(1, range.lowerBound)
        select.bind(2, range.upperBound)
        let keyColumn = select.column(named: key)
        while true {
            do {
                guard try select.step() else { break }
            } catch {
                guard error.isDamage || error.primary == SQLITE_IOERR else { throw error }
                isComplete = false
                return last
            }
            let row = select.number(keyColumn)
            // Keys out of order come from a page that is in the wrong place.
            guard range.contains(row), ascending ? row > last : row < last else {
                select.reset()
                isComplete = false
                return last
            }
            last = row
            insert.bindColumns(of: select)
            do {
                try insert.run()
                count += 1
            } catch {
                guard error.primary == SQLITE_CONSTRAINT else { throw error }
                // A row that no table of ours can hold: its bytes were changed.
                isComplete = false
            }
        }
        select.reset()
        return nil
    }
}

extension SQLiteError {
    /// Whether it may be because of what stands in the file: a table that is not in the damaged
    /// list of tables is a plain error to SQLite.
    fileprivate var isUnreadable: Bool { isDamage || primary == SQLITE_ERROR }
}
