/// The checksum that guards every stored blob: 64 bits, seeded, non-cryptographic.
///
/// Four lanes of 16 bytes are multiplied to 128 bits and folded, so that the multiplications of one
/// round overlap; the rest and the length go in at the end. It notices damage, not forgery.
///
/// **Shape.** Its value is part of the file format: the same bytes and seed give the same number in
/// every release and on every machine.
/// **Threads.** Any.
enum Checksum {
    // Fractional parts of the square roots of 2, 3, 5 and 7.
    private static let k0: UInt64 = 0x6A09_E667_F3BC_C909
    private static let k1: UInt64 = 0xBB67_AE85_84CA_A73B
    private static let k2: UInt64 = 0x3C6E_F372_FE94_F82B
    private static let k3: UInt64 = 0xA54F_F53A_5F1D_36F1

    /// - Complexity: O(*n*) in the bytes; no allocation.
    static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var lane0 = seed ^ k0
        var lane1 = seed &+ k1
        var lane2 = seed ^ k2
        var lane3 = seed &+ k3
        guard let start = bytes.baseAddress, count > 0 else {
            return finish(lane0, lane1, lane2, lane3, count)
        }
        var offset = 0
        // SAFETY: each load is inside `bytes`; the loop condition is its bound.
        while offset &+ 64 <= count {
            lane0 = round(start + offset, lane0, k1)
            lane1 = round(start + (offset &+ 16), lane1, k2)
            lane2 = round(start + (offset &+ 32), lane2, k3)
            lane3 = round(start + (offset &+ 48), lane3, k0)
            offset = offset &+ 64
        }
        while offset &+ 16 <= count {
            lane0 = round(start + offset, lane0, k3)
            offset = offset &+ 16
        }
        if offset &+ 8 <= count {
            lane1 = fold(word(start + offset) ^ k0, lane1 ^ k3)
            offset = offset &+ 8
        }
        if offset < count {
            lane2 = fold(tail(start + offset, count &- offset) ^ k1, lane2 ^ k0)
        }
        return finish(lane0, lane1, lane2, lane3, count)
    }

    @inline(__always)
    private static func round(_ p: UnsafeRawPointer, _ lane: UInt64, _ key: UInt64) -> UInt64 {
        fold(word(p) ^ key, word(p + 8) ^ lane)
    }

    @inline(__always)
    private static func finish(
        _ lane0: UInt64,
        _ lane1: UInt64,
        _ lane2: UInt64,
        _ lane3: UInt64,
        _ count: Int
    ) -> UInt64 {
        let low = fold(lane0 ^ k2, lane1 ^ UInt64(truncatingIfNeeded: count))
        let high = fold(lane2 ^ k3, lane3 ^ k1)
        return fold(low ^ k0, high ^ k2)
    }

    /// The 128-bit product, halves combined.
    @inline(__always)
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    @inline(__always)
    static func word(_ p: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: p.loadUnaligned(as: UInt64.self))
    }

    /// The last `count` bytes, 1 to 7 of them, as one word.
    @inline(__always)
    static func tail(_ p: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<count {
            value |= UInt64(p.load(fromByteOffset: index, as: UInt8.self)) << UInt64(index &* 8)
        }
        return value
    }
}
