extension IndexSnapshot {
    /// Writes the overlay's changes, which ends the overlay, and returns the index with them.
    ///
    /// Reads and rewrites the leaves that change and their groups; everything else is shared with
    /// this snapshot, which stays as it is. Leaves keep their stored size where they can. New
    /// leaves stay in memory, pinned until `makeEvictable()`.
    ///
    /// - Precondition: The overlay was made over this snapshot.
    /// - Parameter source: Sees the blobs of this snapshot: the open transaction, or the newest
    ///   committed version.
    /// - Parameter version: The version that the transaction will have.
    /// - Throws: What source and writer throw; `.damaged` if a pair is removed more often than it
    ///   was held. Then the transaction holds half a merge and must be rolled back.
    /// - Complexity: O(*changes* log *changes*, expected linear for hashes) + leaves changed +
    ///   leaves of the groups changed.
    func merge(
        _ overlay: IndexOverlay,
        into writer: any PageWriter,
        version: UInt64,
        from source: some BlobSource
    ) throws(StorageError) -> IndexSnapshot {
        precondition(
            overlay.base === self,
            "an overlay is merged into the snapshot it was made over"
        )
        switch overlay.takeSortedChanges() {
        case .insertions(let changes): return try merge(changes, writer, version, source)
        case .removals(let changes): return try merge(changes, writer, version, source)
        case .mixed(let changes): return try merge(changes, writer, version, source)
        }
    }

    private func merge<Change: IndexPair>(
        _ changes: ContiguousArray<Change>,
        _ writer: any PageWriter,
        _ version: UInt64,
        _ source: some BlobSource
    ) throws(StorageError) -> IndexSnapshot {
        if changes.isEmpty { return self }
        var merge = IndexMerge(self, changes, writer, version, source)
        return try merge.run()
    }
}

/// One merge: walks groups and changes side by side and emits new groups.
struct IndexMerge<Source: BlobSource, Change: IndexPair> {
    private let base: IndexSnapshot
    private let writer: any PageWriter
    private let version: UInt64
    private let source: Source
    private var leafMerge: IndexLeafMerge<Source, Change>

    /// A group of the new snapshot: as it was, or leaves to be written under one of `ids`.
    private enum Output {
        case kept(IndexGroupSlot)
        case changed(ids: [Int64], leaves: [IndexGroup.Leaf])

        var isSmall: Bool {
            switch self {
            case .kept: false
            case .changed(_, let leaves):
                !leaves.isEmpty && leaves.count < IndexGroup.minimumCount
            }
        }
    }

    init(
        _ base: IndexSnapshot,
        _ changes: ContiguousArray<Change>,
        _ writer: any PageWriter,
        _ version: UInt64,
        _ source: Source
    ) {
        self.base = base
        self.writer = writer
        self.version = version
        self.source = source
        leafMerge = IndexLeafMerge(base, changes, writer, version, source)
    }

    mutating func run() throws(StorageError) -> IndexSnapshot {
        var outputs: [Output] = []
        if base.slots.isEmpty {
            outputs.append(.changed(ids: [], leaves: try leafMerge.mergeIntoNothing()))
        }
        for (i, slot) in base.slots.enumerated() {
            let next = i + 1 < base.slots.count ? base.slots[i + 1].fence : nil
            guard leafMerge.hasChange(before: next) else {
                outputs.append(.kept(slot))
                continue
            }
            let group = try slot.group(in: base.place, from: source)
            let leaves = try leafMerge.merge(group, before: next)
            outputs.append(.changed(ids: [slot.id], leaves: leaves))
        }
        return try write(try joined(outputs))
    }

    /// Joins groups that changed and have become small with a neighbour.
    private func joined(_ outputs: [Output]) throws(StorageError) -> [Output] {
        var result: [Output] = []
        for output in outputs {
            guard let last = result.last, last.isSmall || output.isSmall else {
                result.append(output)
                continue
            }
            let (ids, leaves) = try opened(last)
            let (moreIds, moreLeaves) = try opened(output)
            if leaves.count + moreLeaves.count <= IndexGroup.fillCount {
                result[result.count - 1] = .changed(ids: ids + moreIds, leaves: leaves + moreLeaves)
            } else {
                result.append(output)
            }
        }
        return result
    }

    private func opened(
        _ output: Output
    ) throws(StorageError) -> (ids: [Int64], leaves: [IndexGroup.Leaf]) {
        switch output {
        case .kept(let slot): ([slot.id], try slot.group(in: base.place, from: source).leaves)
        case .changed(let ids, let leaves): (ids, leaves)
        }
    }

    private func write(_ outputs: [Output]) throws(StorageError) -> IndexSnapshot {
        var nextGroupId = base.nextGroupId
        var slots: [IndexGroupSlot] = []
        for output in outputs {
            switch output {
            case .kept(let slot): slots.append(slot)
            case .changed(let ids, let leaves):
                slots += try write(ids, leaves, &nextGroupId)
            }
        }
        return IndexSnapshot(
            base.place,
            slots: slots,
            nextLeafId: leafMerge.nextLeafId,
            nextGroupId: nextGroupId,
            pinned: base.pinnedCells + leafMerge.writtenCells
        )
    }

    /// Writes leaves as one or more groups under the ids given, as far as they reach; deletes the
    /// other ids.
    private func write(
        _ ids: [Int64],
        _ leaves: [IndexGroup.Leaf],
        _ nextGroupId: inout Int64
    ) throws(StorageError) -> [IndexGroupSlot] {
        var unusedIds = ids[...]
        var slots: [IndexGroupSlot] = []
        let pieces = evenPieces(
            of: leaves.count,
            maximum: IndexGroup.maximumCount,
            fill: IndexGroup.fillCount
        )
        for piece in pieces {
            let id: Int64
            if let oldId = unusedIds.popFirst() {
                id = oldId
            } else {
                id = nextGroupId
                nextGroupId += 1
            }
            let group = IndexGroup(pieces.count == 1 ? leaves : Array(leaves[piece]))
            try writer.write(
                group.encode(version: version),
                at: BlobAddress(space: base.place.groups, id: id)
            )
            slots.append(IndexGroupSlot(id: id, group))
        }
        for id in unusedIds {
            try writer.delete(BlobAddress(space: base.place.groups, id: id))
        }
        return slots
    }
}

/// Ranges that cut 0..<*count* into pieces of nearly equal size: one if `maximum` allows it, else
/// as many as pieces of `fill` need.
func evenPieces(of count: Int, maximum: Int, fill: Int) -> [Range<Int>] {
    if count == 0 { return [] }
    let pieceCount = count <= maximum ? 1 : (count + fill - 1) / fill
    return (0..<pieceCount).map { count * $0 / pieceCount..<count * ($0 + 1) / pieceCount }
}
