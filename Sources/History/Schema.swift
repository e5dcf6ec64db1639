/// The tables, their version, and the way from earlier ones. `docs/STORE.md` describes them.
struct Schema: Sendable {
    /// What `user_version` says.
    let version: Int64
    /// For each earlier version the statements that lead to the next.
    let steps: [Int64: String]

    /// Tells our files from others': "pgwt".
    static let applicationID: Int64 = 0x7067_7774

    /// The one that this program reads and writes.
    static let current = Schema(version: 1, steps: [:])

    /// For a new file, before the first table: pages of dropped rows can then be given back.
    static let preparation = """
        PRAGMA page_size = 4096;
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA encoding = 'UTF-8';
        """

    /// All tables of version 1.
    static let tables = """
        CREATE TABLE numbers (
            name TEXT NOT NULL PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE facts (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE targets (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_load INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            last_start INTEGER,
            retired INTEGER,
            paused_since INTEGER,
            paused_until INTEGER,
            dropped INTEGER NOT NULL DEFAULT 0,
            state_version INTEGER,
            state BLOB,
            last_good BLOB,
            last_failed BLOB
        ) STRICT;

        CREATE TABLE definitions (
            target INTEGER PRIMARY KEY REFERENCES targets (id) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            definition BLOB NOT NULL
        ) STRICT;

        CREATE TABLE back_forward_lists (
            target INTEGER PRIMARY KEY REFERENCES targets (id) ON DELETE CASCADE,
            list BLOB NOT NULL
        ) STRICT;

        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            target INTEGER REFERENCES targets (id) ON DELETE CASCADE,
            load INTEGER,
            kind TEXT NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_of_target ON events (target);

        CREATE TABLE titles (
            id INTEGER PRIMARY KEY,
            target INTEGER NOT NULL REFERENCES targets (id) ON DELETE CASCADE,
            title TEXT,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            count INTEGER NOT NULL,
            told INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX titles_of_target ON titles (target);
        """
}
