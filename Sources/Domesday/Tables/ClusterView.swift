public import CRuntime

/// How a column lies inside a cluster. Raw values are part of the file format.
@usableFromInline
enum ColumnKind: UInt8, Sendable {
    case absent = 0
    /// Integers as `base + unsigned offset` in 0, 1, 2, 4 or 8 bytes.
    case int = 1
    case float = 2
    case double = 3
    /// A fixed number of raw bytes: UUID 16, ObjectId 12.
    case fixed = 4
    /// Byte strings in the heap part: text, data, encoded lists.
    case bytes = 5
}

/// Reads the columns of one cluster: up to 256 objects in ascending order of their keys.
///
/// **Shape.** Little-endian. The fixed part: a header of 32 bytes (row count u32, row capacity u32,
/// column count u32, key width u32, first key i64, key offset u32, 0), then 32 bytes per column id
/// (kind u8, width u8, 0 u16, state offset u32, data offset u32, 0 u32, base i64, 0 u64), then the
/// sections, each 8-aligned. All offsets count from the start of the payload. Key width 0 means that
/// row r has key first + r; otherwise keys are first + an unsigned offset of 1, 2, 4 or 8 bytes.
/// A state section holds a byte per row: 0 a value, 1 nil, 2 a long value kept elsewhere.
/// The heap part: row capacity u32, column count u32, 0 u64, then 16 bytes per column id (offset of
/// the ends u32, offset of the bytes u32, byte capacity u32, 0), then per column row capacity + 1
/// ends (u32, the first 0) and the bytes.
///
/// **Threads.** Borrows memory: valid as long as the buffer it came from is retained. What is behind
/// the pointer was validated when it was loaded, so the members check nothing.
@frozen
@usableFromInline
struct ClusterView {
    @usableFromInline let payload: UnsafeRawPointer

    @inlinable
    @inline(__always)
    init(_ payload: UnsafeRawPointer) { self.payload = payload }

    @usableFromInline static var headerByteCount: Int { 32 }
    @usableFromInline static var columnByteCount: Int { 32 }
    @usableFromInline static var heapHeaderByteCount: Int { 16 }
    @usableFromInline static var heapColumnByteCount: Int { 16 }

    @inlinable
    @inline(__always)
    var rowCount: Int { Int(payload.load(as: UInt32.self)) }

    @inlinable
    @inline(__always)
    var rowCapacity: Int { Int(payload.load(fromByteOffset: 4, as: UInt32.self)) }

    @inlinable
    @inline(__always)
    var columnCount: Int { Int(payload.load(fromByteOffset: 8, as: UInt32.self)) }

    @inlinable
    @inline(__always)
    var keyWidth: Int { Int(payload.load(fromByteOffset: 12, as: UInt32.self)) }

    @inlinable
    @inline(__always)
    var firstKey: Int64 { payload.load(fromByteOffset: 16, as: Int64.self) }

    @inlinable
    @inline(__always)
    var keyOffset: Int { Int(payload.load(fromByteOffset: 24, as: UInt32.self)) }

    /// The directory entry of a column.
    @inlinable
    @inline(__always)
    func entry(_ column: Int) -> UnsafeRawPointer { payload + (32 &+ column &* 32) }

    @inlinable
    @inline(__always)
    func width(_ column: Int) -> Int { Int(entry(column).load(fromByteOffset: 1, as: UInt8.self)) }

    @inlinable
    @inline(__always)
    func base(_ column: Int) -> Int64 { entry(column).load(fromByteOffset: 16, as: Int64.self) }

    /// Start of a column's data in the fixed part.
    @inlinable
    @inline(__always)
    func data(_ column: Int) -> UnsafeRawPointer {
        payload + Int(entry(column).load(fromByteOffset: 8, as: UInt32.self))
    }

    /// Start of a column's state bytes, nil when every row has a value.
    @inlinable
    @inline(__always)
    func states(_ column: Int) -> UnsafeRawPointer? {
        let offset = Int(entry(column).load(fromByteOffset: 4, as: UInt32.self))
        return offset == 0 ? nil : payload + offset
    }

    /// 0 a value, 1 nil, 2 long.
    @inlinable
    @inline(__always)
    func state(_ column: Int, _ row: Int) -> UInt8 {
        let offset = Int(entry(column).load(fromByteOffset: 4, as: UInt32.self))
        return offset == 0 ? 0 : payload.load(fromByteOffset: offset &+ row, as: UInt8.self)
    }

