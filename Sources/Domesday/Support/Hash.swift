/// The hash of bytes that indexes store: 64 bits, seeded per store, good for short keys.
///
/// Equal bytes hash equal; unequal ones may collide, so a hit is verified against the column.
///
/// **Shape.** Its value is part of the file format, as the checksum's.
/// **Threads.** Any.
enum Hash {
    // Fractional parts of the square roots of 11 and 13.
    private static let k0: UInt64 = 0x510E_527F_ADE6_82D1
    private static let k1: UInt64 = 0x9B05_688C_2B3E_6C1F

    /// - Complexity: O(*n*) in the bytes; no allocation.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var state = seed ^ k0
        guard let start = bytes.baseAddress, count > 0 else { return finish(state, 0, count) }
        var offset = 0
        // SAFETY: each load is inside `bytes`; the loop condition is its bound.
        while offset &+ 16 <= count {
            let first = Checksum.word(start + offset)
            let second = Checksum.word(start + (offset &+ 8))
            state = Checksum.fold(first ^ k1, second ^ state)
            offset = offset &+ 16
        }
        if offset &+ 8 <= count {
            state = Checksum.fold(Checksum.word(start + offset) ^ k1, state ^ k0)
            offset = offset &+ 8
        }
        let rest = offset < count ? Checksum.tail(start + offset, count &- offset) : 0
        return finish(state, rest, count)
    }

    /// The hash of a string's UTF-8 bytes.
    ///
    /// Canonically equivalent strings of different bytes differ.
    @inline(__always)
    static func hash(_ string: String, seed: UInt64) -> UInt64 {
        var string = string
        return string.withUTF8 { hash(UnsafeRawBufferPointer($0), seed: seed) }
    }

    @inline(__always)
    private static func finish(_ state: UInt64, _ rest: UInt64, _ count: Int) -> UInt64 {
        let mixed = Checksum.fold(rest ^ k1, state ^ UInt64(truncatingIfNeeded: count))
        return Checksum.fold(mixed ^ k0, state ^ k1)
    }
}
