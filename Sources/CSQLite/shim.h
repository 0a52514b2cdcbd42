// The part of SQLite's C API, and of the file locks around it, that Swift cannot call by itself.
#pragma once
#include <sqlite3.h>
#include <fcntl.h>
#include <string.h>

// Linux's number, the same on every architecture we build for; <fcntl.h> hides it without
// _GNU_SOURCE, which a module map cannot set.
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#endif

enum domesday_lock { domesday_lock_none, domesday_lock_shared, domesday_lock_exclusive };

/// Takes or fails to take the lock on the first byte of an open file, or drops it.
/// Returns 0, or -1 with errno EAGAIN or EACCES if another open file description holds it.
///
/// An OFD lock goes with the open file description: closing another descriptor of the same file
/// does not drop it, and the kernel drops it when the process dies. It does go on while a child
/// that is just being spawned has a copy of the descriptor, so it is dropped before the file is
/// closed.
static inline int domesday_lock_file(int descriptor, enum domesday_lock kind) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = kind == domesday_lock_none     ? F_UNLCK
                  : kind == domesday_lock_shared ? F_RDLCK
                                                 : F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0;
    lock.l_len = 1;
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

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
