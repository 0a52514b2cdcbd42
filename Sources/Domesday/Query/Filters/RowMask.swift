/// Which rows of one cluster are wanted: a byte per row, 1 or 0.
///
/// **Threads.** Memory of its owner; confined with it.
struct RowMask {
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    static let capacity = ClusterShape.rowLimit

    @inline(__always)
    func isSet(_ row: Int) -> Bool { bytes[row] != 0 }

    @inline(__always)
    func setAll() { bytes.update(repeating: 1, count: count) }

    @inline(__always)
    func clearAll() { bytes.update(repeating: 0, count: count) }

    /// How many rows are wanted.
    @inline(__always)
    var setCount: Int {
        var sum = 0
        for row in 0..<count { sum &+= Int(bytes[row]) }
        return sum
    }

    @inline(__always)
    var isEmpty: Bool {
        var any: UInt8 = 0
        for row in 0..<count { any |= bytes[row] }
        return any == 0
    }

    @inline(__always)
    func copy(from other: RowMask) { bytes.update(from: other.bytes, count: count) }

    @inline(__always)
    func formUnion(_ other: RowMask) {
        for row in 0..<count { bytes[row] |= other.bytes[row] }
    }

    /// Takes away what `other` has.
    @inline(__always)
    func subtract(_ other: RowMask) {
        for row in 0..<count { bytes[row] &= ~other.bytes[row] }
    }

    /// Lends a mask for the length of a call.
    @inline(__always)
    static func withTemporary<R>(
        count: Int,
        _ body: (RowMask) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { bytes.deallocate() }
        return try body(RowMask(bytes: bytes, count: count))
    }
}
