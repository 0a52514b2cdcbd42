import Foundation

// A stand-in for the engine, with its signatures: dictionaries in memory, a cluster per object.

struct RowLocation {
    let cluster: UnsafeRawPointer
    let row: Int
}

final class StoreReader {
    private(set) var tables: [TableReader?] = []
    var epochDidChange: () -> Void = {}
    private(set) var isWriting = false
    private var saved: [[ObjectKey: [StubValue]]] = []
    private var garbage: [UnsafeMutableRawPointer] = []

    init(_ definitions: [TableDefinition]) {
        tables = definitions.map { TableReader($0, self) }
    }

    deinit { for memory in garbage { memory.deallocate() } }

    func beginWrite() throws(StorageError) {
        saved = tables.map { $0?.rows ?? [:] }
        isWriting = true
    }

    func commitWrite() throws(StorageError) {
        isWriting = false
        saved = []
    }

    func cancelWrite() {
        for (table, rows) in zip(tables, saved) {
            table?.rows = rows
            table?.clusters = [:]
        }
        isWriting = false
        epochDidChange()
    }

    func refresh() throws(StorageError) -> Bool { false }

    fileprivate func retire(_ memory: UnsafeMutableRawPointer) {
        garbage.append(memory)
    }
}

enum StubValue: Hashable {
    case null
    case int(Int64)
    case float(UInt32)
    case double(UInt64)
    case bytes([UInt8])
}

final class TableReader {
    let definition: TableDefinition
    fileprivate unowned let store: StoreReader
    fileprivate(set) var rows: [ObjectKey: [StubValue]] = [:]
    fileprivate var clusters: [ObjectKey: UnsafeRawPointer] = [:]
    private var nextKey: ObjectKey = 1

    fileprivate init(_ definition: TableDefinition, _ store: StoreReader) {
        self.definition = definition
        self.store = store
    }

    var count: Int { rows.count }

    func locate(_ key: ObjectKey) throws(StorageError) -> RowLocation? {
        guard let row = rows[key] else { return nil }
        if let known = clusters[key] { return RowLocation(cluster: known, row: 0) }
        let cluster = build(key, row)
        clusters[key] = cluster
        return RowLocation(cluster: cluster, row: 0)
    }

