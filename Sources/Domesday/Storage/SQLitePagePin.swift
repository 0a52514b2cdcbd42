/// A read transaction on a connection of its own.
final class SQLitePagePin: PagePin, Sendable {
    private let store: SQLitePageStore
    /// `nil` after the release.
    private let connection: Lock<SQLiteConnection?>
    /// What the commit log held at the version.
    private let logged: LoggedBlobs

    /// The connection is in a read transaction already, and given back at the end.
    init(_ store: SQLitePageStore, _ connection: SQLiteConnection, logged: LoggedBlobs) {
        self.store = store
        self.logged = logged
        self.connection = Lock(connection)
    }

    deinit { release() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try connection.withLock { (connection) throws(StorageError) in
            guard let connection else {
                throw StorageError(.closed, path: store.path, detail: "the snapshot was released")
            }
            if let blob = logged[address] { return blob.copy() }
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