    @inlinable
    @inline(__always)
    func int(_ column: Int, _ row: Int) -> Int64 {
        let data = data(column)
        let base = base(column)
        switch width(column) {
        case 1: return base &+ Int64(data.load(fromByteOffset: row, as: UInt8.self))
        case 2: return base &+ Int64(data.load(fromByteOffset: row &* 2, as: UInt16.self))
        case 4: return base &+ Int64(data.load(fromByteOffset: row &* 4, as: UInt32.self))
        case 8: return base &+ data.load(fromByteOffset: row &* 8, as: Int64.self)
        default: return base
        }
    }

    @inlinable
    @inline(__always)
    func float(_ column: Int, _ row: Int) -> Float {
        data(column).load(fromByteOffset: row &* 4, as: Float.self)
    }

    @inlinable
    @inline(__always)
    func double(_ column: Int, _ row: Int) -> Double {
        data(column).load(fromByteOffset: row &* 8, as: Double.self)
    }

    /// The raw bytes of a `fixed` column's value.
    @inlinable
    @inline(__always)
    func fixed(_ column: Int, _ row: Int) -> UnsafeRawBufferPointer {
        let width = width(column)
        return UnsafeRawBufferPointer(start: data(column) + row &* width, count: width)
    }

    @inlinable
    @inline(__always)
    func key(_ row: Int) -> ObjectKey {
        let keys = payload + keyOffset
        switch keyWidth {
        case 0: return firstKey &+ Int64(row)
        case 1: return firstKey &+ Int64(keys.load(fromByteOffset: row, as: UInt8.self))
        case 2: return firstKey &+ Int64(keys.load(fromByteOffset: row &* 2, as: UInt16.self))
        case 4: return firstKey &+ Int64(keys.load(fromByteOffset: row &* 4, as: UInt32.self))
        default: return firstKey &+ keys.load(fromByteOffset: row &* 8, as: Int64.self)
        }
    }

    /// The row of a key, or -1. O(1) when no object was deleted, else O(log rows).
    @inlinable
    func row(of key: ObjectKey) -> Int {
        if keyWidth == 0 {
            let row = key &- firstKey
            return row >= 0 && row < Int64(rowCount) ? Int(row) : -1
        }
        var low = 0
        var high = rowCount
        while low < high {
            let middle = (low &+ high) >> 1
            if self.key(middle) < key { low = middle &+ 1 } else { high = middle }
        }
        return low < rowCount && self.key(low) == key ? low : -1
    }

    /// The heap part's payload if it has been loaded: the address its owner put 48 bytes in front
    /// of the fixed part's payload.
    @inlinable
    @inline(__always)
    var heap: UnsafeRawPointer? {
        UnsafeRawPointer(bitPattern: UInt(domesday_load_acquire(payload - 48)))
    }

    /// Whether this is the open transaction's own copy, which its writer may store into.
    @inlinable
    @inline(__always)
    var isWritable: Bool { (payload - 40).load(as: UInt64.self) != 0 }

    /// Marks a row of a writable cluster as having a value that is neither nil nor long.
    @inlinable
    @inline(__always)
    func noteValue(_ column: Int, _ row: Int) {
        // SAFETY: the row is in the cluster; who calls is its writer.
        if let states = states(column) {
            UnsafeMutableRawPointer(mutating: states)
                .storeBytes(of: 0, toByteOffset: row, as: UInt8.self)
        }
    }

    /// The bytes of a `bytes` column's value in the loaded heap part.
    @inlinable
    @inline(__always)
    static func bytes(_ heap: UnsafeRawPointer, _ column: Int, _ row: Int) -> UnsafeRawBufferPointer
    {
        let entry = heap + (16 &+ column &* 16)
        let ends = heap + Int(entry.load(as: UInt32.self))
        let start = Int(ends.load(fromByteOffset: row &* 4, as: UInt32.self))
        let end = Int(ends.load(fromByteOffset: row &* 4 &+ 4, as: UInt32.self))
        let data = heap + Int(entry.load(fromByteOffset: 4, as: UInt32.self))
        return UnsafeRawBufferPointer(start: data + start, count: end &- start)
    }
}

extension ClusterView {
    /// The first row whose key is above `key`; the row count if there is none.
    ///
    /// - Complexity: O(1) without gaps, else O(log rows).
    func firstRow(above key: ObjectKey) -> Int {
        if keyWidth == 0 { return Int(max(0, min(Int64(rowCount), key + 1 - firstKey))) }
        var low = 0
        var high = rowCount
        while low < high {
            let middle = (low + high) >> 1
            if self.key(middle) <= key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
