/// Decodes a store blob by blob, by itself, and compares everything that is kept twice: counts with
/// rows, indexes with columns, back-links with links, owners with embedded objects.
///
/// It shares no decoding with the engine but the blob's own checksum: what the engine and this
/// agree on was written right.
struct StoreCheck {
    /// What is wrong, one sentence each; empty when all invariants hold.
    private(set) var findings: [String] = []
    /// The numbers of the roots and leaves in the table at hand.
    private var usedNumbers: Set<Int64> = []
    let snapshot: Snapshot
    private let hash: (UnsafeRawBufferPointer) -> UInt64
    /// The images of a text's words, each once.
    private let words: (UnsafeRawBufferPointer) -> [UInt64]

    /// Checks the newest committed version.
    ///
    /// - Complexity: O(bytes of the store) in time, O(objects and links) in memory.
    static func findings(in store: Store) throws(StorageError) -> [String] {
        let snapshot = store.acquireNewest()
        defer { store.release(snapshot) }
        let seed = store.seed
        var check = StoreCheck(
            snapshot: snapshot,
            hash: { IndexValue.bytes($0, seed: seed) },
            words: { TextWords($0).images(seed: seed) }
        )
        var keys: [TableID: Set<ObjectKey>] = [:]
        var links: [FoundLink] = []
        for table in snapshot.tables.compactMap({ $0 }) {
            keys[table.definition.id] = try check.table(table, &links)
        }
        check.links(links, keys, snapshot)
        try check.history(keys)
        return check.findings
    }

    private init(
        snapshot: Snapshot,
        hash: @escaping (UnsafeRawBufferPointer) -> UInt64,
        words: @escaping (UnsafeRawBufferPointer) -> [UInt64]
    ) {
        self.snapshot = snapshot
        self.hash = hash
        self.words = words
    }

    mutating func report(_ text: String) {
        if findings.count < 100 { findings.append(text) }
    }

    /// Reads a cluster's rows and holds its indexes against them.
    private mutating func table(
        _ table: TableSnapshot,
        _ links: inout [FoundLink]
    ) throws(StorageError) -> Set<ObjectKey> {
        let name = table.definition.name
        usedNumbers = []
        var keys: Set<ObjectKey> = []
        var expected: [Int: [IndexEntry: Int]] = [:]
        for id in table.indexes.keys { expected[id] = [:] }
        var unique: [Int: Set<[[UInt8]]>] = [:]
        var previous: ObjectKey = 0
        let address = BlobAddress(space: .root, id: Int64(1000 + table.definition.id))
        for first in Self.directory(try read(address)) {
            guard let cluster = try cluster(table, first) else { continue }
            for row in 0..<cluster.rowCount {
                let key = cluster.key(row)
                if key <= previous { report("\(name): key \(key) does not ascend") }
                if key >= table.nextKey { report("\(name): key \(key) was never given") }
                previous = key
                keys.insert(key)
                for column in table.definition.columns where !column.isRemoved {
                    try values(table, column, cluster, row, key, &expected, &links)
                    guard column.isUnique,
                        let value = try uniqueValue(table, column, cluster, row),
                        !unique[column.id, default: []].insert(value).inserted
                    else { continue }
                    report("\(name).\(column.name): key \(key) has a value that is not unique")
                }
            }
        }
        if keys.count != table.count {
            report("\(name): counts \(table.count) objects, holds \(keys.count)")
        }
        for (column, index) in table.indexes {
            var stored: [IndexEntry: Int] = [:]
            try index.forEachEntry(from: snapshot) { entry throws(StorageError) in
                stored[entry, default: 0] += 1
                return true
            }
            if stored != expected[column] {
                let title = table.definition.columns[column].name
                report("\(name).\(title): index disagrees with the column")
            }
        }
        return keys
    }

