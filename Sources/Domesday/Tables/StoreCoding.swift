/// The store's own blobs in the root space: schema, state, and one directory per table.
///
/// The schema changes rarely; the state is small and written by every commit; a directory changes
/// only when a table's set of clusters does.
enum StoreCoding {
    static let schemaAddress = BlobAddress(space: .root, id: 1)
    static let stateAddress = BlobAddress(space: .root, id: 2)

    static func directoryAddress(_ table: TableID) -> BlobAddress {
        BlobAddress(space: .root, id: Int64(1000 + table))
    }

    // MARK: - Schema

    static func encodeSchema(_ snapshot: Snapshot, userVersion: UInt64) -> BlobBuffer {
        var writer = ByteWriter()
        writer.append(userVersion)
        writer.append(snapshot.nextSpace)
        writer.append(snapshot.tables.count)
        for table in snapshot.tables {
            writer.append(table != nil)
            guard let table else { continue }
            encode(table.definition, table.spaces, into: &writer)
        }
        return writer.blob()
    }

    private static func encode(
        _ definition: TableDefinition,
        _ spaces: TableSpaces,
        into writer: inout ByteWriter
    ) {
        writer.append(definition.name)
        writer.append(definition.isEmbedded)
        writer.append(spaces.fixed.number)
        writer.append(spaces.heap.number)
        writer.append(spaces.long.number)
        writer.append(definition.columns.count)
        for column in definition.columns {
            writer.append(column.name)
            writer.append(column.type.rawValue)
            writer.append(column.shape.rawValue)
            writer.append(column.isOptional)
            writer.append(traits(of: column))
            writer.append(column.isPrimaryKey)
            writer.append(column.isRemoved)
            writer.append((column.target ?? -1) + 1)
            let index = spaces.indexes[column.id]
            writer.append((index?.leaves.number ?? -1) + 1)
            writer.append((index?.groups.number ?? -1) + 1)
            guard column.isCompound else { continue }
            writer.append(column.components.count)
            for component in column.components { writer.append(component) }
        }
    }

    /// How a column is indexed and what deletes do over it, as bits.
    private static func traits(of column: ColumnDefinition) -> UInt8 {
        (column.isFullText ? 2 : column.isIndexed ? 1 : 0)
            | (column.isUnique ? 4 : 0) | (column.isCompound ? 8 : 0)
            | column.rule.rawValue << 4 | column.backwardRule.rawValue << 6
    }

    struct Schema {
        var userVersion: UInt64
        var nextSpace: Int
        var tables: [(TableDefinition, TableSpaces)?]
    }

    static func decodeSchema(_ buffer: BlobBuffer, damage: StorageError) throws(StorageError)
        -> Schema
    {
        var reader = ByteReader(buffer.payloadBytes, damage: damage)
        let userVersion = try reader.unsigned()
        let nextSpace = try reader.int(below: 1 << 40)
        let tableCount = try reader.int(below: 1 << 20)
        var tables: [(TableDefinition, TableSpaces)?] = []
        for id in 0..<tableCount {
            tables.append(try reader.bool() ? try decodeTable(id, &reader, damage) : nil)
        }
        return Schema(userVersion: userVersion, nextSpace: nextSpace, tables: tables)
    }

