import CSQLite
import Glibc
import Reactor

/// Opens the database of a state folder for writing, whatever state it is found in.
struct StoreFile {
    /// Larger files are only looked at where they are read: a check of all pages reads about
    /// 500 MB a second, and a start should not wait for that.
    static let checkedBytes: Int64 = 64 << 20

    let folder: StateFolder
    /// The program's, for those who find a store too new for theirs.
    let version: String
    let schema: Schema
    /// Told of each step of what may take long.
    var steps = StoreSteps()

    /// An open database, and what was done to get there.
    struct Opened: ~Copyable {
        var database: Database
        var damage: DamageReport?
        var migratedFrom: String?
    }

    /// - Throws: ``StoreError``.
    func open() throws(StoreError) -> Opened {
        do {
            try finishReplacement()
            do {
                return try openAsItIs()
            } catch let error as SQLiteError where error.isDamage {
                let damage = try Salvage(file: self, reason: error.message).run()
                var opened = try openAsItIs()
                opened.damage = damage
                return opened
            }
        } catch {
            throw StoreError(error, opening: folder)
        }
    }

    private func openAsItIs() throws -> Opened {
        let isNew = try makeFile(folder.database)
        let database = try Database(folder.database, .write)
        database.tell(steps)
        let found = try Self.identify(database, path: folder.database, reads: schema)
        if found == nil { try create(in: database) }
        let migratedFrom = try migrate(database, from: found ?? schema.version)
        try Self.configure(database)
        if !isNew { try check(database) }
        return Opened(database: database, damage: nil, migratedFrom: migratedFrom)
    }

    /// The version of a database; nil for an empty file.
    ///
    /// - Throws: ``StoreError`` for one that is of a later version or another program's.
    static func identify(
        _ database: borrowing Database, path: String, reads schema: Schema
    ) throws -> Int64? {
        let id = try database.number("PRAGMA application_id") ?? 0
        let version = try database.number("PRAGMA user_version") ?? 0
        if id == 0, version == 0, try database.number("SELECT count(*) FROM sqlite_schema") == 0 {
            return nil
        }
        guard id == Schema.applicationID, version > 0 else {
            throw StoreError.unusable(path: path, reason: "it is another program's database")
        }
        guard version <= schema.version else {
            let copy = copyName(path, schema.version)
            throw StoreError.newer(
                path: path, version: Int(version), reads: Int(schema.version),
                writtenBy: try? database.text("SELECT value FROM facts WHERE name = 'written_by'"),
                copy: access(copy, F_OK) == 0 ? copy : nil)
        }
        return version
    }

    /// Makes an empty file for the owner and the group; false if there is one.
    private func makeFile(_ path: String) throws(SystemError) -> Bool {
        let raw = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        if raw >= 0 {
            folder.adopt(raw)
            _ = close(raw)
            return true
        }
        let code = errno
        guard code == EEXIST else { throw SystemError(code: code, action: "create") }
        return false
    }

    // MARK: Creating, migrating

    /// Makes the tables of a new file, all or none.
    func create(in database: borrowing Database) throws(SQLiteError) {
        try database.run(Schema.preparation, for: "prepare")
        try database.run(
            """
            BEGIN IMMEDIATE;
            \(Schema.tables)
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA user_version = \(schema.version);
            """, for: "create the tables")
        try writeVersion(in: database)
        try database.run("COMMIT", for: "create the tables")
    }

    private func writeVersion(in database: borrowing Database) throws(SQLiteError) {
        let statement = try database.prepare(
            "INSERT INTO facts VALUES ('written_by', ?)"
                + " ON CONFLICT DO UPDATE SET value = excluded.value")
        statement.bind(1, version)
        try statement.run()
    }

    /// Brings the tables to the version of the schema, all steps or none, after a copy was kept.
    private func migrate(_ database: borrowing Database, from version: Int64) throws -> String? {
        guard version < schema.version else { return nil }
        let copy = Self.copyName(folder.database, version)
        try Backup(mayReplace: true).run(database, to: copy, steps)
        try database.run("BEGIN IMMEDIATE", for: "migrate")
        for step in version..<schema.version {
            guard let statements = schema.steps[step] else {
                throw StoreError.unusable(
                    path: folder.database, reason: "no way leads from format \(step) on")
            }
            try database.run(statements, for: "migrate from format \(step)")
        }
        try database.run("PRAGMA user_version = \(schema.version)", for: "migrate")
        try writeVersion(in: database)
        try database.run("COMMIT", for: "migrate")
        return copy
    }

    private static func copyName(_ path: String, _ version: Int64) -> String {
        path + ".v\(version)"
    }

    // MARK: Settings, checking

    /// Settings that belong to the connection, or are made once and kept in the file.
    static func configure(_ database: borrowing Database) throws(SQLiteError) {
        try database.run(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = 16777216;
            PRAGMA wal_autocheckpoint = 4000;
            PRAGMA cache_size = -512;
            """, for: "configure")
    }

    private func check(_ database: borrowing Database) throws(SQLiteError) {
        let pages = try database.number("PRAGMA page_count") ?? 0
        let size = try database.number("PRAGMA page_size") ?? 0
        guard pages * size <= Self.checkedBytes else { return }
        let verdict = try database.text("PRAGMA quick_check(1)")
        guard verdict == "ok" else {
            throw SQLiteError(
                code: SQLITE_CORRUPT, message: Self.firstLine(verdict ?? "no verdict"),
                action: "check")
        }
    }

    private static func firstLine(_ text: String) -> String {
        // "*** in database main ***" stands before what was found.
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("***") }
        return lines.first.map(String.init) ?? text
    }

    // MARK: Replacing

    /// What was salvaged, complete, until it has the database's name.
    var salvaged: String { folder.database + ".salvaged" }

    /// Puts what was salvaged in the damaged database's place, or goes on with that after a crash.
    ///
    /// The log beside the database goes first: beside a new one it would be replayed into it.
    @discardableResult
    func finishReplacement() throws(SystemError) -> String? {
        guard access(salvaged, F_OK) == 0 else { return nil }
        let setAside = unusedName()
        if access(folder.database + "-wal", F_OK) == 0 {
            try move(folder.database + "-wal", to: setAside + "-wal")
        }
        _ = unlink(folder.database + "-shm")
        if access(folder.database, F_OK) == 0 { try move(folder.database, to: setAside) }
        try move(salvaged, to: folder.database)
        try syncFolder()
        return setAside
    }

    private func move(_ path: String, to other: String) throws(SystemError) {
        try call("rename to \(other)") { rename(path, other) }
    }

    /// `history.db.damaged-20261130T120000Z`, with a number behind it if that is taken.
    private func unusedName() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stamp = String(
            decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let name = folder.database + ".damaged-" + stamp
        var number = 1
        var unused = name
        while access(unused, F_OK) == 0 {
            number += 1
            unused = "\(name)-\(number)"
        }
        return unused
    }

    func syncFolder() throws(SystemError) {
        let path = folder.path
        let raw = try call("open \(path)") { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        let descriptor = FileDescriptor(owning: raw)
        try call("sync \(path)") { fsync(descriptor.raw) }
    }
}