    private mutating func values(
        _ table: TableSnapshot,
        _ column: ColumnDefinition,
        _ cluster: RawCluster,
        _ row: Int,
        _ key: ObjectKey,
        _ expected: inout [Int: [IndexEntry: Int]],
        _ links: inout [FoundLink]
    ) throws(StorageError) {
        var targets: [ObjectKey] = []
        var mixedLinks: [(table: TableID, target: ObjectKey)]?
        if column.shape != .none {
            let leaves = try leaves(table, column.id, cluster, row)
            for number in leaves.numbers where !usedNumbers.insert(number).inserted {
                report("\(table.definition.name) \(key).\(column.name): shares a leaf")
            }
            let collection = StoreCheckCollection(leaves, column)
            targets = collection.links
            mixedLinks = collection.mixedLinks
            if let finding = collection.finding {
                report("\(table.definition.name) \(key).\(column.name): \(finding)")
            }
        }
        guard expected[column.id] != nil else {
            if column.kind == .bytes, column.shape == .none {
                _ = try bytes(table, column.id, cluster, row)
            }
            return
        }
        func enter(_ value: UInt64) {
            expected[column.id]?[IndexEntry(value: value, key: UInt64(key)), default: 0] += 1
        }
        if column.isLink {
            if column.shape == .none {
                let target = cluster.int(column.id, row)
                if target != 0 { targets = [target] }
            }
            for target in targets {
                enter(UInt64(bitPattern: target))
                links.append(
                    FoundLink(source: table, column: column, table: column.target, target: target)
                )
            }
            return
        }
        if column.isMixed {
            if column.shape == .none {
                mixedLinks = RawMixed.links(in: try bytes(table, column.id, cluster, row))
            }
            guard let found = mixedLinks else {
                return report("\(table.definition.name).\(column.name): key \(key) is damaged")
            }
            for link in found {
                enter(UInt64(bitPattern: link.target) &+ UInt64(link.table) << 48)
                links.append(
                    FoundLink(
                        source: table,
                        column: column,
                        table: link.table,
                        target: link.target
                    )
                )
            }
            return
        }
        if column.isFullText {
            if cluster.state(column.id, row) == 1 { return }
            let text = try bytes(table, column.id, cluster, row)
            return text.withUnsafeBytes(words).forEach(enter)
        }
        enter(
            column.isCompound
                ? try compoundImage(table, column, cluster, row)
                : try image(table, column, cluster, row)
        )
    }

    /// A value as it stands in an index.
    private func image(
        _ table: TableSnapshot,
        _ column: ColumnDefinition,
        _ cluster: RawCluster,
        _ row: Int
    ) throws(StorageError) -> UInt64 {
        if cluster.state(column.id, row) == 1 { return 0 }
        switch column.kind {
        case .int: return UInt64(bitPattern: cluster.int(column.id, row)) ^ (1 << 63)
        case .double: return IndexValue.double(cluster.double(column.id, row))
        case .float: return IndexValue.double(Double(cluster.float(column.id, row)))
        case .fixed: return cluster.fixed(column.id, row).withUnsafeBytes(hash)
        case .bytes: return try bytes(table, column.id, cluster, row).withUnsafeBytes(hash)
        case .absent: return 0
        }
    }

    /// Values as they stand in a compound index.
    private func compoundImage(
        _ table: TableSnapshot,
        _ column: ColumnDefinition,
        _ cluster: RawCluster,
        _ row: Int
    ) throws(StorageError) -> UInt64 {
        var word: UInt64 = 0
        let width = UInt64(32 / (column.components.count - 1))
        for (position, id) in column.components.enumerated() {
            let value = try image(table, table.definition.columns[id], cluster, row)
            let hash = value &* 0x9E37_79B9_7F4A_7C15
            let end = position == 0 ? 32 : 32 - UInt64(position) * width
            word |= (hash >> (position == 0 ? 32 : 64 - width)) << end
        }
        return word
    }

