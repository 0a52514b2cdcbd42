// The part of SQLite's C API that Swift cannot call by itself.
#pragma once
#include <sqlite3.h>

/// Makes a connection distrust the file: SQL text found in it cannot reach outside its tables, and
/// no statement can overwrite the schema. (A variadic call, which Swift lacks.)
static inline int domesday_sqlite_distrust(sqlite3 *connection) {
    int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (result == SQLITE_OK) {
        result = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    }
    if (result == SQLITE_OK) {
        result = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    }
    return result;
}
