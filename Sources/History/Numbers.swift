/// The numbers that the store counts with, each a row of the table of that name.
enum Numbers {
    /// All sequence numbers that were ever given out are at most this.
    static let sequence = "seq"
    /// 1 while a store is open, and after a crash.
    static let isOpen = "open"
    /// Counts the starts that no orderly end followed; see ``LoadNumbers``.
    static let epoch = "epoch"
    /// Loads of a target that is new to the store have numbers above this.
    static let loadFloor = "load_floor"
    /// Events of the service's own that retention has dropped.
    static let dropped = "dropped"
    /// The time that retention goes by.
    static let clock = "clock"

    static func read(_ name: String, in database: borrowing Database) throws(SQLiteError) -> Int64 {
        let statement = try database.prepare("SELECT value FROM numbers WHERE name = ?")
        statement.bind(1, name)
        return try statement.step() ? statement.number(0) : 0
    }

    static func write(
        _ name: String, _ value: Int64, in database: borrowing Database
    ) throws(SQLiteError) {
        let statement = try database.prepare(
            "INSERT INTO numbers VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
        statement.bind(1, name)
        statement.bind(2, value)
        try statement.run()
    }
}

/// How numbers of loads never repeat though each is stored only when its load has ended.
///
/// A row's number is the last one known; a crash may hide some that were given out after it. Each
/// start begins a new epoch, and an orderly end, at which nothing is hidden, takes it back. So a
/// row that is so many epochs old has so many crashes behind it, and its numbers go on behind all
/// that can have been given out in them.
enum LoadNumbers {
    /// More loads than one target can have between two writes to the disk: three hours of a disk
    /// that takes nothing, at the shortest interval.
    static let perEpoch: Int64 = 10_000

    static func next(after last: Int64, epoch: Int64, now: Int64) -> Int64 {
        last + 1 + perEpoch * max(0, now - epoch)
    }
}
