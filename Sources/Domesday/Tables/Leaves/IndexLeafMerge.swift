/// The part of a merge that works on leaves: applies sorted changes to one group after the other.
///
/// Leaves that change are gathered in `open` until they are large enough, then written; so a leaf
/// that has become small takes in its neighbour.
struct IndexLeafMerge<Source: BlobSource, Change: IndexPair> {
    private let base: IndexSnapshot
    private let writer: any PageWriter
    private let version: UInt64
    private let source: Source

    private let changes: ContiguousArray<Change>
    /// The first change not applied yet.
    private var position = 0

    private(set) var nextLeafId: Int64
    private(set) var writtenCells: [Cell] = []

    /// Pairs not written yet, ascending, and the leaves they replace.
    private var open: ContiguousArray<IndexRun> = []
    private var openLeaves: [OpenLeaf] = []
    /// The leaves of the group at hand that are finished.
    private var finished: [IndexGroup.Leaf] = []

    /// A leaf whose content is in `open`: its row can be overwritten.
    private struct OpenLeaf {
        let fence: IndexEntry
        let id: Int64
        let buffer: BlobBuffer
    }

    init(
        _ base: IndexSnapshot,
        _ changes: ContiguousArray<Change>,
        _ writer: any PageWriter,
        _ version: UInt64,
        _ source: Source
    ) {
        self.base = base
        self.changes = changes
        self.writer = writer
        self.version = version
        self.source = source
        nextLeafId = base.nextLeafId
    }

    /// Whether the next change stands below a fence, if there is one.
    func hasChange(before fence: IndexEntry?) -> Bool {
        guard position < changes.count else { return false }
        guard let fence else { return true }
        return changes[position].entry < fence
    }

    /// The leaves of an index that had none: the changes as they are, cut into pieces.
    mutating func mergeIntoNothing() throws(StorageError) -> [IndexGroup.Leaf] {
        let pieces = evenPieces(
            of: changes.count,
            maximum: IndexLeaf.maximumCount,
            fill: IndexLeaf.fillCount(ofNew: changes)
        )
        finished.reserveCapacity(pieces.count)
        writtenCells.reserveCapacity(pieces.count)
        for piece in pieces {
            let runs = changes[piece]
            if runs.contains(where: { $0.copies < 0 }) { throw removedTooOften() }
            try write(runs, changes[piece.lowerBound].entry, replacing: nil)
        }
        position = changes.count
        return takeFinished()
    }

    /// Applies the changes below `end` to a group and returns its new leaves, perhaps none.
    mutating func merge(
        _ group: IndexGroup,
        before end: IndexEntry?
    ) throws(StorageError) -> [IndexGroup.Leaf] {
        finished.reserveCapacity(group.leaves.count + 1)
        for (i, leaf) in group.leaves.enumerated() {
            let next = i + 1 < group.leaves.count ? group.leaves[i + 1].fence : end
            if hasChange(before: next) {
                if open.count >= IndexLeaf.minimumCount { try close() }
                try openLeaf(i, of: group, changesBefore: changeIndex(before: next))
            } else if isOpenSmall(for: leaf) {
                try openLeaf(i, of: group, changesBefore: position)
            } else {
                try close()
                finished.append(leaf)
            }
        }
        try close()
        return takeFinished()
    }

    /// Whether `open` should take in an unchanged leaf that follows it.
    private func isOpenSmall(for leaf: IndexGroup.Leaf) -> Bool {
        !openLeaves.isEmpty && !open.isEmpty && open.count < IndexLeaf.minimumCount
            && leaf.entryCount <= IndexLeaf.fillCount - open.count
    }

    private mutating func takeFinished() -> [IndexGroup.Leaf] {
        defer { finished = [] }
        return finished
    }

