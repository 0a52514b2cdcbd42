/// Copies of one pair that a merge adds or removes.
struct IndexChange: Hashable, Sendable {
    let value: UInt64
    let key: UInt64
    /// Not 0.
    let delta: Int

    @inline(__always) var entry: IndexEntry { IndexEntry(value: value, key: key) }

    @inline(__always)
    static func precedes(_ a: Self, _ b: Self) -> Bool {
        a.value != b.value ? a.value < b.value : a.key < b.key
    }

    /// Sorts by value, then key.
    ///
    /// - Complexity: O(*n*) when sorted already or when values are spread evenly, else
    ///   O(*n* log *n*). One copy of the array.
    static func sort(_ changes: inout ContiguousArray<IndexChange>) {
        if isSorted(changes[...]) { return }
        if changes.count < 2048 {
            changes.sort(by: precedes)
            return
        }
        let shift = radixSort(&changes)
        sortTies(&changes, shift)
    }

    private static func isSorted(_ changes: ContiguousArray<IndexChange>.SubSequence) -> Bool {
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
    private static func radixSort(_ changes: inout ContiguousArray<IndexChange>) -> UInt64 {
        let digitBitCount = 11
        var low = UInt64.max
        var high: UInt64 = 0
        for change in changes {
            low = min(low, change.value)
            high = max(high, change.value)
        }
        let bitCount = 64 - (high - low).leadingZeroBitCount
        let passCount = min(3, (bitCount + digitBitCount - 1) / digitBitCount)
        let ignoredBitCount = UInt64(max(0, bitCount - 3 * digitBitCount))
        // SAFETY: every pass fills it before it is read; the elements are plain numbers.
        var other = ContiguousArray<IndexChange>(unsafeUninitializedCapacity: changes.count) {
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
        _ source: UnsafeBufferPointer<IndexChange>,
        _ target: UnsafeMutableBufferPointer<IndexChange>,
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
        _ changes: inout ContiguousArray<IndexChange>,
        _ ignoredBitCount: UInt64
    ) {
        guard let base = changes.lazy.map(\.value).min() else { return }
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