    private func build(_ key: ObjectKey, _ row: [StubValue]) -> UnsafeRawPointer {
        let count = row.count
        let fixedByteCount = 32 + 32 * count + 32 * count
        let bytes = row.map { value -> [UInt8] in
            if case .bytes(let bytes) = value { bytes } else { [] }
        }
        let heapStart = 64 + fixedByteCount
        var heapByteCount = 16 + 16 * count + 8 * count
        let dataStart = heapByteCount
        heapByteCount += bytes.reduce(0) { $0 + $1.count }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: heapStart + heapByteCount + 16, alignment: 16)
        memset(memory, 0, heapStart + heapByteCount + 16)
        store.retire(memory)
        let payload = memory + 64
        let heap = memory + heapStart
        (payload - 48).storeBytes(of: UInt64(UInt(bitPattern: heap)), as: UInt64.self)
        payload.storeBytes(of: 1, as: UInt32.self)
        payload.storeBytes(of: 1, toByteOffset: 4, as: UInt32.self)
        payload.storeBytes(of: UInt32(count), toByteOffset: 8, as: UInt32.self)
        payload.storeBytes(of: key, toByteOffset: 16, as: Int64.self)
        var position = dataStart
        for (column, value) in row.enumerated() {
            let entry = payload + 32 + 32 * column
            let section = 32 + 32 * count + 32 * column
            let definition = definition.columns[column]
            entry.storeBytes(of: definition.kind.rawValue, as: UInt8.self)
            let width = definition.kind == .fixed ? definition.type.byteCount : 8
            entry.storeBytes(of: UInt8(width), toByteOffset: 1, as: UInt8.self)
            entry.storeBytes(of: UInt32(section), toByteOffset: 4, as: UInt32.self)
            entry.storeBytes(of: UInt32(section + 8), toByteOffset: 8, as: UInt32.self)
            let data = payload + section + 8
            switch value {
            case .null: (payload + section).storeBytes(of: 1, as: UInt8.self)
            case .int(let number): data.storeBytes(of: number, as: Int64.self)
            case .float(let bits): data.storeBytes(of: bits, as: UInt32.self)
            case .double(let bits): data.storeBytes(of: bits, as: UInt64.self)
            case .bytes(let bytes) where definition.kind == .fixed:
                for (offset, byte) in bytes.enumerated() {
                    data.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
                }
            case .bytes: break
            }
            let ends = 16 + 16 * count + 8 * column
            let heapEntry = heap + 16 + 16 * column
            heapEntry.storeBytes(of: UInt32(ends), as: UInt32.self)
            heapEntry.storeBytes(of: UInt32(position), toByteOffset: 4, as: UInt32.self)
            heap.storeBytes(
                of: UInt32(bytes[column].count), toByteOffset: ends + 4, as: UInt32.self)
            for byte in bytes[column] {
                heap.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
                position += 1
            }
        }
        return UnsafeRawPointer(payload)
    }

    func bytes(
        _ cluster: UnsafeRawPointer, column: Int, row: Int
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let heap = ClusterView(cluster).heap else {
            throw StorageError(.damaged, path: "stub", detail: "no heap part")
        }
        return ClusterView.bytes(heap, column, row)
    }

    func key(ofPrimary value: PrimaryKeyValue) throws(StorageError) -> ObjectKey? {
        guard let column = definition.primaryKey?.id else { return nil }
        let wanted: StubValue =
            switch value {
            case .null: .null
            case .int(let number): .int(number)
            case .string(let text): .bytes(Array(text.utf8))
            case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { .bytes(Array($0)) }
            case .objectId(let id): id.withUnsafeBytes { .bytes(Array($0)) }
            }
        return rows.first { $0.value[column] == wanted }?.key
    }

    func sourceCount(of target: ObjectKey, through column: Int) throws(StorageError) -> Int {
        try sources(of: target, through: column).count
    }

    func sources(of target: ObjectKey, through column: Int) throws(StorageError) -> [ObjectKey] {
        rows.sorted { $0.key < $1.key }.flatMap { key, row in
            Self.links(row[column]).filter { $0 == target }.map { _ in key }
        }
    }

    private static func links(_ value: StubValue) -> [ObjectKey] {
        switch value {
        case .int(let key): [key]
        case .bytes(let bytes):
            bytes.withUnsafeBytes { buffer in
                stride(from: 0, to: buffer.count, by: 8).map {
                    buffer.loadUnaligned(fromByteOffset: $0, as: ObjectKey.self)
                }
            }
        default: []
        }
    }

    func insert() throws(StorageError) -> ObjectKey {
        let key = nextKey
        nextKey += 1
        rows[key] = definition.columns.map { column in
            if column.shape == .list { return .bytes([]) }
            if column.type == .link { return .int(0) }
            if column.isOptional { return .null }
            switch column.kind {
            case .int: return .int(0)
            case .float: return .float(0)
            case .double: return .double(0)
            case .fixed: return .bytes(Array(repeating: 0, count: column.type.byteCount))
            case .bytes, .absent: return .bytes([])
            }
        }
        store.epochDidChange()
        return key
    }

    func writer(of key: ObjectKey) throws(StorageError) -> RowWriter {
        RowWriter(key: key, table: self)
    }

    func delete(_ keys: [ObjectKey]) throws(StorageError) {
        for key in keys {
            guard let row = rows.removeValue(forKey: key) else { continue }
            clusters[key] = nil
            for case let source? in store.tables {
                for column in source.definition.columns
                where column.isLink && column.target == definition.id {
                    for (sourceKey, values) in source.rows {
                        let links = Self.links(values[column.id])
                        guard links.contains(key) else { continue }
                        source.set(
                            sourceKey, column.id,
                            column.shape == .none
                                ? .int(0)
                                : .bytes(
                                    links.filter { $0 != key }.flatMap { key in
                                        withUnsafeBytes(of: key) { Array($0) }
                                    }))
                    }
                }
            }
            for column in definition.columns where column.isLink {
                guard let id = column.target, let target = store.tables[id],
                    target.definition.isEmbedded
                else { continue }
                try target.delete(Self.links(row[column.id]).sorted())
            }
        }
        store.epochDidChange()
    }

    fileprivate func set(_ key: ObjectKey, _ column: Int, _ value: StubValue) {
        precondition(store.isWriting, "the stub was written outside a write")
        rows[key]?[column] = value
        clusters[key] = nil
        store.epochDidChange()
    }
}

struct RowWriter {
    let key: ObjectKey
    fileprivate let table: TableReader

    fileprivate init(key: ObjectKey, table: TableReader) {
        self.key = key
        self.table = table
    }

    func setNil(_ column: Int) throws(StorageError) { table.set(key, column, .null) }

    func setInt(_ value: Int64, _ column: Int) throws(StorageError) {
        table.set(key, column, .int(value))
    }

    func setFloat(_ value: Float, _ column: Int) throws(StorageError) {
        table.set(key, column, .float(value.bitPattern))
    }

    func setDouble(_ value: Double, _ column: Int) throws(StorageError) {
        table.set(key, column, .double(value.bitPattern))
    }

    func setBytes(_ bytes: UnsafeRawBufferPointer, _ column: Int) throws(StorageError) {
        table.set(key, column, .bytes(Array(bytes)))
    }

    func splice(
        _ column: Int, at byteOffset: Int, removing byteCount: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) throws(StorageError) {
        guard case .bytes(var all)? = table.rows[key]?[column] else { return }
        all.replaceSubrange(byteOffset..<(byteOffset + byteCount), with: bytes)
        table.set(key, column, .bytes(all))
    }
}
