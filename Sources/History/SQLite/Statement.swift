import CSQLite

/// The sole owner of a prepared statement. Parameters count from 1, columns from 0.
struct Statement: ~Copyable {
    private let raw: OpaquePointer

    /// Takes over a statement that nothing else will finalize.
    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { sqlite3_finalize(raw) }

    // MARK: Running

    /// Whether there is another row.
    borrowing func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(raw)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = SQLiteError(
                code: code, message: String(cString: sqlite3_errmsg(sqlite3_db_handle(raw))),
                action: "")
            // The statement would keep its part of the transaction open.
            sqlite3_reset(raw)
            throw error
        }
    }

    /// Runs a statement without rows to its end; it can be bound again then.
    borrowing func run() throws(SQLiteError) {
        while try step() {}
        sqlite3_reset(raw)
    }

    /// Ends a reading; parameters stay bound.
    borrowing func reset() { sqlite3_reset(raw) }

    // MARK: Parameters

    // A statement that was reset takes any value for a parameter it has: what these calls may
    // answer else is no memory, and a value longer than SQLite's limit (1 GB). Both leave the
    // parameter NULL, which NOT NULL columns refuse.

    borrowing func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(raw, index, number) }

    borrowing func bind(_ index: Int32, _ number: Int64?) {
        if let number { bind(index, number) } else { sqlite3_bind_null(raw, index) }
    }

    borrowing func bind(_ index: Int32, _ text: String) {
        var text = text
        // For a native string this is a look at its own bytes; SQLite copies them.
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty string may have no address, which SQLite would take for NULL.
                guard let base = bytes.baseAddress, bytes.count <= Int(Int32.max) else {
                    _ = pw_bind_text(raw, index, "", 0)
                    return
                }
                _ = pw_bind_text(raw, index, base, Int32(bytes.count))
            }
        }
    }

    borrowing func bind(_ index: Int32, _ text: String?) {
        if let text { bind(index, text) } else { sqlite3_bind_null(raw, index) }
    }

    borrowing func bind(_ index: Int32, _ blob: [UInt8]) {
        blob.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count <= Int(Int32.max) else {
                sqlite3_bind_zeroblob(raw, index, 0)
                return
            }
            _ = pw_bind_blob(raw, index, base, Int32(bytes.count))
        }
    }

    borrowing func bind(_ index: Int32, _ blob: [UInt8]?) {
        if let blob { bind(index, blob) } else { sqlite3_bind_null(raw, index) }
    }

    // MARK: Columns

    borrowing func number(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

    borrowing func optionalNumber(_ column: Int32) -> Int64? {
        isNull(column) ? nil : number(column)
    }

    /// "" for NULL.
    borrowing func text(_ column: Int32) -> String {
        // The text first, then its length, as SQLite's manual wants it; it may hold U+0000.
        guard let bytes = sqlite3_column_text(raw, column) else { return "" }
        let count = Int(sqlite3_column_bytes(raw, column))
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    borrowing func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// Empty for NULL.
    borrowing func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(raw, column) else { return [] }
        let count = Int(sqlite3_column_bytes(raw, column))
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    borrowing func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(raw, column) == SQLITE_NULL
    }

    /// The place of a column; 0 if there is none of that name.
    borrowing func column(named name: String) -> Int32 {
        for column in 0..<sqlite3_column_count(raw) {
            guard let found = sqlite3_column_name(raw, column) else { continue }
            if String(cString: found) == name { return column }
        }
        return 0
    }

    /// Gives the parameters the values of another statement's row, in their order.
    borrowing func bindColumns(of row: borrowing Statement) {
        for column in 0..<sqlite3_column_count(row.raw) {
            _ = sqlite3_bind_value(raw, column + 1, sqlite3_column_value(row.raw, column))
        }
    }
}
