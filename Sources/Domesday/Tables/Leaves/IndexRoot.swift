/// What the store's state keeps of one index: everything needed to open it.
///
/// **Shape.** Little-endian: entry count (u64), next leaf id (u64), next group id (u64), group
/// count (u64); then per group 32 bytes in order: id (u64), fence value (u64), fence key (u64),
/// entry count (u64). About 32 bytes for 37,000 entries.
struct IndexRoot: Hashable, Sendable {
    struct Group: Hashable, Sendable {
        let id: Int64
        let fence: IndexEntry
        let entryCount: Int
    }

    /// Ids below were given to leaves once and are never given again. Likewise for groups.
    var nextLeafId: Int64 = 0
    var nextGroupId: Int64 = 0
    var groups: [Group] = []

    var entryCount: Int { groups.reduce(0) { $0 + $1.entryCount } }

    private static let headerByteCount = 32
    private static let groupByteCount = 32

    func encoded() -> [UInt8] {
        var numbers: [UInt64] = []
        numbers.reserveCapacity(4 + groups.count * 4)
        func append(_ number: UInt64) { numbers.append(number.littleEndian) }
        append(UInt64(entryCount))
        append(UInt64(nextLeafId))
        append(UInt64(nextGroupId))
        append(UInt64(groups.count))
        for group in groups {
            append(UInt64(group.id))
            append(group.fence.value)
            append(group.fence.key)
            append(UInt64(group.entryCount))
        }
        return numbers.withUnsafeBytes { Array($0) }
    }

    /// Reads what `encoded()` wrote.
    ///
    /// - Parameter path: Of the store, for the error.
    /// - Throws: `.damaged` unless all bytes are used, ids are below the next ones and distinct,
    ///   fences ascend and counts add up.
    static func decode(_ bytes: [UInt8], path: String) throws(StorageError) -> IndexRoot {
        guard let root = IndexRoot(bytes) else {
            throw StorageError(.damaged, path: path, detail: "root of an index contradicts itself")
        }
        return root
    }

    init() {}

    private init?(_ bytes: [UInt8]) {
        func number(at offset: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
        }
        guard bytes.count >= Self.headerByteCount,
            (bytes.count - Self.headerByteCount) % Self.groupByteCount == 0,
            let total = Int(exactly: number(at: 0)),
            let nextLeafId = Int64(exactly: number(at: 8)),
            let nextGroupId = Int64(exactly: number(at: 16)),
            number(at: 24) == (bytes.count - Self.headerByteCount) / Self.groupByteCount
        else { return nil }
        self.nextLeafId = nextLeafId
        self.nextGroupId = nextGroupId
        var ids = Set<Int64>()
        var left = total
        for start in stride(from: Self.headerByteCount, to: bytes.count, by: Self.groupByteCount) {
            let fence = IndexEntry(value: number(at: start + 8), key: number(at: start + 16))
            guard let id = Int64(exactly: number(at: start)), id < nextGroupId,
                ids.insert(id).inserted,
                let count = Int(exactly: number(at: start + 24)), count > 0, count <= left,
                groups.last.map({ $0.fence < fence }) ?? true
            else { return nil }
            left -= count
            groups.append(Group(id: id, fence: fence, entryCount: count))
        }
        if left != 0 { return nil }
    }
}

/// Where an index lives: the spaces of its leaves and groups, and the cache its cells belong to.
struct IndexPlace: Sendable {
    let leaves: Space
    let groups: Space
    let cache: CellCache
}
