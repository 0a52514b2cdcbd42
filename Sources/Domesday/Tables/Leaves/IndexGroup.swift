import Synchronization

/// Up to 512 consecutive leaves of an index: where each begins, how much it holds, its cell.
///
/// **Shape.** Payload, little-endian: leaf count (u32); width of the counts, width of the ids
/// (2 x u8); zero (u16); smallest leaf id (u64); then four columns, each a multiple of 8 bytes:
/// entries per leaf, leaf ids less the smallest, fence values (u64), fence keys (u64). Fences
/// ascend strictly: leaf *i* holds entries of fence *i* up to, not including, fence *i* + 1. The
/// first leaf of an index also takes smaller entries and then gets a smaller fence. Counts stand in
/// front, so that a commit which changes a leaf but no fence changes the first page only.
///
/// In memory a group takes about 100 bytes a leaf and is never evicted; its leaves are.
///
/// **Threads.** Immutable.
final class IndexGroup: Sendable {
    static let maximumCount = 512
    static let fillCount = 384
    /// A group left with fewer leaves joins a neighbour.
    static let minimumCount = 64

    /// A leaf as its group knows it.
    struct Leaf: Sendable {
        let fence: IndexEntry
        /// Copies included.
        let entryCount: Int
        let cell: Cell
    }

    let leaves: [Leaf]
    /// Apart from `leaves`, because searches run over them.
    private let fenceValues: [UInt64]
    /// Entries in the leaves before each leaf, and of all at the end.
    let entryCountsBefore: [Int]

    var entryCount: Int { entryCountsBefore[leaves.count] }

    init(_ leaves: [Leaf]) {
        self.leaves = leaves
        fenceValues = leaves.map(\.fence.value)
        var sums = [0]
        sums.reserveCapacity(leaves.count + 1)
        for leaf in leaves { sums.append(sums[sums.count - 1] &+ leaf.entryCount) }
        entryCountsBefore = sums
    }

    /// The leaf where the first entry with this value or a larger one stands, or the one before.
    ///
    /// - Complexity: O(1) expected for hashes, O(log *leaves*) otherwise.
    @inline(__always)
    func leafIndex(before value: UInt64) -> Int {
        let count = fenceValues.count
        // The first fence may be anything below, so proportions are taken from the second on.
        if count == 1 || value <= fenceValues[1] { return 0 }
        let base = fenceValues[1]
        return interpolatedLowerBoundInAscending(
            count: count &- 1, delta: value &- base, last: fenceValues[count &- 1] &- base,
            at: { fenceValues[$0 &+ 1] &- base })
    }

    /// The one leaf that holds this pair, if any does.
    func leafIndex(holding entry: IndexEntry) -> Int {
        var low = 1
        var high = leaves.count
        while low < high {
            let middle = (low + high) >> 1
            if entry < leaves[middle].fence { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// A leaf's content, loaded and validated if it is not in memory.
    @inline(__always)
    func leaf(_ index: Int, from source: some BlobSource) throws(StorageError) -> IndexLeaf {
        let entryCount = entryCountsBefore[index &+ 1] &- entryCountsBefore[index]
        let buffer = try leaves[index].cell.buffer(from: source) {
            IndexLeaf.damage(in: $0, entryCount: entryCount)
        }
        return IndexLeaf(validated: buffer)
    }
}

/// A group's place in the sequence of an index, and the group once it has been read.
///
/// **Threads.** Any thread. Two that read an unread group at once both load it, one result is kept.
final class IndexGroupSlot: Sendable {
    let id: Int64
    /// The fence of the first leaf.
    let fence: IndexEntry
    let entryCount: Int
    private let loaded = AtomicLazyReference<IndexGroup>()

    init(id: Int64, fence: IndexEntry, entryCount: Int) {
        self.id = id
        self.fence = fence
        self.entryCount = entryCount
    }

    init(id: Int64, _ group: IndexGroup) {
        self.id = id
        fence = group.leaves[0].fence
        entryCount = group.entryCount
        _ = loaded.storeIfNil(group)
    }

    @inline(__always)
    func group(
        in place: IndexPlace, from source: some BlobSource
    ) throws(StorageError) -> IndexGroup {
        if let group = loaded.load() { return group }
        return try load(place, source)
    }

    @inline(never)
    private func load(
        _ place: IndexPlace, _ source: some BlobSource
    ) throws(StorageError) -> IndexGroup {
        let address = BlobAddress(space: place.groups, id: id)
        let buffer = try source.load(address)
        guard let group = IndexGroup(decoding: buffer, in: place) else {
            throw source.damaged(address, "index group contradicts itself")
        }
        guard group.leaves[0].fence == fence, group.entryCount == entryCount else {
            throw source.damaged(address, "index group is not the one its index was written with")
        }
        return loaded.storeIfNil(group)
    }
}
