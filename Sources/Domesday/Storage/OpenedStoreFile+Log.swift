/// Making and finding the commit log of a store's file.
extension OpenedStoreFile {
    /// Makes the commit log and marks the file as one that has it; in an open transaction.
    static func createLog(
        _ connection: SQLiteConnection,
        _ seed: UInt64
    ) throws(StorageError) {
        let (id, row) = CommitLog.firstRow()
        let address = BlobAddress(space: CommitLog.space, id: id)
        row.seal(at: address, seed: seed)
        try connection.createTable(of: CommitLog.space)
        defer { withExtendedLifetime(row) {} }
        try connection.writeBlob(
            UnsafeRawBufferPointer(start: row.base, count: row.byteCount),
            at: address
        )
        try connection.execute("PRAGMA user_version=\(SQLitePageStore.formatVersion)")
    }

    /// Brings a store of format 1, which had no log, or of a later one to the present one.
    ///
    /// - Throws: `.busy` if other processes have it open: an older release there would go on writing
    ///   what it knows.
    static func addLog(
        _ connection: SQLiteConnection,
        _ seed: UInt64,
        _ joined: JoinedFile
    ) throws(StorageError) {
        let present = SQLitePageStore.formatVersion
        guard let version = try connection.integer("PRAGMA user_version"), version < present else {
            return
        }
        // Nobody comes in meanwhile: the lock of opening is held.
        if let others = joined.members?.livingOthers(), !others.isEmpty {
            throw StorageError(
                .busy,
                path: connection.path,
                detail:
                    "\(StoreMembers.names(others)) the store open, which is of format \(version) "
                    + "and can be brought to format \(present) only while no other process uses it"
            )
        }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            if version == 1 {
                try createLog(connection, seed)
            } else {
                try connection.execute("PRAGMA user_version=\(present)")
            }
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// The log, and what it holds; read in one transaction, since others may commit.
    static func readLog(
        _ connection: SQLiteConnection,
        _ seed: UInt64
    ) throws(StorageError) -> SQLitePageStore.LogState {
        try connection.run(.beginReading)
        // Ends a transaction that only read. Should it fail, the next one to begin says so.
        defer { try? connection.run(.rollback) }
        return try SQLitePageStore.LogState.read(connection, seed, after: nil).state
    }
}
