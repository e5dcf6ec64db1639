#ifndef PAGEWATCH_CSQLITE_SHIM_H
#define PAGEWATCH_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT, which makes SQLite copy the bytes at once, is a cast that Swift does not import.
static inline int pw_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int pw_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic. Defensive: no SQL can damage the file on purpose.
static inline int pw_make_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

#endif
