extension IndexSnapshot {
    /// Visits the entries with a value in the range, in order, each as often as it is held.
    ///
    /// - Parameter isReversed: Largest entry first.
    /// - Parameter body: Returns `false` to stop.
    /// - Throws: What the source and `body` throw; `.damaged` for content that contradicts itself.
    /// - Complexity: O(log *entries* + visited); leaves are read as they are reached.
    @inline(__always)
    func forEach(
        in range: ClosedRange<UInt64>,
        reversed isReversed: Bool = false,
        from source: some BlobSource,
        _ body: (IndexEntry) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try forEachRun(in: range, reversed: isReversed, from: source) {
            run throws(StorageError) in
            for _ in 0..<run.copies where try !body(run.entry) { return false }
            return true
        }
    }

    /// Visits all entries in order.
    func forEachEntry(
        from source: some BlobSource,
        _ body: (IndexEntry) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try forEach(in: 0...UInt64.max, from: source, body)
    }

    /// Visits each distinct pair of the range once, in order.
    ///
    /// - Returns: Whether the end was reached; `false` if `body` has stopped.
    @inline(__always)
    func forEachRun(
        in range: ClosedRange<UInt64>,
        reversed isReversed: Bool,
        from source: some BlobSource,
        _ body: (IndexRun) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        if isReversed {
            try descend(range, source, body)
        } else {
            try ascend(range, source, body)
        }
    }

    @inline(__always)
    private func ascend(
        _ range: ClosedRange<UInt64>,
        _ source: some BlobSource,
        _ body: (IndexRun) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let firstSlot = slotIndex(before: range.lowerBound)
        var slot = firstSlot
        while slot < slots.count, slot == firstSlot || slots[slot].fence.value <= range.upperBound {
            let group = try slots[slot].group(in: place, from: source)
            var leafIndex = slot == firstSlot ? group.leafIndex(before: range.lowerBound) : 0
            while leafIndex < group.leaves.count {
                let leaf = try group.leaf(leafIndex, from: source)
                let upper = leaf.upperBound(range.upperBound)
                var index = leaf.lowerBound(range.lowerBound)
                while index < upper {
                    if try !body(leaf.run(index)) { return false }
                    index += 1
                }
                if upper < leaf.count { return true }
                leafIndex += 1
                if leafIndex < group.leaves.count,
                    group.leaves[leafIndex].fence.value > range.upperBound
                {
                    return true
                }
            }
            slot += 1
        }
        return true
    }

    @inline(__always)
    private func descend(
        _ range: ClosedRange<UInt64>,
        _ source: some BlobSource,
        _ body: (IndexRun) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        if slots.isEmpty { return true }
        let (upper, isUnbounded) = range.upperBound.addingReportingOverflow(1)
        let lastSlot = isUnbounded ? slots.count - 1 : slotIndex(before: upper)
        var slot = lastSlot
        while slot >= 0 {
            let group = try slots[slot].group(in: place, from: source)
            var leafIndex = group.leaves.count - 1
            if slot == lastSlot, !isUnbounded { leafIndex = group.leafIndex(before: upper) }
            while leafIndex >= 0 {
                let leaf = try group.leaf(leafIndex, from: source)
                let lower = leaf.lowerBound(range.lowerBound)
                var index = leaf.upperBound(range.upperBound)
                while index > lower {
                    index -= 1
                    if try !body(leaf.run(index)) { return false }
                }
                // Smaller entries stand below this leaf's fence.
                let fence = group.leaves[leafIndex].fence.value
                if lower > 0 || fence < range.lowerBound { return true }
                leafIndex -= 1
            }
            slot -= 1
        }
        return true
    }
}