    /// The first change at or above a fence.
    private func changeIndex(before fence: IndexEntry?) -> Int {
        guard let fence else { return changes.count }
        // Gallops, because a leaf gets few of the changes.
        var low = position
        var step = 1
        while low + step < changes.count, changes[low + step].entry < fence {
            low += step
            step *= 2
        }
        var high = min(low + step, changes.count)
        while low < high {
            let middle = (low + high) >> 1
            if changes[middle].entry < fence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func openLeaf(
        _ index: Int,
        of group: IndexGroup,
        changesBefore end: Int
    ) throws(StorageError) {
        let leaf = group.leaves[index]
        let buffer = try group.buffer(index, from: source)
        let content = IndexLeaf(validated: buffer)
        openLeaves.append(
            OpenLeaf(
                fence: leaf.fence,
                id: leaf.cell.address.id,
                buffer: buffer
            )
        )
        try append(content, changesBefore: end)
    }

    /// Appends a leaf's pairs to `open`, with the changes up to `end`.
    private mutating func append(
        _ leaf: IndexLeaf?,
        changesBefore end: Int
    ) throws(StorageError) {
        let count = leaf?.count ?? 0
        open.reserveCapacity(open.count + count + end - position)
        if let leaf {
            for i in 0..<count {
                var run = leaf.run(i)
                try appendChanges(below: run.entry, end)
                if position < end, changes[position].entry == run.entry {
                    let (copies, overflow) = run.copies.addingReportingOverflow(
                        changes[position].copies
                    )
                    if overflow || copies < 0 { throw removedTooOften() }
                    run.copies = copies
                    position += 1
                }
                // Damaged leaves may be out of order; what is written is in order, or refused.
                if let last = open.last, last.entry >= run.entry { throw outOfOrder() }
                if run.copies > 0 { open.append(run) }
            }
        }
        try appendChanges(below: nil, end)
    }

    @inline(__always)
    private mutating func appendChanges(
        below entry: IndexEntry?,
        _ end: Int
    ) throws(StorageError) {
        while position < end {
            let change = changes[position]
            if let entry, change.entry >= entry { return }
            if change.copies < 0 { throw removedTooOften() }
            if let last = open.last, last.entry >= change.entry { throw outOfOrder() }
            open.append(IndexRun(value: change.value, key: change.key, copies: change.copies))
            position += 1
        }
    }

    private func removedTooOften() -> StorageError {
        source.damaged(nil, "an index lacks an entry that is to be removed")
    }

    private func outOfOrder() -> StorageError {
        source.damaged(
            openLeaves.last.map { BlobAddress(space: base.place.leaves, id: $0.id) },
            "index leaf is not in order"
        )
    }

    // MARK: Writing

    /// Writes `open` over the leaves it replaces, as far as they reach, and deletes the rest.
    private mutating func close() throws(StorageError) {
        if !openLeaves.isEmpty, open.count < IndexLeaf.minimumCount { try takeInPrevious() }
        var unused = openLeaves[...]
        let firstFence = openLeaves.first?.fence
        let pieces = evenPieces(
            of: open.count,
            maximum: IndexLeaf.maximumCount,
            fill: IndexLeaf.fillCount
        )
        for (i, piece) in pieces.enumerated() {
            let old = unused.popFirst()
            var fence = open[piece.lowerBound].entry
            // The range of a leaf goes on; only the first leaf of an index may get smaller entries.
            if i == 0, let firstFence { fence = min(fence, firstFence) }
            try write(open[piece], fence, replacing: old)
        }
        for leaf in unused {
            try writer.delete(BlobAddress(space: base.place.leaves, id: leaf.id))
        }
        open.removeAll(keepingCapacity: true)
        openLeaves.removeAll(keepingCapacity: true)
    }

    /// Lets a small rest join the finished leaf before it, if both fit into one.
    private mutating func takeInPrevious() throws(StorageError) {
        guard let previous = finished.last, !open.isEmpty,
            previous.entryCount <= IndexLeaf.fillCount - open.count
        else { return }
        let buffer = try previous.cell.buffer(from: source) {
            IndexLeaf.damage(in: $0, entryCount: previous.entryCount)
        }
        let content = IndexLeaf(validated: buffer)
        finished.removeLast()
        open.insert(contentsOf: (0..<content.count).lazy.map(content.run), at: 0)
        openLeaves.insert(
            OpenLeaf(
                fence: previous.fence,
                id: previous.cell.address.id,
                buffer: buffer
            ),
            at: 0
        )
    }

    private mutating func write<Pair: IndexPair>(
        _ runs: ArraySlice<Pair>,
        _ fence: IndexEntry,
        replacing old: OpenLeaf?
    ) throws(StorageError) {
        let buffer = IndexLeaf.encode(runs, version: version, replacing: old?.buffer.byteCount)
        let id: Int64
        if let old {
            id = old.id
        } else {
            id = nextLeafId
            nextLeafId += 1
        }
        let address = BlobAddress(space: base.place.leaves, id: id)
        try writer.write(buffer, at: address, replacing: old?.buffer)
        let cell = Cell(address, pinning: buffer, cache: base.place.cache)
        writtenCells.append(cell)
        let entryCount = runs.reduce(0) { $0 &+ $1.copies }
        finished.append(IndexGroup.Leaf(fence: fence, entryCount: entryCount, cell: cell))
    }
}
