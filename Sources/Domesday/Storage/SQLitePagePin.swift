/// A read transaction on a connection of its own.
final class SQLitePagePin: PagePin, Sendable {
    private let store: SQLitePageStore
    /// `nil` after the release.
    private let connection: Lock<SQLiteConnection?>

    /// The connection is in a read transaction already, and given back at the end.
    init(_ store: SQLitePageStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = Lock(connection)
    }

    deinit { release() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try connection.withLock { (connection) throws(StorageError) in
            guard let connection else {
                throw StorageError(.closed, path: store.path, detail: "the snapshot was released")
            }
            return try connection.readBlob(at: address, seed: store.seed)
        }
    }

    func release() {
        let released = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if let released { store.endPin(released) }
    }
}
