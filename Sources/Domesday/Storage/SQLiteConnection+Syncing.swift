import CSQLite

/// Commits whose sync is left for later.
extension SQLiteConnection {
    /// Finds the WAL, after it was read for the first time. Without it nothing can be deferred.
    func findWAL() {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0)
        }
        wal = result == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }

    /// Whether commits can be left unsynced.
    var canDeferSync: Bool { wal != nil }

    /// Says whether commits from now on are synced; outside a transaction only.
    func syncCommits(_ isSynced: Bool) throws(StorageError) {
        if syncsCommits == isSynced { return }
        try execute("PRAGMA synchronous=\(isSynced ? "FULL" : "NORMAL")")
        syncsCommits = isSynced
    }

    /// Syncs the WAL. Unlike all else here it may be called while the connection is used elsewhere, as
    /// long as it is not closed.
    func syncWAL() throws(StorageError) {
        guard let wal, let sync = wal.pointee.pMethods.pointee.xSync else { return }
        // SAFETY: SQLite keeps the file open, at this address, while the connection is in WAL mode;
        // its method asks the system to sync the descriptor, which any thread may.
        if sync(wal, SQLITE_SYNC_NORMAL) == SQLITE_OK { return }
        throw StorageError(.inputOutput, path: path, detail: "the last commits could not be synced")
    }
}
