/// Unsigned integers side by side in memory, all 0, 1, 2, 4 or 8 bytes wide; width 0 means zeros.
///
/// **Shape.** Little-endian, the start aligned to the width. A column takes a multiple of 8 bytes.
/// **Threads.** A view; valid while the buffer it points into is kept and unchanged.
struct PackedColumn {
    let start: UnsafeRawPointer
    let width: Int

    static func isWidth(_ width: Int) -> Bool {
        width == 0 || width == 1 || width == 2 || width == 4 || width == 8
    }

    /// The narrowest width that holds `maximum`.
    static func width(for maximum: UInt64) -> Int {
        if maximum == 0 { return 0 }
        if maximum <= 0xff { return 1 }
        if maximum <= 0xffff { return 2 }
        return maximum <= 0xffff_ffff ? 4 : 8
    }

    /// Bytes of a column of `count` values.
    @inline(__always)
    static func byteCount(width: Int, count: Int) -> Int { (width &* count &+ 7) & ~7 }

    /// The value at `index`, which the caller has checked against the count it validated.
    @inline(__always)
    subscript(index: Int) -> UInt64 {
        // SAFETY: whoever made the column checked that `byteCount(width:count:)` bytes lie in the
        // buffer and keeps `index` below that count; starts are 8-aligned.
        switch width {
        case 1: UInt64(start.load(fromByteOffset: index, as: UInt8.self))
        case 2: UInt64(start.load(fromByteOffset: index &* 2, as: UInt16.self).littleEndian)
        case 4: UInt64(start.load(fromByteOffset: index &* 4, as: UInt32.self).littleEndian)
        case 8: start.load(fromByteOffset: index &* 8, as: UInt64.self).littleEndian
        default: 0
        }
    }

    /// Stores `count` values; those that do not fit the width lose their upper bits.
    @inline(__always)
    static func store(
        to start: UnsafeMutableRawPointer,
        width: Int,
        count: Int,
        _ value: (Int) -> UInt64
    ) {
        // SAFETY: the caller allocated `byteCount(width:count:)` bytes at an 8-aligned start.
        switch width {
        case 1: fill(start, UInt8.self, count, value)
        case 2: fill(start, UInt16.self, count, value)
        case 4: fill(start, UInt32.self, count, value)
        case 8: fill(start, UInt64.self, count, value)
        default: break
        }
    }

    @inline(__always)
    private static func fill<T: FixedWidthInteger>(
        _ start: UnsafeMutableRawPointer,
        _ type: T.Type,
        _ count: Int,
        _ value: (Int) -> UInt64
    ) {
        // SAFETY: as in `store`.
        for i in 0..<count {
            start.storeBytes(
                of: T(truncatingIfNeeded: value(i)).littleEndian,
                toByteOffset: i &* MemoryLayout<T>.size,
                as: T.self
            )
        }
    }
}
