extension IndexLeaf {
    /// Bytes kept free when a rewritten leaf has outgrown its stored size, so that the next inserts
    /// keep the new one and SQLite overwrites the row in place.
    private static let growthByteCount = 512

    /// Two rows of this size share a page of SQLite's; the next larger size takes one alone.
    private static let halfPageByteCount = 1792

    /// How many pairs each leaf of a new index gets: so many that two leaves fill a page, if one of
    /// `fillCount` would leave too little of its page for another. Not below two thirds of it: pages
    /// would hold hardly more, in half as large leaves.
    static func fillCount<Pair: IndexPair>(ofNew pairs: ContiguousArray<Pair>) -> Int {
        let start = max(0, pairs.count - fillCount) / 2
        let sample = pairs[start..<min(pairs.count, start + fillCount)]
        guard let first = sample.first, let last = sample.last else { return fillCount }
        var (leastKey, greatestKey) = (first.key, first.key)
        for pair in sample {
            leastKey = min(leastKey, pair.key)
            greatestKey = max(greatestKey, pair.key)
        }
        let pairByteCount =
            PackedColumn.width(for: last.value - first.value)
            + PackedColumn.width(for: greatestKey - leastKey)
        // Each of the two columns may end in bytes that are not used.
        let columnByteCount =
            halfPageByteCount - 14
            - BlobBuffer.unroundedByteCount(payloadByteCount: headerByteCount)
        let count = columnByteCount / max(1, pairByteCount)
        return (fillCount * 2 / 3..<fillCount).contains(count) ? count : fillCount
    }

    /// Encodes ascending distinct pairs, 1 to `maximumCount` of them.
    ///
    /// - Parameter oldByteCount: The stored size of the leaf this one replaces; kept if the new
    ///   content fits it and does not waste much of it.
    static func encode<Pair: IndexPair>(
        _ runs: ArraySlice<Pair>,
        version: UInt64,
        replacing oldByteCount: Int? = nil
    ) -> BlobBuffer {
        precondition(
            !runs.isEmpty && runs.count <= maximumCount,
            "a leaf holds 1 to 512 distinct pairs"
        )
        // SAFETY: the pointer is used within the closure only.
        return runs.withUnsafeBufferPointer {
            encode($0, version: version, replacing: oldByteCount)
        }
    }

    private static func encode<Pair: IndexPair>(
        _ runs: UnsafeBufferPointer<Pair>,
        version: UInt64,
        replacing oldByteCount: Int?
    ) -> BlobBuffer {
        let count = runs.count
        let valueBase = runs[0].value
        var keyBase = UInt64.max
        var lastKey: UInt64 = 0
        var mostCopies = 1
        var total = 0
        for run in runs {
            keyBase = min(keyBase, run.key)
            lastKey = max(lastKey, run.key)
            mostCopies = max(mostCopies, run.copies)
            total &+= run.copies
        }
        let widths = [
            PackedColumn.width(for: runs[count - 1].value - valueBase),
            PackedColumn.width(for: lastKey - keyBase),
            PackedColumn.width(for: UInt64(mostCopies - 1)),
        ]
        let sizes = widths.map { PackedColumn.byteCount(width: $0, count: count) }
        let payloadByteCount = headerByteCount + sizes.reduce(0, +)
        let buffer = allocate(payloadByteCount: payloadByteCount, replacing: oldByteCount)
        buffer.version = version

        // SAFETY: the buffer was allocated for a header and these three columns.
        let payload = buffer.payload
        payload.storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
        for (i, width) in widths.enumerated() {
            payload.storeBytes(of: UInt8(width), toByteOffset: 4 + i, as: UInt8.self)
        }
        payload.storeBytes(of: valueBase.littleEndian, toByteOffset: 8, as: UInt64.self)
        payload.storeBytes(of: keyBase.littleEndian, toByteOffset: 16, as: UInt64.self)
        payload.storeBytes(
            of: UInt64(bitPattern: Int64(total)).littleEndian,
            toByteOffset: 24,
            as: UInt64.self
        )
        let values = payload + headerByteCount
        let keys = values + sizes[0]
        PackedColumn.store(to: values, width: widths[0], count: count) {
            runs[$0].value &- valueBase
        }
        PackedColumn.store(to: keys, width: widths[1], count: count) { runs[$0].key &- keyBase }
        PackedColumn.store(to: keys + sizes[1], width: widths[2], count: count) {
            UInt64(runs[$0].copies - 1)
        }
        return buffer
    }

    private static func allocate(payloadByteCount: Int, replacing oldByteCount: Int?) -> BlobBuffer
    {
        let needed = BlobBuffer.storedByteCount(payloadByteCount: payloadByteCount)
        var byteCount = needed
        if let oldByteCount {
            let isRoomy = oldByteCount >= needed && oldByteCount - needed <= 4 * growthByteCount
            if isRoomy {
                byteCount = oldByteCount
            } else if oldByteCount < needed {
                byteCount = (needed + growthByteCount - 1) / growthByteCount * growthByteCount
            }
        }
        let buffer = BlobBuffer(
            payloadByteCount: payloadByteCount + byteCount - needed
        )
        buffer.payloadByteCount = payloadByteCount
        return buffer
    }
}
