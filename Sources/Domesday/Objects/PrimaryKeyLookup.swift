import Foundation

/// The column that holds a table's primary key.
struct PrimaryKeyColumn {
    let id: Int
    let type: ColumnType
}

extension TableReader {
    /// The object with a primary key, and where it lies; nil also for a key of another type.
    ///
    /// - Complexity: O(1) expected for text and identifiers, O(log n) for integers.
    @inline(__always)
    func find(
        primary value: PrimaryKeyValue,
        in column: PrimaryKeyColumn
    ) throws(StorageError) -> FoundRow? {
        switch value {
        case .null: return try find(whereNil: column.id)
        case .int(let number):
            guard column.type == .int else { return nil }
            return try find(whereInt: column.id, is: number)
        case .string(let text):
            guard column.type == .string else { return nil }
            return try find(whereText: column.id, is: text)
        case .uuid(let uuid):
            guard column.type == .uuid else { return nil }
            return try withUnsafeBytes(of: uuid.uuid) { (bytes) throws(StorageError) in
                try find(whereBytes: column.id, are: bytes)
            }
        case .objectId(let id):
            guard column.type == .objectId else { return nil }
            return try id.withStoredBytes { (bytes) throws(StorageError) in
                try find(whereBytes: column.id, are: bytes)
            }
        }
    }

    /// The object whose indexed text is `value`.
    @inline(__always)
    func find(whereText column: Int, is value: String) throws(StorageError) -> FoundRow? {
        var value = value
        // `withUTF8` knows no typed errors.
        let found = value.withUTF8 { bytes -> Result<FoundRow?, StorageError> in
            do throws(StorageError) {
                let bytes = UnsafeRawBufferPointer(bytes)
                return .success(try find(whereBytes: column, are: bytes))
            } catch { return .failure(error) }
        }
        return try found.get()
    }
}

/// Finds the object that has the primary key in a `@Persisted` wrapper: one for each type.
///
/// **Threads.** Immutable; used where the table reader may be.
struct PrimaryKeyFinder: Sendable {
    /// - Precondition: the slot holds a `Persisted` of the type the finder was asked for.
    let find:
        @Sendable (UnsafeMutableRawPointer, TableReader, PrimaryKeyColumn) throws(StorageError) ->
            FoundRow?

    /// The finder of a property's type; nil for optionals and for types that are no keys.
    static func of(_ type: Any.Type) -> PrimaryKeyFinder? { finders[ObjectIdentifier(type)] }

    private static let finders: [ObjectIdentifier: PrimaryKeyFinder] = [
        ObjectIdentifier(String.self): finder { PrimaryKeyValue.string($0) },
        ObjectIdentifier(Int.self): finder { (key: Int) in PrimaryKeyValue.int(Int64(key)) },
        ObjectIdentifier(Int64.self): finder { (key: Int64) in PrimaryKeyValue.int(key) },
        ObjectIdentifier(UUID.self): finder { PrimaryKeyValue.uuid($0) },
        ObjectIdentifier(ObjectId.self): finder { PrimaryKeyValue.objectId($0) },
    ]

    @inline(__always)
    private static func finder<Value>(
        _ key: @escaping @Sendable (Value) -> PrimaryKeyValue
    ) -> PrimaryKeyFinder {
        PrimaryKeyFinder { (slot, table, column) throws(StorageError) in
            // SAFETY: `Persisted<Value>` is an `Optional<Value>` and nothing else.
            guard let value = slot.assumingMemoryBound(to: Value?.self).pointee else { return nil }
            return try table.find(primary: key(value), in: column)
        }
    }
}
