/// Up to 128 consecutive leaves of an index: where each begins, how much it holds, its cell.
/// (Groups of up to 512 are read; they were written once, and are cut when they change.)
///
/// So many that a small commit, which makes one group anew and names all of them in the state, does
/// little of both.
///
/// **Shape.** Payload, little-endian: leaf count (u32); width of the counts, width of the ids
/// (2 x u8); zero (u16); smallest leaf id (u64); then four columns, each a multiple of 8 bytes:
/// entries per leaf, leaf ids less the smallest, fence values (u64), fence keys (u64). Fences
/// ascend strictly: leaf *i* holds entries of fence *i* up to, not including, fence *i* + 1. The
/// first leaf of an index also takes smaller entries and then gets a smaller fence. Counts stand in
/// front, so that a commit which changes a leaf but no fence changes the first page only.
///
/// In memory a group takes about 150 bytes a leaf, cells included, and is never evicted; its leaves
/// are.
///
/// **Threads.** Immutable.
final class IndexGroup: Sendable {
    static let maximumCount = 128
    static let fillCount = 96
    /// A group left with fewer leaves joins a neighbour.
    static let minimumCount = 16
    /// A stored group may have so many.
    static let storedLimit = 512

    /// A leaf as its group knows it.
    struct Leaf: Sendable {
        let fence: IndexEntry
        /// Copies included.
        let entryCount: Int
        let cell: Cell
    }

    let leaves: [Leaf]
    /// Once more, side by side, because searches run over them.
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
            count: count &- 1,
            delta: value &- base,
            last: fenceValues[count &- 1] &- base,
            at: { fenceValues[$0 &+ 1] &- base }
        )
    }

    /// Where in a leaf a value stands if values are spread evenly: how many entries lie before it,
    /// and how many there are.
    @inline(__always)
    func share(of value: UInt64, in index: Int) -> (before: Int, count: Int) {
        let count = entryCountsBefore[index &+ 1] &- entryCountsBefore[index]
        let fence = fenceValues[index]
        let next = index &+ 1 < fenceValues.count ? fenceValues[index &+ 1] : UInt64.max
        guard value > fence, value < next else { return (0, count) }
        let share = Double(value &- fence) / Double(next &- fence)
        return (Int(share * Double(count)), count)
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
        IndexLeaf(validated: try buffer(index, from: source))
    }

    /// The blob of a leaf's content, loaded and validated if it is not in memory.
    @inline(__always)
    func buffer(_ index: Int, from source: some BlobSource) throws(StorageError) -> BlobBuffer {
        try leaves[index].cell.buffer(from: source) {
            IndexLeaf.damage(in: $0, entryCount: leaves[index].entryCount)
        }
    }
}
