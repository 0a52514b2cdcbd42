/// The store's side of its commit log.
extension SQLitePageStore {
    /// The log as the last commit left it.
    struct LogState {
        var log: CommitLog
        var blobs: LoggedBlobs

        /// Reads it in the transaction that a connection is in.
        ///
        /// - Parameter known: What this process knew of it.
        /// - Returns: It, and what has changed since it was as `known`, if the records tell.
        static func read(
            _ connection: SQLiteConnection,
            _ seed: UInt64,
            after known: LogState?
        ) throws(StorageError) -> (state: LogState, changes: ChangedBlobs?) {
            // Format 1 had none; a store that is opened for writing has one by now.
            if try connection.integer("PRAGMA user_version") == 1 {
                return (LogState(log: CommitLog(), blobs: LoggedBlobs()), nil)
            }
            let path = connection.path
            func blob(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
                try connection.readBlob(at: address, seed: seed)
            }
            let (log, records, isContinued) = try CommitLog.read(
                path: path,
                after: known?.log,
                blob
            )
            var blobs = isContinued ? known?.blobs ?? LoggedBlobs() : LoggedBlobs()
            let changes = try blobs.apply(records: records, seed: seed, path: path, blob)
            return (LogState(log: log, blobs: blobs), isContinued ? changes : nil)
        }
    }

    /// What a commit does to the log.
    enum LogChange {
        case none
        /// The log goes on with these blobs.
        case appended(CommitLog, GatheredBlobs)
        /// All blobs are in the tables.
        case folded(CommitLog)
    }

    /// The newest blob at an address if the log has something about it; not to be changed.
    func loggedBlob(at address: BlobAddress) -> BlobBuffer? {
        logState.withLock { $0.blobs[address] }
    }

    /// Adds a commit's record to the log, for the writer that will commit it.
    ///
    /// - Returns: The rows to be written; nil if the log is full or holds back too much.
    func log(
        _ record: CommitLog.Record,
        _ gathered: GatheredBlobs
    ) -> (rows: [CommitLog.Row], change: LogChange)? {
        var (log, byteCount) = logState.withLock { ($0.log, $0.blobs.byteCount) }
        guard byteCount + gathered.byteCount <= options.loggedByteLimit,
            let rows = log.append(record.bytes)
        else { return nil }
        return (rows, .appended(log, gathered))
    }

    /// Hands over what the log holds, to be put into the tables, and the row that empties it.
    func fold(
        _ put: (BlobBuffer, BlobAddress) throws(StorageError) -> Void
    ) throws(StorageError) -> LogChange {
        var (log, logged) = logState.withLock { ($0.log, $0.blobs) }
        if log.isEmpty { return .none }
        // In order, so that each page of a table is visited once.
        for (address, blob) in logged.inOrder { try put(blob, address) }
        let (id, row) = log.fold()
        let address = BlobAddress(space: CommitLog.space, id: id)
        row.seal(at: address, seed: seed)
        try put(row, address)
        return .folded(log)
    }

    /// Runs a commit and lets everybody see what it has done to the log.
    ///
    /// - Parameter version: What it makes; 0 for nothing that others must see.
    /// - Returns: A pin at the version, if other processes may commit.
    func commit(
        _ change: LogChange,
        version: UInt64,
        _ body: () throws(StorageError) -> Void
    ) throws(StorageError) -> SQLitePagePin? {
        try commits.withLock { (_) throws(StorageError) in
            let others = isShared && version > 0 ? members : nil
            let before = others?.page.announced
            others?.page.announced = version
            do throws(StorageError) { try body() } catch {
                if let others, let before { others.page.announced = before }
                throw error
            }
            logState.withLock { state in
                switch change {
                case .none: break
                case .appended(let log, let gathered):
                    state.log = log
                    for entry in gathered.inOrder { state.blobs.set(entry.blob, at: entry.address) }
                case .folded(let log): state = LogState(log: log, blobs: LoggedBlobs())
                }
            }
            return others.flatMap { pinCommit($0) }
        }
    }

    /// Spares the next opening the log. What cannot be written now stays in it.
    func foldBeforeClosing() {
        guard options.foldsAtClose, let connection = writer.withLock({ $0 }) else { return }
        if !gate.enter(timeout: .zero) { return }
        guard beginFolding() else { return gate.leave() }
        defer { endFolding() }
        if logState.withLock({ $0.log.isEmpty }) { return gate.leave() }
        do throws(StorageError) {
            try connection.syncCommits(true)
            try connection.run(.begin)
        } catch {
            return gate.leave()
        }
        // Should it fail: every commit in the log is durable.
        try? SQLitePageWriter(self, connection).foldAndCommit()
    }
}
