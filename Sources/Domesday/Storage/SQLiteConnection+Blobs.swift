import CSQLite

/// Blobs as rows: one table per space, `s<number>(id INTEGER PRIMARY KEY, data BLOB)`.
extension SQLiteConnection {
    /// The verified blob at `address`; `nil` if there is no such row or table.
    func readBlob(at address: BlobAddress, seed: UInt64) throws(StorageError) -> BlobBuffer? {
        let statement: SQLiteStatement
        do throws(StorageError) {
            statement = try self.statement(.select(address.space))
        } catch {
            if try isMissing(address.space, after: error) { return nil }
            throw error.at(address)
        }
        do throws(StorageError) {
            return try readRow(statement, at: address, seed: seed)
        } catch {
            // The table of a statement prepared long ago may have been dropped since.
            guard error.code == .damaged else { throw error }
            forget(address.space)
            if try isMissing(address.space, after: error) { return nil }
            throw error
        }
    }

    private func readRow(
        _ statement: SQLiteStatement,
        at address: BlobAddress,
        seed: UInt64
    ) throws(StorageError) -> BlobBuffer? {
        defer { statement.reset() }
        try check(statement.bind(address.id, at: 1), during: "reading", at: address)
        switch statement.step() {
        case SQLITE_DONE: return nil
        case SQLITE_ROW: break
        case let result: throw failure(result, during: "reading", at: address)
        }
        let buffer = statement.withBlob(0) { bytes in
            bytes.count < BlobBuffer.headerByteCount ? nil : BlobBuffer(copying: bytes)
        }
        let damage =
            switch buffer {
            case .none: "the row holds no blob"
            case .some(.none): "the blob is shorter than its header"
            case .some(.some(let buffer)): buffer.damage(at: address, seed: seed)
            }
        if let damage { throw StorageError(.damaged, path: path, address: address, detail: damage) }
        return buffer ?? nil
    }

    /// Replaces or inserts the row of `address`; its table must exist.
    ///
    /// UPDATE comes first because it rewrites only the pages that differ when the stored size is
    /// unchanged, which neither REPLACE nor DELETE and INSERT do.
    func writeBlob(_ bytes: UnsafeRawBufferPointer, at address: BlobAddress) throws(StorageError) {
        try run(.update(address.space), bytes, at: address)
        if changedRowCount == 0 { try run(.insert(address.space), bytes, at: address) }
    }

    func deleteBlob(at address: BlobAddress) throws(StorageError) {
        try run(.delete(address.space), nil, at: address)
    }

    private func run(
        _ key: StatementKey,
        _ bytes: UnsafeRawBufferPointer?,
        at address: BlobAddress
    ) throws(StorageError) {
        let statement = try statement(key)
        defer { statement.reset() }
        try check(statement.bind(address.id, at: 1), during: "writing", at: address)
        if let bytes { try check(statement.bind(bytes, at: 2), during: "writing", at: address) }
        let result = statement.step()
        if result != SQLITE_DONE { throw failure(result, during: "writing", at: address) }
    }

    // MARK: Tables

    func hasTable(of space: Space) throws(StorageError) -> Bool {
        if knownTables.contains(space) { return true }
        let sql = "SELECT 1 FROM sqlite_schema WHERE type='table' AND name='\(space.table)'"
        guard try integer(sql) != nil else { return false }
        knownTables.insert(space)
        return true
    }

    func createTable(of space: Space) throws(StorageError) {
        try execute("CREATE TABLE \(space.table)(id INTEGER PRIMARY KEY, data BLOB)")
        knownTables.insert(space)
    }

    func dropTable(of space: Space) throws(StorageError) {
        forget(space)
        try execute("DROP TABLE IF EXISTS \(space.table)")
    }

    /// Whether a failure to read a space only says that it has no table.
    private func isMissing(
        _ space: Space,
        after error: StorageError
    ) throws(StorageError) -> Bool {
        guard error.code == .damaged else { return false }
        return try !hasTable(of: space)
    }
}

extension StorageError {
    /// The same error, about a certain blob.
    func at(_ address: BlobAddress) -> StorageError {
        StorageError(code, path: path, address: address, detail: detail)
    }
}
