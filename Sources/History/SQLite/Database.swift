import CSQLite

/// The sole owner of a connection to a database file. One thread uses it at a time.
///
/// Nothing in C points back at this value. Statements may outlive it: SQLite then closes the file
/// with the last of them.
struct Database: ~Copyable {
    /// How a file is opened.
    enum Mode {
        /// To read and write; the file must be there.
        case write
        case read
        /// To read a file that nobody writes, without a lock or a file beside it.
        case readUnchanging
        /// A new, empty file must be there already.
        case create
        /// To read of a damaged file whatever can be read.
        case salvage
    }

    /// How long one call waits for another process's lock at first, in milliseconds.
    private static let patience: Int32 = 5000

    private let raw: OpaquePointer

    init(_ path: String, _ mode: Mode) throws(SQLiteError) {
        var raw: OpaquePointer?
        // A name that begins with "file:" is a URI; others are paths, whatever is in them.
        var name = path.hasPrefix("/") ? path : "./" + path
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .write, .create: flags |= SQLITE_OPEN_READWRITE
        case .read, .salvage: flags |= SQLITE_OPEN_READONLY
        case .readUnchanging:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = "file:" + Self.percentEncoded(name) + "?immutable=1"
        }
        let code = sqlite3_open_v2(name, &raw, flags, nil)
        guard code == SQLITE_OK, let raw else {
            let message = raw.map { String(cString: sqlite3_errmsg($0)) }
            // A handle is given even where opening failed, and is ours to close.
            sqlite3_close_v2(raw)
            throw SQLiteError(code: code, message: message ?? "no memory", action: "open")
        }
        sqlite3_busy_timeout(raw, Self.patience)
        // Else a file that is shorter than it says is not read at all.
        if mode == .salvage {
            sqlite3_exec(raw, "PRAGMA writable_schema = ON", nil, nil, nil)
        } else {
            _ = pw_make_defensive(raw)
        }
        self.raw = raw
    }

    deinit { sqlite3_close_v2(raw) }

    /// Sets how long one call waits for another process's lock.
    borrowing func wait(milliseconds: Int32) { sqlite3_busy_timeout(raw, milliseconds) }

    /// Tells of each step from now on; with nil no more. Whoever calls this keeps `steps` until then.
    borrowing func tell(_ steps: StoreSteps?) {
        if let steps { steps.begin(on: raw) } else { StoreSteps.end(on: raw) }
    }

    /// Runs statements that give no rows, or whose rows do not matter.
    borrowing func run(_ sql: String, for action: String) throws(SQLiteError) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, action) }
    }

    /// A statement to be run any number of times.
    borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, "") }
        return Statement(owning: statement)
    }

    /// The first column of the first row.
    borrowing func number(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalNumber(0) : nil
    }

    /// The first column of the first row.
    borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// How many rows the last INSERT, UPDATE or DELETE has changed.
    var changes: Int { Int(sqlite3_changes64(raw)) }

    /// Whether a transaction has begun and not ended.
    var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

    /// Copies everything into `target`, as it is at one moment, while others may write.
    ///
    /// - Parameter steps: Told of each step, where nobody else writes; nil for one step.
    borrowing func copy(
        into target: borrowing Database, _ steps: StoreSteps? = nil
    ) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(target.raw, "main", raw, "main") else {
            throw target.error(sqlite3_extended_errcode(target.raw), "copy")
        }
        var code: Int32
        repeat {
            // All pages in one step: a writer between two steps would make it begin anew.
            code = sqlite3_backup_step(backup, steps == nil ? -1 : StoreSteps.pages)
            if let steps, !steps.tell(), code == SQLITE_OK { code = SQLITE_INTERRUPT }
        } while code == SQLITE_OK
        let ending = sqlite3_backup_finish(backup)
        guard code != SQLITE_INTERRUPT else {
            throw SQLiteError(code: code, message: "interrupted", action: "copy")
        }
        guard code == SQLITE_DONE, ending == SQLITE_OK else {
            throw target.error(code == SQLITE_DONE ? ending : code, "copy")
        }
    }

    private borrowing func error(_ code: Int32, _ action: String) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(raw)), action: action)
    }

    private static func percentEncoded(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"):
                text += "%" + String(byte, radix: 16, uppercase: true)
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}
