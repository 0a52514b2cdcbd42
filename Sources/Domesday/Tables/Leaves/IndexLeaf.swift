/// A sorted run of up to 512 distinct pairs, read in place from its blob.
///
/// **Shape.** Payload, little-endian: pair count (u32); widths of the columns below (3 x u8); zero
/// (u8); smallest value (u64); smallest key (u64); entry count, copies included (u64); then three
/// columns, each a multiple of 8 bytes: values less the smallest, keys less the smallest, and how
/// many copies each pair has beyond the first (width 0 unless a pair is held twice). Pairs ascend.
///
/// **Threads.** A view that keeps its buffer, unless it was made from a payload; any thread.
struct IndexLeaf {
    static let maximumCount = 512
    /// What a full leaf is split into, so that each half takes inserts for a while.
    static let fillCount = 384
    /// A leaf left with fewer pairs joins a neighbour.
    static let minimumCount = 128

    static let headerByteCount = 32

    /// nil if somebody else keeps it.
    private let buffer: BlobBuffer?
    /// Distinct pairs.
    let count: Int
    let valueBase: UInt64
    let keyBase: UInt64
    let values: PackedColumn
    let keys: PackedColumn
    let extraCopies: PackedColumn

    /// Views a buffer for which `damage(in:)` has found nothing.
    @inline(__always)
    init(validated buffer: BlobBuffer) {
        self.init(UnsafeRawPointer(buffer.payload), keeping: buffer)
    }

    /// Views the payload of such a buffer, which the caller keeps.
    @inline(__always)
    init(unretained payload: UnsafeRawPointer) { self.init(payload, keeping: nil) }

    @inline(__always)
    private init(_ payload: UnsafeRawPointer, keeping buffer: BlobBuffer?) {
        // SAFETY: `damage(in:)` checked that header and columns lie within the buffer, which this
        // view or its maker retains.
        self.buffer = buffer
        count = Int(payload.load(as: UInt32.self).littleEndian)
        let widths = payload.load(fromByteOffset: 4, as: UInt32.self).littleEndian
        valueBase = payload.load(fromByteOffset: 8, as: UInt64.self).littleEndian
        keyBase = payload.load(fromByteOffset: 16, as: UInt64.self).littleEndian
        values = PackedColumn(start: payload + Self.headerByteCount, width: Int(widths & 0xff))
        keys = PackedColumn(
            start: values.start + PackedColumn.byteCount(width: values.width, count: count),
            width: Int(widths >> 8 & 0xff)
        )
        extraCopies = PackedColumn(
            start: keys.start + PackedColumn.byteCount(width: keys.width, count: count),
            width: Int(widths >> 16 & 0xff)
        )
    }

    @inline(__always) func value(_ index: Int) -> UInt64 { valueBase &+ values[index] }
    @inline(__always) func key(_ index: Int) -> UInt64 { keyBase &+ keys[index] }

    @inline(__always)
    func entry(_ index: Int) -> IndexEntry { IndexEntry(value: value(index), key: key(index)) }

    /// How often the pair is held. At least 1; wraps never, because validation summed the column.
    @inline(__always)
    func copies(_ index: Int) -> Int { 1 &+ Int(truncatingIfNeeded: extraCopies[index]) }

    @inline(__always)
    func run(_ index: Int) -> IndexRun {
        IndexRun(value: value(index), key: key(index), copies: copies(index))
    }

    /// Entries before `index`, copies included.
    ///
    /// - Complexity: O(1), or O(*index*) in a leaf that holds a pair twice.
    func entryCount(before index: Int) -> Int {
        if extraCopies.width == 0 { return index }
        var total = index
        for i in 0..<index { total &+= Int(truncatingIfNeeded: extraCopies[i]) }
        return total
    }

    /// What makes a buffer unreadable as a leaf, or `nil`. Order is not looked at: searches stay
    /// within the leaf whatever it holds.
    ///
    /// - Parameter entryCount: What the group says the leaf holds.
    static func damage(in buffer: BlobBuffer, entryCount: Int) -> String? {
        guard buffer.byteCount >= BlobBuffer.headerByteCount,
            buffer.payloadByteCount <= buffer.payloadCapacity,
            buffer.payloadByteCount >= headerByteCount
        else { return "index leaf is too short" }
        // SAFETY: the payload holds a header, checked above.
        let payload = UnsafeRawPointer(buffer.payload)
        let count = Int(payload.load(as: UInt32.self).littleEndian)
        guard count > 0, count <= maximumCount else { return "index leaf has a wrong pair count" }
        var byteCount = headerByteCount
        for offset in 4..<7 {
            let width = Int(payload.load(fromByteOffset: offset, as: UInt8.self))
            guard PackedColumn.isWidth(width) else { return "index leaf has a wrong width" }
            byteCount += PackedColumn.byteCount(width: width, count: count)
        }
        guard byteCount <= buffer.payloadByteCount else { return "index leaf is cut short" }
        let stored = payload.load(fromByteOffset: 24, as: UInt64.self).littleEndian
        guard stored == UInt64(entryCount), IndexLeaf(validated: buffer).sum() == stored else {
            return "index leaf holds another number of entries than its group says"
        }
        return nil
    }

    /// All copies of all pairs; `nil` if that is no number an index can hold.
    private func sum() -> UInt64? {
        if extraCopies.width == 0 { return UInt64(count) }
        var total = UInt64(count)
        for i in 0..<count {
            let (sum, overflow) = total.addingReportingOverflow(extraCopies[i])
            if overflow || sum > UInt64(Int.max) { return nil }
            total = sum
        }
        return total
    }
}
