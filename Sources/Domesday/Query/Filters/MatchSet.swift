/// The objects of one table that match something: a bit per key between the table's first and last.
///
/// **Threads.** Immutable once made.
struct MatchSet {
    /// The key of bit 0.
    private let base: ObjectKey
    private let bitCount: Int64
    private var words: [UInt64]
    private(set) var count = 0

    /// An empty set for keys of a table.
    init(of table: TableReader) throws(StorageError) {
        guard table.clusterCount > 0 else {
            (base, bitCount, words) = (0, 0, [])
            return
        }
        let last = try table.cluster(table.clusterCount - 1)
        base = try table.cluster(0).firstKey
        let end = last.rowCount == 0 ? last.firstKey : last.key(last.rowCount - 1)
        bitCount = max(0, end &- base &+ 1)
        words = Array(repeating: 0, count: Int(bitCount + 63) / 64)
    }

    /// The rows of `table` that a filter matches. No pointer into a cluster may be held.
    init(of table: TableReader, where filter: RowFilter) throws(StorageError) {
        try filter.prepare()
        try self.init(of: table)
        try RowMask.withTemporary(count: RowMask.capacity) { memory throws(StorageError) in
            for ordinal in 0..<table.clusterCount {
                table.reader.safePoint()
                let view = try table.cluster(ordinal)
                let mask = RowMask(bytes: memory.bytes, count: view.rowCount)
                mask.setAll()
                try filter.narrow(mask, view)
                insert(mask, view)
            }
        }
    }

    private mutating func insert(_ mask: RowMask, _ view: ClusterView) {
        if view.keyWidth == 0, (view.firstKey &- base) & 7 == 0 {
            // Eight rows make a byte of bits.
            let first = Int(view.firstKey &- base) >> 3
            words.withUnsafeMutableBytes { bits in
                var row = 0
                while row + 8 <= mask.count {
                    // SAFETY: eight bytes lie within the mask; loadUnaligned needs no alignment.
                    let eight = UnsafeRawPointer(mask.bytes + row).loadUnaligned(as: UInt64.self)
                    let byte = UInt8(truncatingIfNeeded: (eight &* 0x0102_0408_1020_4080) >> 56)
                    bits[first + row >> 3] = byte
                    count &+= byte.nonzeroBitCount
                    row += 8
                }
            }
            for row in (mask.count & ~7)..<mask.count where mask.isSet(row) {
                insert(view.key(row))
            }
            return
        }
        for row in 0..<mask.count where mask.isSet(row) { insert(view.key(row)) }
    }

    mutating func insert(_ key: ObjectKey) {
        let bit = key &- base
        guard bit >= 0, bit < bitCount else { return }
        let mask: UInt64 = 1 << UInt64(bit & 63)
        if words[Int(bit >> 6)] & mask == 0 { count += 1 }
        words[Int(bit >> 6)] |= mask
    }

    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        let bit = key &- base
        guard UInt64(bitPattern: bit) < UInt64(bitPattern: bitCount) else { return false }
        return words[Int(bit >> 6)] >> UInt64(bit & 63) & 1 != 0
    }

    /// Lends the bits for a loop.
    @inline(__always)
    func withBits<R>(
        _ body: (_ base: ObjectKey, _ bitCount: UInt64, UnsafePointer<UInt64>) -> R
    ) -> R? {
        let bitCount = UInt64(bitPattern: bitCount)
        return words.withUnsafeBufferPointer { words in
            words.baseAddress.map { body(base, bitCount, $0) }
        }
    }
}
