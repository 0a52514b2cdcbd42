import CRuntime

extension IndexPair {
    @inline(__always)
    static func precedes(_ a: Self, _ b: Self) -> Bool {
        a.value != b.value ? a.value < b.value : a.key < b.key
    }

    /// Sorts by value, then key.
    ///
    /// - Returns: Whether no pair surely occurs twice.
    /// - Complexity: O(*n*) when sorted already, when values are few or spread evenly, else
    ///   O(*n* log *n*). One copy of the array.
    @discardableResult
    static func sort(_ changes: inout ContiguousArray<Self>) -> Bool {
        let order = PairOrder(changes)
        if order.isSorted { return order.isDistinct }
        if changes.count < 2048 {
            changes.sort(by: precedes)
            return order.isDistinct
        }
        let ignoredBitCount = radixSort(&changes, order)
        // The passes keep equal values in the order they had: that of their keys, if all keys ascend.
        if ignoredBitCount > 0 || !order.keysAscend { sortTies(&changes, order, ignoredBitCount) }
        return order.isDistinct
    }

    private static func isSorted(_ changes: ContiguousArray<Self>.SubSequence) -> Bool {
        var previous = changes.startIndex
        for i in changes.indices.dropFirst() {
            if precedes(changes[i], changes[previous]) { return false }
            previous = i
        }
        return true
    }

    /// Sorts stably by the upper 33 of the bits in which values differ.
    ///
    /// - Returns: How many lower bits were not looked at.
    private static func radixSort(
        _ changes: inout ContiguousArray<Self>,
        _ order: PairOrder
    ) -> UInt64 {
        let digitBitCount = 11
        let low = order.least
        let bitCount = 64 - (order.greatest - low).leadingZeroBitCount
        let passCount = min(3, (bitCount + digitBitCount - 1) / digitBitCount)
        let ignoredBitCount = UInt64(max(0, bitCount - 3 * digitBitCount))
        // SAFETY: every pass fills it before it is read; the elements are plain numbers.
        var other = ContiguousArray<Self>(unsafeUninitializedCapacity: changes.count) {
            if let start = $0.baseAddress {
                domesday_will_fill(start, changes.count * MemoryLayout<Self>.stride)
            }
            $1 = changes.count
        }
        for pass in 0..<passCount {
            let shift = ignoredBitCount + UInt64(pass * digitBitCount)
            changes.withUnsafeBufferPointer { source in
                other.withUnsafeMutableBufferPointer { target in
                    distribute(source, target, base: low, shift, digitBitCount)
                }
            }
            swap(&changes, &other)
        }
        return ignoredBitCount
    }

    private static func distribute(
        _ source: UnsafeBufferPointer<Self>,
        _ target: UnsafeMutableBufferPointer<Self>,
        base: UInt64,
        _ shift: UInt64,
        _ digitBitCount: Int
    ) {
        // SAFETY: both arrays have the same count; each source element gets a place of its own.
        let mask = UInt64(1) << UInt64(digitBitCount) - 1
        var starts = [Int](repeating: 0, count: 1 << digitBitCount)
        for change in source { starts[Int((change.value &- base) >> shift & mask)] += 1 }
        var total = 0
        for digit in starts.indices {
            let count = starts[digit]
            starts[digit] = total
            total += count
        }
        for change in source {
            let digit = Int((change.value &- base) >> shift & mask)
            target[starts[digit]] = change
            starts[digit] &+= 1
        }
    }

    /// Finishes runs of changes that the radix passes could not tell apart.
    private static func sortTies(
        _ changes: inout ContiguousArray<Self>,
        _ order: PairOrder,
        _ ignoredBitCount: UInt64
    ) {
        let base = order.least
        var start = 0
        while start < changes.count {
            let prefix = (changes[start].value - base) >> ignoredBitCount
            var end = start + 1
            while end < changes.count, (changes[end].value - base) >> ignoredBitCount == prefix {
                end += 1
            }
            if end - start > 1, !isSorted(changes[start..<end]) {
                changes[start..<end].sort(by: precedes)
            }
            start = end
        }
    }
}

/// What one look at all changes tells of their order.
private struct PairOrder {
    private(set) var least = UInt64.max
    private(set) var greatest = UInt64.min
    /// Whether each pair is at or above the one before.
    private(set) var isSorted = true
    private var pairsAscend = true
    /// Whether each key is above the one before, as where rows are entered one after another.
    private(set) var keysAscend = true

    var isDistinct: Bool { keysAscend || pairsAscend }

    init<Pair: IndexPair>(_ changes: ContiguousArray<Pair>) {
        changes.withUnsafeBufferPointer { changes in
            guard var previous = changes.first else { return }
            (least, greatest) = (previous.value, previous.value)
            for change in changes.dropFirst() {
                least = min(least, change.value)
                greatest = max(greatest, change.value)
                if Pair.precedes(change, previous) { isSorted = false }
                if !Pair.precedes(previous, change) { pairsAscend = false }
                if change.key <= previous.key { keysAscend = false }
                previous = change
            }
        }
    }
}
