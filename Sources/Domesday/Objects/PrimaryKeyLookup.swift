import Foundation

extension TableReader {
    /// The object with a primary key; nil also when the table has none.
    ///
    /// - Complexity: O(1) expected for text and identifiers, O(log n) for integers.
    func key(ofPrimary value: PrimaryKeyValue) throws(StorageError) -> ObjectKey? {
        guard let column = definition.primaryKey else { return nil }
        switch value {
        case .null: return try firstKey(whereNil: column.id)
        case .int(let number):
            guard column.kind == .int else { return nil }
            return try firstKey(whereInt: column.id, is: number)
        case .string(let text):
            guard column.type == .string else { return nil }
            return try firstKey(whereBytes: column.id, are: Array(text.utf8))
        case .uuid(let uuid):
            guard column.type == .uuid else { return nil }
            return try firstKey(
                whereBytes: column.id,
                are: Swift.withUnsafeBytes(of: uuid.uuid) { Array($0) }
            )
        case .objectId(let id):
            guard column.type == .objectId else { return nil }
            return try firstKey(whereBytes: column.id, are: id.withUnsafeBytes { Array($0) })
        }
    }

    private func firstKey(
        whereBytes column: Int,
        are bytes: [UInt8]
    ) throws(StorageError) -> ObjectKey? {
        var result: Result<ObjectKey?, StorageError> = .success(nil)
        bytes.withUnsafeBytes { bytes in
            do throws(StorageError) {
                result = .success(try firstKey(whereBytes: column, are: bytes))
            } catch { result = .failure(error) }
        }
        return try result.get()
    }
}
