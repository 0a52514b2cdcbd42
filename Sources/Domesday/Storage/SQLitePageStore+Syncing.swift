/// The store's side of commits whose sync is left for later.
extension SQLitePageStore {
    /// Whether a commit may leave its sync for later.
    func canDeferSync(_ connection: SQLiteConnection) -> Bool {
        options.durability == .full && connection.canDeferSync
    }

    /// Notes a commit that wrote something.
    ///
    /// - Parameter isSynced: Whether it was synced, and with it all before it, since they are in one
    ///   file, one behind the other.
    func noteCommit(isSynced: Bool) {
        guard options.durability == .full else { return }
        deferred.withLock { deferred in
            if isSynced {
                deferred.syncedCount = deferred.count
                deferred.syncCount += 1
            } else {
                deferred.count += 1
            }
        }
    }

    func sync() throws(StorageError) {
        try syncing.withLock { (_) throws(StorageError) in
            let count = deferred.withLock { $0.syncedCount < $0.count ? $0.count : nil }
            guard let count else { return }
            guard let connection = writer.withLock({ $0 }) else { throw closedError }
            try connection.syncWAL()
            deferred.withLock { deferred in
                deferred.syncedCount = max(deferred.syncedCount, count)
                deferred.syncCount += 1
            }
        }
    }
}