    /// What no two objects may both have in a unique column; nil if a value is nil.
    private func uniqueValue(
        _ table: TableSnapshot,
        _ column: ColumnDefinition,
        _ cluster: RawCluster,
        _ row: Int
    ) throws(StorageError) -> [[UInt8]]? {
        var values: [[UInt8]] = []
        for id in column.isCompound ? column.components : [column.id] {
            if cluster.state(id, row) == 1 { return nil }
            switch table.definition.columns[id].kind {
            case .int: values.append(Array("\(cluster.int(id, row))".utf8))
            case .double: values.append(Array("\(cluster.double(id, row) + 0)".utf8))
            case .float: values.append(Array("\(cluster.float(id, row) + 0)".utf8))
            case .fixed: values.append(cluster.fixed(id, row))
            case .bytes: values.append(try bytes(table, id, cluster, row))
            case .absent: return nil
            }
        }
        return values
    }

    /// Every link leads to an object; every embedded object has one owner.
    private mutating func links(
        _ links: [FoundLink],
        _ keys: [TableID: Set<ObjectKey>],
        _ snapshot: Snapshot
    ) {
        var owners: [TableID: [ObjectKey: Int]] = [:]
        for link in links {
            let (source, column, target) = (link.source, link.column, link.target)
            guard let table = link.table, let known = keys[table] else {
                report("\(source.definition.name).\(column.name): leads to no table")
                continue
            }
            if !known.contains(target) {
                report("\(source.definition.name).\(column.name): leads to no object \(target)")
            }
            owners[table, default: [:]][target, default: 0] += 1
        }
        for table in snapshot.tables.compactMap({ $0 }) where table.definition.isEmbedded {
            for key in keys[table.definition.id] ?? [] {
                let count = owners[table.definition.id]?[key] ?? 0
                if count != 1 { report("\(table.definition.name) \(key): has \(count) owners") }
            }
        }
    }

    /// A link as it stands in a row.
    private struct FoundLink {
        let source: TableSnapshot
        let column: ColumnDefinition
        let table: TableID?
        let target: ObjectKey
    }

    // MARK: - Decoding

    private static func directory(_ blob: BlobBuffer?) -> [ObjectKey] {
        guard let blob else { return [] }
        let bytes = Array(blob.payloadBytes)
        var offset = 0
        func number() -> Int {
            var value = 0
            var shift = 0
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                value |= Int(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            return value
        }
        var keys: [ObjectKey] = []
        let count = number()
        var start = 0
        while keys.count < count, offset < bytes.count {
            start += number()
            for _ in 0..<number() {
                keys.append(ObjectKey(start))
                start += 256
            }
            start -= 256
        }
        return keys
    }

    private mutating func cluster(
        _ table: TableSnapshot,
        _ id: ObjectKey
    ) throws(StorageError) -> RawCluster? {
        let name = table.definition.name
        guard let fixed = try read(BlobAddress(space: table.spaces.fixed, id: id)) else {
            report("\(name): cluster \(id) is missing")
            return nil
        }
        let heap = try read(BlobAddress(space: table.spaces.heap, id: id))
        let cluster = RawCluster(
            fixed: Array(fixed.payloadBytes),
            heap: heap.map { Array($0.payloadBytes) } ?? [],
            columns: table.definition.columns
        )
        if cluster.firstKey != id { report("\(name): cluster \(id) says it is another") }
        if cluster.rowCount == 0 { report("\(name): cluster \(id) is empty") }
        return cluster
    }

    private func bytes(
        _ table: TableSnapshot,
        _ column: Int,
        _ cluster: RawCluster,
        _ row: Int
    ) throws(StorageError) -> [UInt8] {
        let bytes = cluster.bytes(column, row)
        guard cluster.state(column, row) == 2 else { return bytes }
        let number = bytes.links.first ?? 0
        let address = BlobAddress(space: table.spaces.long, id: number)
        guard let blob = try read(address),
            blob.payloadByteCount == bytes.links.last.map(Int.init)
        else {
            throw StorageError(
                .damaged,
                path: snapshot.path,
                address: address,
                detail: "long value is missing"
            )
        }
        return Array(blob.payloadBytes)
    }

    /// The bytes of a collection, in leaves if it is long.
    private func leaves(
        _ table: TableSnapshot,
        _ column: Int,
        _ cluster: RawCluster,
        _ row: Int
    ) throws(StorageError) -> StoreCheckLeaves {
        guard cluster.state(column, row) == 3 else {
            return StoreCheckLeaves(try bytes(table, column, cluster, row))
        }
        return try StoreCheckLeaves(reference: cluster.bytes(column, row)) {
            (number) throws(StorageError) in
            try read(BlobAddress(space: table.spaces.long, id: number))
        }
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try snapshot.store.read(address, at: snapshot)
    }
}

extension [UInt8] {
    /// The bytes as little-endian 64-bit numbers.
    fileprivate var links: [ObjectKey] {
        stride(from: 0, to: count - 7, by: 8).map { start in
            ObjectKey(
                truncatingIfNeeded: (0..<8).reduce(UInt64(0)) {
                    $0 | UInt64(self[start + $1]) << UInt64(8 * $1)
                }
            )
        }
    }
}

/// A cluster decoded from plain bytes, after FORMAT.md rather than after the engine.
private struct RawCluster {
    let fixed: [UInt8]
    let heap: [UInt8]
    let columns: [ColumnDefinition]

