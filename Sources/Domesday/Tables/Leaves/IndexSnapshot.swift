/// One version of a sorted multiset of pairs, read from leaves in the store.
///
/// Serves as primary-key index, secondary index and back-links (`IndexEntry` says which is what).
/// Changes are gathered in an `IndexOverlay` and merged into a new snapshot, which shares every
/// leaf that did not change; this one stays as it is.
///
/// Each reading call takes the `BlobSource` of the version being read.
///
/// **Shape.** Groups in order, each with its leaves in order. In memory always: one slot per group;
/// once touched: its fences; evictable: the leaves.
/// **Threads.** Immutable; any thread.
final class IndexSnapshot: Sendable {
    let place: IndexPlace
    let slots: [IndexGroupSlot]
    let nextLeafId: Int64
    let nextGroupId: Int64

    /// Fences of the slots, side by side for the search.
    private let fenceValues: [UInt64]
    /// Entries in the groups before each slot, and of all at the end.
    let entryCountsBefore: [Int]
    /// Cells of leaves written by an open transaction; emptied when it has committed.
    private let pinned: Lock<[Cell]>
    /// The root as the store's state has it; versions share it until the index changes.
    let encodedRoot: [UInt8]

    /// Entries, copies included.
    var totalCount: Int { entryCountsBefore[slots.count] }

    /// An index without entries, in spaces that hold nothing.
    convenience init(emptyIn place: IndexPlace) {
        self.init(place, slots: [], nextLeafId: 0, nextGroupId: 0, pinned: [])
    }

    /// The index that the store's state describes. Reads no blob.
    convenience init(_ root: IndexRoot, in place: IndexPlace) {
        self.init(
            place,
            slots: root.groups.map {
                IndexGroupSlot(id: $0.id, fence: $0.fence, entryCount: $0.entryCount)
            },
            nextLeafId: root.nextLeafId,
            nextGroupId: root.nextGroupId,
            pinned: []
        )
    }

    init(
        _ place: IndexPlace,
        slots: [IndexGroupSlot],
        nextLeafId: Int64,
        nextGroupId: Int64,
        pinned: [Cell]
    ) {
        self.place = place
        self.slots = slots
        self.nextLeafId = nextLeafId
        self.nextGroupId = nextGroupId
        self.pinned = Lock(pinned)
        fenceValues = slots.map(\.fence.value)
        var sums = [0]
        sums.reserveCapacity(slots.count + 1)
        for slot in slots { sums.append(sums[sums.count - 1] &+ slot.entryCount) }
        entryCountsBefore = sums
        encodedRoot = Self.root(slots, nextLeafId, nextGroupId).encoded()
    }

    /// What the store's state must keep to open this snapshot again.
    var root: IndexRoot { Self.root(slots, nextLeafId, nextGroupId) }

    private static func root(
        _ slots: [IndexGroupSlot],
        _ nextLeafId: Int64,
        _ nextGroupId: Int64
    ) -> IndexRoot {
        var root = IndexRoot()
        root.nextLeafId = nextLeafId
        root.nextGroupId = nextGroupId
        root.groups = slots.map {
            IndexRoot.Group(id: $0.id, fence: $0.fence, entryCount: $0.entryCount)
        }
        return root
    }

    // MARK: Pinned leaves

    /// Leaves that a merge has written and no source can deliver until the transaction commits.
    var pinnedCells: [Cell] { pinned.withLock { $0 } }

    /// Lets the cache evict the leaves this snapshot was merged with. Called after the commit, or
    /// as soon as sources read through the open transaction. Until then they stay in memory.
    func makeEvictable() {
        let cells = pinned.withLock { cells in
            defer { cells = [] }
            return cells
        }
        for cell in cells { cell.unpin() }
    }

    /// Removes the index with all its blobs. The spaces must not be used again.
    ///
    /// Older snapshots go on reading through sources of their own versions.
    func drop(in writer: any PageWriter) throws(StorageError) {
        try writer.deleteSpace(place.leaves)
        try writer.deleteSpace(place.groups)
    }

    // MARK: Searching

    /// The group where the first entry with this value or a larger one stands, or the one before.
    @inline(__always)
    func slotIndex(before value: UInt64) -> Int {
        var low = 1
        var high = fenceValues.count
        while low < high {
            let middle = (low &+ high) >> 1
            if fenceValues[middle] < value { low = middle &+ 1 } else { high = middle }
        }
        return low &- 1
    }

    /// The one group that holds this pair, if any does.
    func slotIndex(holding entry: IndexEntry) -> Int {
        var low = 1
        var high = slots.count
        while low < high {
            let middle = (low + high) >> 1
            if entry < slots[middle].fence { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }
}
