import CSQLite

/// What SQLite answered, and what it was asked to do.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// SQLite's words.
    let message: String
    /// What the call was for, such as "migrate"; empty where the message says enough.
    let action: String

    var description: String { action.isEmpty ? message : "\(action): \(message)" }

    /// Whether the file is not what SQLite wrote there.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primary) }

    /// Whether the same may work later: a full or failing disk, another process's lock.
    var isPassing: Bool {
        [
            SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN,
            SQLITE_READONLY, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_PERM, SQLITE_INTERRUPT,
        ].contains(primary)
    }

    /// The code without what the extended one adds.
    var primary: Int32 { code & 0xFF }
}