    private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
        guard offset >= 0, offset + width <= bytes.count else { return 0 }
        return (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    private func entry(_ column: Int) -> Int? {
        UInt64(column) < number(fixed, 8, 4) ? 32 + column * 32 : nil
    }

    var rowCount: Int { Int(number(fixed, 0, 4)) }
    var firstKey: ObjectKey { ObjectKey(bitPattern: number(fixed, 16, 8)) }

    func key(_ row: Int) -> ObjectKey {
        let width = Int(number(fixed, 12, 4))
        if width == 0 { return firstKey + ObjectKey(row) }
        let offset = Int(number(fixed, 24, 4)) + row * width
        return firstKey + ObjectKey(bitPattern: number(fixed, offset, width))
    }

    func state(_ column: Int, _ row: Int) -> UInt8 {
        guard let entry = entry(column) else { return columns[column].hasNilState ? 1 : 0 }
        let offset = Int(number(fixed, entry + 4, 4))
        return offset == 0 ? 0 : UInt8(number(fixed, offset + row, 1))
    }

    private func raw(_ column: Int, _ row: Int) -> UInt64 {
        guard let entry = entry(column) else { return 0 }
        let width = Int(number(fixed, entry + 1, 1))
        return number(fixed, Int(number(fixed, entry + 8, 4)) + row * width, width)
    }

    func int(_ column: Int, _ row: Int) -> Int64 {
        guard let entry = entry(column) else { return 0 }
        return Int64(bitPattern: number(fixed, entry + 16, 8) &+ raw(column, row))
    }

    func double(_ column: Int, _ row: Int) -> Double { Double(bitPattern: raw(column, row)) }

    func float(_ column: Int, _ row: Int) -> Float {
        Float(bitPattern: UInt32(truncatingIfNeeded: raw(column, row)))
    }

    func fixed(_ column: Int, _ row: Int) -> [UInt8] {
        let width = columns[column].type.byteCount
        guard let entry = entry(column) else { return [UInt8](repeating: 0, count: width) }
        let start = Int(number(fixed, entry + 8, 4)) + row * width
        return Array(fixed[start..<(start + width)])
    }

    func bytes(_ column: Int, _ row: Int) -> [UInt8] {
        guard UInt64(column) < number(heap, 4, 4) else { return [] }
        let entry = 16 + column * 16
        let ends = Int(number(heap, entry, 4))
        let data = Int(number(heap, entry + 4, 4))
        let start = Int(number(heap, ends + row * 4, 4))
        let end = Int(number(heap, ends + row * 4 + 4, 4))
        return start <= end && data + end <= heap.count
            ? Array(heap[(data + start)..<(data + end)]) : []
    }
}
