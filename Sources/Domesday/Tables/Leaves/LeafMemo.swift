import CRuntime

/// The leaves of one index that a reader has used, found again without their cells' locks.
///
/// A look-up by key waits for memory a dozen times; the cell, its lock, the mutex and the buffer of
/// the leaf would be four of them.
///
/// **Shape.** By group, made when it is first used, by leaf: the payload.
/// **Threads.** As its reader's. Forgotten with the reader's other pointers; a frozen reader's only
/// grows, under the reader's lock, and is published to all threads.
final class LeafMemo {
    private typealias Payloads = UnsafeMutablePointer<UnsafeRawPointer?>

    private let groups: UnsafeMutableBufferPointer<Payloads?>
    /// Keep alive what the payloads belong to.
    private var pins: [BlobBuffer] = []

    init(_ index: IndexSnapshot) {
        groups = .allocate(capacity: index.slots.count)
        groups.initialize(repeating: nil)
    }

    deinit {
        for case let payloads? in groups { payloads.deallocate() }
        groups.deallocate()
    }

    /// A leaf of the group at a slot, loaded and validated if this is its first use here. It is
    /// valid as long as the memo.
    ///
    /// - Parameter value: What will be looked for in it.
    @inline(__always)
    func leaf(
        _ slot: Int,
        _ group: IndexGroup,
        _ index: Int,
        near value: UInt64,
        from table: TableReader
    ) throws(StorageError) -> IndexLeaf {
        // SAFETY: slot and index are the index's own, which the arrays were made for; `pins` holds
        // what the payload belongs to.
        if let payload = remembered(slot, index) {
            IndexLeaf.prefetch(payload, share: group.share(of: value, in: index))
            return IndexLeaf(unretained: payload)
        }
        return try load(slot, group, index, table)
    }

    @inline(__always)
    private func remembered(_ slot: Int, _ index: Int) -> UnsafeRawPointer? {
        let place = groups.baseAddress.unsafelyUnwrapped + slot
        guard let payloads = Payloads(bitPattern: UInt(domesday_load_acquire(place))) else {
            return nil
        }
        return UnsafeRawPointer(bitPattern: UInt(domesday_load_acquire(payloads + index)))
    }

    @inline(never)
    private func load(
        _ slot: Int,
        _ group: IndexGroup,
        _ index: Int,
        _ table: TableReader
    ) throws(StorageError) -> IndexLeaf {
        let buffer = try group.buffer(index, from: table)
        if table.reader.isFrozen {
            return table.reader.growth.withLock { _ in publish(slot, group, index, buffer) }
        }
        let payloads = groups[slot] ?? makePayloads(group.leaves.count)
        groups[slot] = payloads
        payloads[index] = UnsafeRawPointer(buffer.payload)
        pins.append(buffer)
        table.reader.noteOwned(buffer.byteCount)
        return IndexLeaf(unretained: UnsafeRawPointer(buffer.payload))
    }

    /// As `load`, for all threads; what another one remembered first stays.
    private func publish(
        _ slot: Int,
        _ group: IndexGroup,
        _ index: Int,
        _ buffer: BlobBuffer
    ) -> IndexLeaf {
        if let payload = remembered(slot, index) { return IndexLeaf(unretained: payload) }
        let payloads = groups[slot] ?? makePayloads(group.leaves.count)
        pins.append(buffer)
        domesday_store_release(payloads + index, UInt64(UInt(bitPattern: buffer.payload)))
        let place = groups.baseAddress.unsafelyUnwrapped + slot
        domesday_store_release(place, UInt64(UInt(bitPattern: payloads)))
        return IndexLeaf(unretained: UnsafeRawPointer(buffer.payload))
    }

    private func makePayloads(_ count: Int) -> Payloads {
        let payloads = Payloads.allocate(capacity: count)
        payloads.initialize(repeating: nil, count: count)
        return payloads
    }
}
