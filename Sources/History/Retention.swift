import PageModel

/// Drops what is older than is kept, a few targets at a time.
///
/// A sweep goes over all targets. It has a clock of its own, which never runs more than a day a
/// sweep: a wall clock that is set to a wrong year does not empty the history.
struct Retention {
    /// Targets that one step looks at.
    static let targetsPerStep = 500
    private static let millisecondsPerDay: Int64 = 86_400_000
    /// Rows that a target may have above its limit before it is trimmed out of turn.
    private static let slack = 64
    /// Pages given back to the file system at a time.
    private static let pagesPerStep = 2000

    let limits: StoreLimits
    /// Rows that a target may have; lower than the limit's while the store is too large.
    private var rows: Int
    private var cutoff = Int64.min
    /// The row of the next target of the sweep; nil while there is none.
    private var next: Int64?
    private(set) var isTooLarge = false

    init(_ limits: StoreLimits) {
        self.limits = limits
        rows = limits.rowsPerTarget
    }

    var isSweeping: Bool { next != nil }

    /// Begins a sweep; a running one begins anew.
    mutating func beginSweep(
        now: Timestamp, in database: borrowing Database
    ) throws(SQLiteError) {
        let stored = try Numbers.read(Numbers.clock, in: database)
        let clock =
            stored == 0
            ? now.milliseconds : min(now.milliseconds, stored + Self.millisecondsPerDay)
        if clock > stored { try Numbers.write(Numbers.clock, clock, in: database) }
        cutoff = clock - Int64(limits.days) * Self.millisecondsPerDay
        next = 0
    }

    /// Looks at the next targets of the sweep.
    ///
    /// - Returns: How many rows were dropped.
    mutating func step(_ writer: StoreWriter) throws(SQLiteError) -> Int {
        guard let first = next else { return 0 }
        let (rows, newest) = (rows, limits.newestRows)
        let cutoff = cutoff
        var last: Int64?
        var dropped = 0
        try writer.transaction { () throws(SQLiteError) in
            let trim = try Trim(writer.database, rows: rows, newest: newest, cutoff: cutoff)
            // 0 stands for the service, which has no row.
            if first == 0 { dropped += try trim.run(nil) }
            let targets = try writer.database.prepare(
                "SELECT id FROM targets WHERE id > ? ORDER BY id LIMIT \(Self.targetsPerStep)")
            targets.bind(1, first)
            while try targets.step() {
                last = targets.number(0)
                dropped += try trim.run(targets.number(0))
            }
        }
        next = last
        try writer.database.run(
            "PRAGMA incremental_vacuum(\(Self.pagesPerStep))", for: "give back pages")
        return dropped
    }

    /// Trims the targets that got many rows since they were last trimmed.
    func trimBusy(_ writer: StoreWriter) throws(SQLiteError) -> Int {
        let busy = writer.added.filter { $0.value >= Self.slack }.map(\.key)
        guard !busy.isEmpty else { return 0 }
        var dropped = 0
        try writer.transaction { () throws(SQLiteError) in
            let trim = try Trim(
                writer.database, rows: rows, newest: limits.newestRows, cutoff: .min)
            for row in busy { dropped += try trim.run(row == 0 ? nil : row) }
        }
        for row in busy { writer.resetAdded(of: row) }
        return dropped
    }

    /// Looks at the size between sweeps, and begins one with fewer rows a target if it is above
    /// the limit.
    ///
    /// - Returns: Whether the newest rows alone are too many: told once.
    mutating func check(
        bytes: Int64, now: Timestamp, in database: borrowing Database
    ) throws(SQLiteError) -> Bool {
        guard !isSweeping else { return false }
        if bytes <= limits.bytes / 10 * 9 {
            rows = limits.rowsPerTarget
            isTooLarge = false
        }
        guard bytes > limits.bytes else { return false }
        guard rows > limits.newestRows else {
            defer { isTooLarge = true }
            return !isTooLarge
        }
        rows = max(limits.newestRows, rows / 2)
        try beginSweep(now: now, in: database)
        return false
    }
}

/// Drops the rows of one target that are too many or too old.
private struct Trim: ~Copyable {
    private let changes: Statement
    private let tooManyEvents: Statement
    private let oldEvents: Statement
    private let tooManyTitles: Statement
    private let oldTitles: Statement
    private let note: Statement
    private let noteService: Statement
    private let cutoff: Int64

    init(
        _ database: borrowing Database, rows: Int, newest: Int, cutoff: Int64
    ) throws(SQLiteError) {
        let count = try database.prepare("SELECT changes()")
        let tooManyEvents = try database.prepare(
            """
            DELETE FROM events WHERE target IS ?1 AND seq <= (SELECT seq FROM events
                WHERE target IS ?1 ORDER BY seq DESC LIMIT 1 OFFSET \(rows))
            """)
        let oldEvents = try database.prepare(
            """
            DELETE FROM events WHERE target IS ?1 AND time < ?2 AND seq <= (SELECT seq FROM events
                WHERE target IS ?1 ORDER BY seq DESC LIMIT 1 OFFSET \(newest))
            """)
        let tooManyTitles = try database.prepare(
            """
            DELETE FROM titles WHERE target = ?1 AND id <= (SELECT id FROM titles
                WHERE target = ?1 ORDER BY id DESC LIMIT 1 OFFSET \(rows))
            """)
        let oldTitles = try database.prepare(
            """
            DELETE FROM titles WHERE target = ?1 AND last < ?2 AND id <= (SELECT id FROM titles
                WHERE target = ?1 ORDER BY id DESC LIMIT 1 OFFSET \(newest))
            """)
        let note = try database.prepare("UPDATE targets SET dropped = dropped + ?2 WHERE id = ?1")
        let noteService = try database.prepare(
            "INSERT INTO numbers VALUES ('\(Numbers.dropped)', ?1)"
                + " ON CONFLICT DO UPDATE SET value = value + excluded.value")
        changes = count
        self.tooManyEvents = tooManyEvents
        self.oldEvents = oldEvents
        self.tooManyTitles = tooManyTitles
        self.oldTitles = oldTitles
        self.note = note
        self.noteService = noteService
        self.cutoff = cutoff
    }

    /// - Returns: How many rows went.
    borrowing func run(_ target: Int64?) throws(SQLiteError) -> Int {
        var dropped = try run(tooManyEvents, target, nil) + run(oldEvents, target, cutoff)
        if target != nil {
            dropped += try run(tooManyTitles, target, nil) + run(oldTitles, target, cutoff)
        }
        guard dropped > 0 else { return 0 }
        if let target {
            note.bind(1, target)
            note.bind(2, Int64(dropped))
            try note.run()
        } else {
            noteService.bind(1, Int64(dropped))
            try noteService.run()
        }
        return dropped
    }

    private borrowing func run(
        _ statement: borrowing Statement, _ target: Int64?, _ cutoff: Int64?
    ) throws(SQLiteError) -> Int {
        statement.bind(1, target)
        if let cutoff { statement.bind(2, cutoff) }
        try statement.run()
        guard try changes.step() else { return 0 }
        defer { changes.reset() }
        return Int(changes.number(0))
    }
}