    private static func decodeTable(
        _ id: Int,
        _ reader: inout ByteReader,
        _ damage: StorageError
    ) throws(StorageError) -> (TableDefinition, TableSpaces) {
        var definition = TableDefinition(
            id: id,
            name: try reader.string(),
            isEmbedded: try reader.bool(),
            isRemoved: false,
            columns: []
        )
        let limit = 1 << 40
        var spaces = TableSpaces(
            fixed: Space(try reader.int(below: limit)),
            heap: Space(try reader.int(below: limit)),
            long: Space(try reader.int(below: limit)),
            indexes: [:]
        )
        let columnCount = try reader.int(below: 1 << 16)
        for columnID in 0..<columnCount {
            let name = try reader.string()
            guard let type = ColumnType(rawValue: try reader.byte()),
                let shape = CollectionShape(rawValue: try reader.byte())
            else { throw damage }
            let isOptional = try reader.bool()
            let traits = try reader.byte()
            let indexing = traits & 3
            guard indexing <= 2, let rule = LinkRule(rawValue: traits >> 4 & 3),
                let backwardRule = LinkRule(rawValue: traits >> 6)
            else { throw damage }
            let isPrimaryKey = try reader.bool()
            let isRemoved = try reader.bool()
            let target = try reader.int(below: 1 << 20)
            definition.columns.append(
                ColumnDefinition(
                    id: columnID,
                    name: name,
                    type: type,
                    shape: shape,
                    isOptional: isOptional,
                    isIndexed: indexing == 1,
                    isPrimaryKey: isPrimaryKey,
                    isRemoved: isRemoved,
                    target: target == 0 ? nil : target - 1,
                    isFullText: indexing == 2,
                    isUnique: traits & 4 != 0,
                    rule: rule,
                    backwardRule: backwardRule
                )
            )
            let leaves = try reader.int(below: limit)
            let groups = try reader.int(below: limit)
            if leaves > 0, groups > 0 {
                spaces.indexes[columnID] = IndexSpaces(
                    leaves: Space(leaves - 1),
                    groups: Space(groups - 1)
                )
            }
            if traits & 8 != 0 {
                definition.columns[columnID].components = try components(
                    columnCount,
                    &reader,
                    damage
                )
            }
        }
        return (definition, spaces)
    }

    private static func components(
        _ columnCount: Int,
        _ reader: inout ByteReader,
        _ damage: StorageError
    ) throws(StorageError) -> [Int] {
        let count = try reader.int(below: CompoundImage.columnCounts.upperBound + 1)
        guard CompoundImage.columnCounts.contains(count) else { throw damage }
        var components: [Int] = []
        for _ in 0..<count { components.append(try reader.int(below: columnCount)) }
        return components
    }

    // MARK: - State

    static func encodeState(_ snapshot: Snapshot) -> BlobBuffer {
        var capacity = 16
        for case let table? in snapshot.tables {
            capacity += table.indexes.values.reduce(32) { $0 + $1.encodedRoot.count + 4 }
        }
        var writer = ByteWriter(capacity: capacity)
        writer.append(snapshot.version)
        for case let table? in snapshot.tables {
            writer.append(table.count)
            writer.append(Int(table.nextKey))
            writer.append(Int(table.nextLongValue))
            for id in table.indexes.keys.sorted() {
                if let index = table.indexes[id] { writer.append(index.encodedRoot) }
            }
        }
        return writer.blob()
    }

    // MARK: - Directories

    /// Runs of clusters whose first keys are 256 apart: distance to the run before, length.
    static func encodeDirectory(_ directory: ClusterDirectory) -> BlobBuffer {
        var writer = ByteWriter()
        writer.append(directory.count)
        var runStart: ObjectKey = 0
        var runLength = 0
        var previousEnd: ObjectKey = 0
        func close(_ writer: inout ByteWriter) {
            guard runLength > 0 else { return }
            writer.append(Int(runStart - previousEnd))
            writer.append(runLength)
            previousEnd = runStart + ObjectKey(runLength - 1) * 256
        }
        for chunk in directory.chunks {
            for key in chunk.firstKeys {
                if runLength > 0, key == runStart + ObjectKey(runLength) * 256 {
                    runLength += 1
                } else {
                    close(&writer)
                    runStart = key
                    runLength = 1
                }
            }
        }
        close(&writer)
        return writer.blob()
    }

    static func decodeDirectory(
        _ buffer: BlobBuffer,
        damage: StorageError
    ) throws(StorageError) -> [ObjectKey] {
        var reader = ByteReader(buffer.payloadBytes, damage: damage)
        let count = try reader.int(below: 1 << 40)
        var keys: [ObjectKey] = []
        var previousEnd: ObjectKey = 0
        while keys.count < count {
            let start = previousEnd + ObjectKey(try reader.int(below: 1 << 60))
            let length = try reader.int(below: count - keys.count + 1)
            guard length > 0, keys.isEmpty || start > previousEnd else { throw damage }
            for position in 0..<length { keys.append(start + ObjectKey(position) * 256) }
            previousEnd = start + ObjectKey(length - 1) * 256
        }
        return keys
    }
}

extension BlobBuffer {
    /// The payload in use.
    var payloadBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: payload, count: payloadByteCount)
    }
}
