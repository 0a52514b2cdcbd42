/// How the elements of a collection lie in the bytes of its column.
///
/// This type, ``StoredSequence`` and ``EncodedElements`` are all that knows the bytes: lists, sets
/// and maps speak of positions.
///
/// **Shape.** Three forms:
/// - packed: elements of one size side by side, each behind a state byte (0 a value, 1 nil) if
///   elements are optional. Lists and sets of numbers, dates, identifiers and links.
/// - chained: each element behind a u32 length (0xFFFFFFFF for nil). Lists of strings, data and values of any type.
/// - tabled: a u32 count, a u32 end for each element, the elements; no bytes at all if empty. Sets
///   of strings, data and values of any type, whose elements have a state byte if optional; maps,
///   whose elements are a u32 byte count, the key, the state byte if values are optional, and the
///   value.
///
/// Links are keys, 0 for nil; they have no state byte. Sets ascend by ``ElementOrder``, each element
/// once; maps ascend by the bytes of their keys, each key once.
///
/// **Threads.** A value; any thread.
struct SequenceLayout: Hashable, Sendable {
    let type: ColumnType
    let shape: CollectionShape
    /// Whether elements have a state byte, or a length that says nil.
    let hasNil: Bool

    static let nilLength = UInt32.max

    init(_ shape: CollectionShape, of type: ColumnType, isOptional: Bool) {
        self.type = type
        self.shape = shape
        hasNil = isOptional && type != .link
    }

    init(_ column: ColumnDefinition) {
        self.init(column.shape, of: column.type, isOptional: column.isOptional)
    }

    /// The bytes of each element of a packed sequence; 0 in the other forms.
    var stride: Int {
        let byteCount = type.byteCount
        return byteCount == 0 || shape == .map ? 0 : byteCount + (hasNil ? 1 : 0)
    }

    var isTabled: Bool { shape == .map || (shape == .set && type.byteCount == 0) }

    /// Whether elements ascend, so that they can be searched for.
    var isSorted: Bool { shape != .list }

    // MARK: One element

    /// The bytes of a value; nil for one that is nil, or that `element` is too short for.
    ///
    /// - Parameter element: as it lies in the sequence.
    func value(of element: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var offset = 0
        if shape == .map {
            guard let key = key(of: element) else { return nil }
            offset = 4 + key.count
        } else if stride == 0, !isTabled {
            if element.count < 4 || Self.length(at: 0, in: element) == Self.nilLength { return nil }
            return UnsafeRawBufferPointer(rebasing: element[4...])
        }
        if hasNil {
            guard offset < element.count, element[offset] == 0 else { return nil }
            offset += 1
        }
        let value = UnsafeRawBufferPointer(rebasing: element[offset...])
        if type.byteCount != 0, value.count != type.byteCount { return nil }
        if type == .link, value.loadUnaligned(as: ObjectKey.self) == 0 { return nil }
        return value
    }

    /// The bytes of a map's key; nil if `element` is damaged.
    func key(of element: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard element.count >= 4 else { return nil }
        let count = Int(Self.length(at: 0, in: element))
        guard count <= element.count - 4 else { return nil }
        return UnsafeRawBufferPointer(rebasing: element[4..<(4 + count)])
    }

    /// The object that an element leads to, 0 for none.
    func link(of element: UnsafeRawBufferPointer) -> ObjectKey {
        value(of: element)?.loadUnaligned(as: ObjectKey.self) ?? 0
    }

    /// How two elements stand to each other in a set or map: below 0, 0 or above.
    func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        shape == .map
            ? ElementOrder.bytes(key(of: a) ?? a, key(of: b) ?? b)
            : ElementOrder.compare(value(of: a), value(of: b), type)
    }

    static func length(at offset: Int, in bytes: UnsafeRawBufferPointer) -> UInt32 {
        // SAFETY: the caller checked that four bytes follow; loadUnaligned needs no alignment.
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

/// The order of a set's elements: nil, then by size; text, data and identifiers by their bytes;
/// values of any type as ``MixedValue/totalOrder(to:)`` says.
enum ElementOrder {
    /// Below 0, 0 or above. -0 equals 0, and NaN itself.
    static func compare(
        _ a: UnsafeRawBufferPointer?,
        _ b: UnsafeRawBufferPointer?,
        _ type: ColumnType
    ) -> Int {
        guard let a, let b else { return a == nil ? (b == nil ? 0 : -1) : 1 }
        switch type {
        case .bool: return sign(a[0], b[0])
        case .int, .link: return sign(number(a, Int64.self), number(b, Int64.self))
        case .float:
            return sign(
                IndexValue.double(Double(number(a, Float.self))),
                IndexValue.double(Double(number(b, Float.self)))
            )
        case .double, .date:
            return sign(
                IndexValue.double(number(a, Double.self)),
                IndexValue.double(number(b, Double.self))
            )
        case .string, .data, .uuid, .objectId: return bytes(a, b)
        case .decimal:
            return DecimalNumber(bytes: a).totalOrder(to: DecimalNumber(bytes: b))
        case .mixed:
            guard let x = MixedValue(a), let y = MixedValue(b) else { return bytes(a, b) }
            return x.totalOrder(to: y)
        }
    }

    /// As `memcmp`, a prefix first.
    static func bytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        for index in 0..<min(a.count, b.count) where a[index] != b[index] {
            return a[index] < b[index] ? -1 : 1
        }
        return a.count - b.count
    }

    private static func number<T: BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer,
        _ type: T.Type
    ) -> T {
        // SAFETY: `SequenceLayout.value(of:)` made sure of the size.
        bytes.loadUnaligned(as: type)
    }

    private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
}
