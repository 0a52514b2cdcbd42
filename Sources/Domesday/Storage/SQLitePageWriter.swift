/// The write transaction of a store in an SQLite file.
///
/// What it writes is gathered until it is known to be small: then the commit log takes it. What is
/// not small goes into SQLite's tables, together with all that the log holds.
///
/// **Threads.** One at a time, as its protocol says.
final class SQLitePageWriter: PageWriter {
    private enum Phase {
        case open
        case over
        /// Rolled back because of this.
        case failed(StorageError)
    }

    private let store: SQLitePageStore
    private let connection: SQLiteConnection
    private var phase = Phase.open
    /// Spaces whose tables a rollback takes away.
    private var createdTables: [Space] = []
    /// What was written so far; nil once it goes into the tables.
    private var gathered: GatheredBlobs? = GatheredBlobs()
    /// What the commit makes of the log.
    private var logChange = SQLitePageStore.LogChange.none
    /// Whether anything was given to SQLite.
    private var hasWritten = false
    /// The version that its blobs say it makes.
    private var version: UInt64 = 0
    private var pin: SQLitePagePin?

    /// Begun already; the writer gate is held and given back at the end.
    init(_ store: SQLitePageStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    deinit { rollback() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try checkOpen()
        if let gathered, let blob = gathered[address] ?? store.loggedBlob(at: address) {
            return blob.copy()
        }
        do throws(StorageError) {
            return try connection.readBlob(at: address, seed: store.seed)
        } catch {
            if connection.isIdle { end(.failed(error)) }
            throw error
        }
    }

    func glance(at address: BlobAddress, _ body: (any BlobGlance) -> Bool) -> Bool {
        guard case .open = phase else { return false }
        if let gathered, let blob = gathered[address] ?? store.loggedBlob(at: address) {
            return body(blob)
        }
        return connection.glance(at: address, body)
    }

    func write(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError) {
        try write(buffer, at: address, replacing: nil)
    }

    func write(
        _ buffer: BlobBuffer,
        at address: BlobAddress,
        replacing old: BlobBuffer?
    ) throws(StorageError) {
        try perform { () throws(StorageError) in
            buffer.seal(at: address, seed: store.seed)
            version = max(version, buffer.version)
            guard gathered != nil else { return try put(buffer, at: address) }
            gathered?.set(buffer, at: address, replacing: old)
            if gathered?.isSmall == false { try writeThrough() }
        }
    }

    func delete(_ address: BlobAddress) throws(StorageError) {
        try perform { () throws(StorageError) in
            try writeThrough()
            guard try connection.hasTable(of: address.space) else { return }
            hasWritten = true
            try connection.deleteBlob(at: address)
        }
    }

    func deleteSpace(_ space: Space) throws(StorageError) {
        try perform { () throws(StorageError) in
            try writeThrough()
            hasWritten = true
            try connection.dropTable(of: space)
        }
    }

    func commit() throws(StorageError) { try commit(defersSync: false) }

    /// Defers it if the commit is small enough for the log.
    func commitDeferringSync() throws(StorageError) { try commit(defersSync: true) }

    private func commit(defersSync: Bool) throws(StorageError) {
        try perform { () throws(StorageError) in
            if let gathered, !gathered.isEmpty, try !writeToLog(gathered, defersSync) {
                try writeThrough()
            }
            pin = try store.commit(logChange, version: version) { () throws(StorageError) in
                try connection.run(.commit)
                if hasWritten { store.noteCommit(isSynced: connection.syncsCommits) }
            }
        }
        end(.over, isCommitted: true)
    }

    func takePin() -> (any PagePin)? {
        defer { pin = nil }
        return pin
    }

    /// Commits nothing but what the log holds already.
    func foldAndCommit() throws(StorageError) {
        try perform { () throws(StorageError) in try writeThrough() }
        try commit()
    }

    func rollback() {
        guard case .open = phase else { return }
        end(.over)
    }

    // MARK: Tables and log

    private func put(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError) {
        hasWritten = true
        if try !connection.hasTable(of: address.space) {
            createdTables.append(address.space)
            try connection.createTable(of: address.space)
        }
        let bytes = UnsafeRawBufferPointer(start: buffer.base, count: buffer.byteCount)
        defer { withExtendedLifetime(buffer) {} }
        try connection.writeBlob(bytes, at: address)
    }

    /// Puts what was gathered and what the log holds into the tables. Later writes go there too.
    private func writeThrough() throws(StorageError) {
        guard let gathered else { return }
        self.gathered = nil
        logChange = try store.fold { (blob, address) throws(StorageError) in
            // What this transaction has newer is written once.
            if gathered[address] == nil { try put(blob, at: address) }
        }
        for entry in gathered.inOrder { try put(entry.blob, at: entry.address) }
    }

    /// Adds what was gathered to the log; false if that is not its place.
    private func writeToLog(
        _ gathered: GatheredBlobs,
        _ defersSync: Bool
    ) throws(StorageError) -> Bool {
        var record = CommitLog.Record(blobCount: gathered.inOrder.count)
        for (address, blob, inMemory) in gathered.inOrder {
            let old: BlobBuffer?
            do throws(StorageError) {
                old = try stored(address, before: blob.version, inMemory)
            } catch  where error.code == .damaged {
                // To be replaced as a whole; nothing follows from it.
                return false
            }
            guard record.append(blob, at: address, from: old) else { return false }
        }
        guard let (rows, change) = store.log(record, gathered) else { return false }
        if defersSync, store.canDeferSync(connection) { try beginAnewWithoutSync() }
        for (id, blob) in rows {
            let address = BlobAddress(space: CommitLog.space, id: id)
            blob.seal(at: address, seed: store.seed)
            try put(blob, at: address)
        }
        logChange = change
        return true
    }

    /// Whether a commit is synced must be said before its transaction begins. Nothing was written in
    /// this one, and nobody else can write in between, since the gate is held.
    private func beginAnewWithoutSync() throws(StorageError) {
        try connection.run(.rollback)
        try connection.syncCommits(false)
        try connection.run(.begin)
    }

    /// The blob that a record begins with.
    ///
    /// - Parameter inMemory: What the engine has in its place. A cluster that it brought to a newer
    ///   schema when it was loaded is not what is stored: its checksum tells. Nor is one that this
    ///   transaction has written before: its version tells.
    private func stored(
        _ address: BlobAddress,
        before version: UInt64,
        _ inMemory: BlobBuffer?
    ) throws(StorageError) -> BlobBuffer? {
        if let blob = store.loggedBlob(at: address) { return blob }
        if let inMemory, inMemory.version < version,
            inMemory.damage(at: address, seed: store.seed) == nil
        {
            return inMemory
        }
        guard try connection.hasTable(of: address.space) else { return nil }
        return try connection.readBlob(at: address, seed: store.seed)
    }

    // MARK: The end

    private func checkOpen() throws(StorageError) {
        switch phase {
        case .open: return
        case .over:
            throw StorageError(.closed, path: store.path, detail: "the transaction has ended")
        case .failed(let error): throw error
        }
    }

    /// Runs a change; if it fails, the transaction is over.
    private func perform(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        try checkOpen()
        do throws(StorageError) {
            try body()
        } catch {
            end(.failed(error))
            throw error
        }
    }

    /// Leaves the connection without a transaction, whatever happened to it, and the gate open.
    private func end(_ phase: Phase, isCommitted: Bool = false) {
        self.phase = phase
        // A rollback only drops pages in memory and locks; should it fail, SQLite had rolled back
        // by itself.
        if !connection.isIdle { try? connection.run(.rollback) }
        if !isCommitted { for space in createdTables { connection.forget(space) } }
        store.endWrite()
    }
}
