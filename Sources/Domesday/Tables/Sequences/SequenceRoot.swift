import Foundation

/// What stands in a row for a collection that is kept in leaves.
///
/// **Shape.** 16 bytes in the heap, state 3: the number of the root among the table's long values and
/// the version that changed the collection last.
struct SequenceReference: Equatable {
    let number: Int64
    let version: UInt64

    init(number: Int64, version: UInt64) {
        self.number = number
        self.version = version
    }

    /// - Returns: nil if the bytes are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        // SAFETY: 16 bytes are there; loadUnaligned needs no alignment.
        number = Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
        version = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Runs `body` with the stored form.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (number.littleEndian, version.littleEndian)) { body($0) }
    }
}

/// The root of a long collection: which leaves it has, in order.
///
/// A collection above ``usualLeafByteLimit`` is cut into **leaves**, each of which is a short
/// collection of the same layout: a change rewrites one leaf and the few bytes of the root that count
/// it. Root and leaves are long values of the table, each with a number of its own, and are changed in
/// place: as with clusters, the page store keeps what older versions read.
///
/// **Shape.** u32 leaf count, u32 0; for each leaf i64 number, u64 version that wrote it, u32 elements,
/// u32 bytes; then, of a set or map, a sequence of the collection's own layout, of one separator
/// between each two neighbours: an element above all that the left one may hold, and not above any of
/// the right one. Of texts, data and keys it is the shortest such; a map's has a key and no value.
///
/// **Threads.** A value; any thread.
struct SequenceRoot {
    struct Leaf: Equatable {
        let number: Int64
        var version: UInt64
        var count: Int
        var byteCount: Int
    }

    /// A leaf has at most so many bytes, unless it is one element. A collection with more is cut into
    /// leaves; one that shrinks to half of it becomes one byte string again.
    ///
    /// The variable is for tests: the whole suite runs with small leaves too.
    static let usualLeafByteLimit =
        ProcessInfo.processInfo.environment["DOMESDAY_LEAF_BYTES"].flatMap(Int.init)
        .flatMap { 64...(1 << 20) ~= $0 ? $0 : nil } ?? 16384

    private static let headerByteCount = 8
    private static let leafByteCount = 24

    let layout: SequenceLayout
    var leaves: [Leaf] = []
    /// The separators' sequence; none in a list.
    var separators: [UInt8] = []

    init(_ layout: SequenceLayout) { self.layout = layout }

    /// - Returns: nil if the bytes are damaged.
    init?(_ layout: SequenceLayout, _ bytes: UnsafeRawBufferPointer) {
        self.layout = layout
        guard bytes.count >= Self.headerByteCount else { return nil }
        let count = Int(SequenceLayout.length(at: 0, in: bytes))
        let end = Self.headerByteCount + count * Self.leafByteCount
        guard count > 0, end <= bytes.count else { return nil }
        leaves.reserveCapacity(count)
        for index in 0..<count {
            let offset = Self.headerByteCount + index * Self.leafByteCount
            // SAFETY: `end` is within the bytes; loadUnaligned needs no alignment.
            let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
            let version = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            let leaf = Leaf(
                number: Int64(littleEndian: number),
                version: UInt64(littleEndian: version),
                count: Int(SequenceLayout.length(at: offset + 16, in: bytes)),
                byteCount: Int(SequenceLayout.length(at: offset + 20, in: bytes))
            )
            guard leaf.count > 0 else { return nil }
            leaves.append(leaf)
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
        let separatorCount = StoredSequence(layout, rest)?.count
        guard layout.isSorted ? separatorCount == count - 1 : rest.isEmpty else { return nil }
        separators = Array(rest)
    }

    func encoded() -> BlobBuffer {
        let end = Self.headerByteCount + leaves.count * Self.leafByteCount
        let blob = BlobBuffer(payloadByteCount: end + separators.count)
        let target = blob.payload
        // SAFETY: the payload holds all of `end` and the separators.
        target.storeBytes(of: UInt32(leaves.count).littleEndian, as: UInt32.self)
        for (index, leaf) in leaves.enumerated() {
            let entry = target + Self.headerByteCount + index * Self.leafByteCount
            entry.storeBytes(of: leaf.number.littleEndian, as: Int64.self)
            entry.storeBytes(of: leaf.version.littleEndian, toByteOffset: 8, as: UInt64.self)
            entry.storeBytes(of: UInt32(leaf.count).littleEndian, toByteOffset: 16, as: UInt32.self)
            let byteCount = UInt32(leaf.byteCount).littleEndian
            entry.storeBytes(of: byteCount, toByteOffset: 20, as: UInt32.self)
        }
        separators.withUnsafeBytes { source in
            if let start = source.baseAddress {
                (target + end).copyMemory(from: start, byteCount: source.count)
            }
        }
        return blob
    }

    /// The leaf that an element is in, if it is in any; of a set or map.
    ///
    /// - Returns: nil if the separators are damaged.
    /// - Complexity: O(log *leaves*).
    func leaf(of wanted: UnsafeRawBufferPointer) -> Int? {
        if leaves.count < 2 { return 0 }
        return separators.withUnsafeBytes { bytes in
            StoredSequence(layout, bytes)?.search(wanted).map { position, isFound in
                isFound ? position + 1 : position
            }
        }
    }
}

extension EncodedElements {
    /// Appends what separates two neighbours in a set or map: above `left`, and not above `right`.
    mutating func append(
        separating left: UnsafeRawBufferPointer,
        from right: UnsafeRawBufferPointer
    ) {
        if layout.shape == .map {
            guard let a = layout.key(of: left), let b = layout.key(of: right) else {
                return append(stored: right)
            }
            return append(probing: Self.prefix(of: b, above: a))
        }
        guard let b = layout.value(of: right) else { return append(stored: right) }
        let a = layout.value(of: left)
        switch layout.type {
        case .string, .data: append(Self.prefix(of: b, above: a))
        case .mixed:
            let tag = b.first.flatMap { MixedTag(rawValue: $0) }
            guard tag == .string || tag == .data else { return append(stored: right) }
            // The tag is a part of it.
            append(Self.prefix(of: b, above: a?.first == b.first ? a : nil))
        default: append(stored: right)
        }
    }

    /// The shortest beginning of `b` that is above `a`, a byte at least.
    private static func prefix(
        of b: UnsafeRawBufferPointer,
        above a: UnsafeRawBufferPointer?
    ) -> UnsafeRawBufferPointer {
        var common = 0
        if let a { while common < min(a.count, b.count), a[common] == b[common] { common += 1 } }
        return UnsafeRawBufferPointer(rebasing: b.prefix(common + 1))
    }
}
