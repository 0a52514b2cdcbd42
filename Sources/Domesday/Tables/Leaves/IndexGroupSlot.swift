import Synchronization

/// A group's place in the sequence of an index, and the group once it has been read.
///
/// **Threads.** Any thread. Two that read an unread group at once both load it, one result is kept.
/// A hit is one load without a lock.
final class IndexGroupSlot: Sendable {
    let id: Int64
    /// The fence of the first leaf.
    let fence: IndexEntry
    let entryCount: Int
    /// An `IndexGroup` that this slot retains. Set once.
    // Not AtomicLazyReference: its `load` is generic code of another module, 40 ns a lookup.
    private let loaded = Atomic<Unmanaged<IndexGroup>?>(nil)

    init(id: Int64, fence: IndexEntry, entryCount: Int) {
        self.id = id
        self.fence = fence
        self.entryCount = entryCount
    }

    init(id: Int64, _ group: IndexGroup) {
        self.id = id
        fence = group.leaves[0].fence
        entryCount = group.entryCount
        keep(group)
    }

    deinit {
        // SAFETY: balances the retain in `keep`; nobody else holds the slot.
        loaded.load(ordering: .acquiring)?.release()
    }

    /// The group, read and validated if it is not in memory.
    @inline(__always)
    func group(
        in place: IndexPlace,
        from source: some BlobSource
    ) throws(StorageError) -> IndexGroup {
        // SAFETY: set by `keep` with a group that stays retained until this slot's deinit.
        if let group = loaded.load(ordering: .acquiring) { return group.takeUnretainedValue() }
        return try load(place, source)
    }

    @inline(never)
    private func load(
        _ place: IndexPlace,
        _ source: some BlobSource
    ) throws(StorageError) -> IndexGroup {
        let address = BlobAddress(space: place.groups, id: id)
        let buffer = try source.load(address)
        guard let group = IndexGroup(decoding: buffer, in: place) else {
            throw source.damaged(address, "index group contradicts itself")
        }
        guard group.leaves[0].fence == fence, group.entryCount == entryCount else {
            throw source.damaged(address, "index group is not the one its index was written with")
        }
        return keep(group)
    }

    /// Publishes a group unless another thread was first; returns the published one.
    @discardableResult
    private func keep(_ group: IndexGroup) -> IndexGroup {
        let retained = Unmanaged.passRetained(group)
        let (isFirst, published) = loaded.compareExchange(
            expected: nil,
            desired: retained,
            ordering: .acquiringAndReleasing
        )
        if isFirst { return group }
        retained.release()
        guard let published else { preconditionFailure("a published group was withdrawn") }
        // SAFETY: as in `group(in:from:)`.
        return published.takeUnretainedValue()
    }
}
