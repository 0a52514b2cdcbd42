/// What one commit has changed, as the history keeps it.
///
/// **Shape.** Tables ascend by id, each has a change. What an object was set to is not kept: who wants
/// to know looks at the object. A property that was set to the value it had has not changed.
/// **Threads.** A value.
struct HistoryRecord: Equatable, Sendable {
    /// What was changed in one table. An object is in one of the three.
    struct Table: Equatable, Sendable {
        let id: TableID
        var inserted = KeyRuns()
        var deleted = KeyRuns()
        /// Of the deleted objects, in the same order; nil if the class has no primary key.
        var primaryKeys: [MixedValue]?
        /// By the columns that have another value.
        var modified: [ColumnSet: KeyRuns] = [:]

        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
    }

    /// When and by whom.
    struct Head: Equatable, Sendable {
        /// Seconds since 2001-01-01 UTC.
        var date: Double
        /// Random: tells the commit from another one of the same version, in another store or after
        /// an older copy of this one was put in its place.
        var mark: UInt64
        /// Empty if nobody was named.
        var author: String
        /// Whether classes, properties or indexes were changed.
        var changesSchema: Bool
    }

    var head: Head
    var tables: [Table] = []

    init(_ head: Head) { self.head = head }

    // MARK: - Encoding

    func encoded() -> ByteWriter {
        var writer = ByteWriter()
        writer.append(head.changesSchema)
        withUnsafeBytes(of: head.date.bitPattern.littleEndian) { writer.append(raw: $0) }
        withUnsafeBytes(of: head.mark.littleEndian) { writer.append(raw: $0) }
        writer.append(head.author)
        writer.append(tables.count)
        for table in tables { table.encode(into: &writer) }
        return writer
    }

    // MARK: - Decoding

    /// - Precondition: `buffer` is kept by the caller.
    init(_ buffer: BlobBuffer, damage: StorageError) throws(StorageError) {
        var reader = ByteReader(buffer.payloadBytes, damage: damage)
        head = try Head(&reader)
        let tableCount = try reader.int(below: 1 << 20)
        var next = 0
        for _ in 0..<tableCount {
            let table = try Table(&reader)
            guard table.id >= next else { throw damage }
            next = table.id + 1
            tables.append(table)
        }
        guard reader.isAtEnd else { throw damage }
    }
}

extension HistoryRecord.Head {
    init(_ reader: inout ByteReader) throws(StorageError) {
        changesSchema = try reader.bool()
        date = Double(bitPattern: try reader.word())
        mark = try reader.word()
        author = try reader.string()
    }
}

extension HistoryRecord.Table {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(id)
        inserted.encode(into: &writer)
        deleted.encode(into: &writer)
        writer.append(primaryKeys != nil)
        for value in primaryKeys ?? [] { writer.append(value.encoded) }
        writer.append(modified.count)
        // In an order that does not depend on hashes.
        let groups = modified.map { (columns: $0.key.ids, keys: $0.value) }
            .sorted { $0.columns.lexicographicallyPrecedes($1.columns) }
        for (columns, keys) in groups {
            writer.append(columns.count)
            for column in columns { writer.append(column) }
            keys.encode(into: &writer)
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(StorageError) {
        id = try reader.int(below: 1 << 20)
        inserted = try KeyRuns(&reader)
        deleted = try KeyRuns(&reader)
        if try reader.bool() {
            var keys: [MixedValue] = []
            for _ in 0..<deleted.count {
                let bytes = try reader.byteString()
                guard let value = bytes.withUnsafeBytes({ MixedValue($0) }) else {
                    throw reader.damage
                }
                keys.append(value)
            }
            primaryKeys = keys
        }
        let groupCount = try reader.int(below: 1 << 40)
        for _ in 0..<groupCount {
            var columns = ColumnSet()
            let columnCount = try reader.int(below: 1 << 16)
            for _ in 0..<columnCount { columns.insert(try reader.int(below: 1 << 16)) }
            let keys = try KeyRuns(&reader)
            guard modified.updateValue(keys, forKey: columns) == nil else { throw reader.damage }
        }
    }
}

extension ByteReader {
    /// Eight bytes.
    fileprivate mutating func word() throws(StorageError) -> UInt64 {
        // SAFETY: `raw` gives as many bytes as asked for; loadUnaligned needs no alignment.
        UInt64(littleEndian: try raw(8).loadUnaligned(as: UInt64.self))
    }
}
