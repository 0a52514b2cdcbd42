/// The write transaction of a store in an SQLite file.
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

    /// Begun already; the writer gate is held and given back at the end.
    init(_ store: SQLitePageStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    deinit { rollback() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try checkOpen()
        do throws(StorageError) {
            return try connection.readBlob(at: address, seed: store.seed)
        } catch {
            if connection.isIdle { end(.failed(error)) }
            throw error
        }
    }

    func write(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError) {
        try perform { () throws(StorageError) in
            if try !connection.hasTable(of: address.space) {
                createdTables.append(address.space)
                try connection.createTable(of: address.space)
            }
            buffer.seal(at: address, seed: store.seed)
            let bytes = UnsafeRawBufferPointer(start: buffer.base, count: buffer.byteCount)
            defer { withExtendedLifetime(buffer) {} }
            try connection.writeBlob(bytes, at: address)
        }
    }

    func delete(_ address: BlobAddress) throws(StorageError) {
        try perform { () throws(StorageError) in
            guard try connection.hasTable(of: address.space) else { return }
            try connection.deleteBlob(at: address)
        }
    }

    func deleteSpace(_ space: Space) throws(StorageError) {
        try perform { () throws(StorageError) in
            try connection.dropTable(of: space)
        }
    }

    func commit() throws(StorageError) {
        try perform { () throws(StorageError) in try connection.run(.commit) }
        end(.over, isCommitted: true)
    }

    func rollback() {
        guard case .open = phase else { return }
        end(.over)
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
