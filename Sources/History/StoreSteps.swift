import CSQLite

/// Told of each step of a work that may take long: a migration, a check, a repair; and asked whether
/// that is to go on. One that is not fails with SQLITE_INTERRUPT, and leaves the database as it was.
///
/// SQLite points at this object while a connection has it, so whoever gives it to one keeps it for
/// as long.
final class StoreSteps: Sendable {
    /// Of SQLite's machine: some milliseconds.
    private static let instructions: Int32 = 100_000
    /// Of a copy.
    static let pages: Int32 = 4096

    /// Something was done; answers whether to go on.
    let tell: @Sendable () -> Bool

    init(_ tell: @escaping @Sendable () -> Bool = { true }) { self.tell = tell }

    /// Has SQLite tell of what it does on a connection.
    func begin(on connection: OpaquePointer) {
        sqlite3_progress_handler(
            connection, Self.instructions,
            { context in
                guard let context else { return 0 }
                // Kept by whoever called begin(on:), up to end(on:).
                return Unmanaged<StoreSteps>.fromOpaque(context).takeUnretainedValue().tell()
                    ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends that.
    static func end(on connection: OpaquePointer) {
        sqlite3_progress_handler(connection, 0, nil, nil)
    }
}
