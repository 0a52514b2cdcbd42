/// The first byte of a stored value of any type; part of the file format.
enum MixedTag: UInt8 {
    case none = 0
    case no = 1
    case yes = 2
    case int = 3
    case float = 4
    case double = 5
    case decimal = 6
    case string = 7
    case data = 8
    case date = 9
    case objectId = 10
    case uuid = 11
    case link = 12
    case list = 13
    case dictionary = 14

    /// Whether there may be links behind it.
    var mayLink: Bool { rawValue >= MixedTag.link.rawValue }
}

extension MixedValue {
    /// The elements of a list lie as in a column of lists.
    static let listLayout = SequenceLayout(.list, of: .mixed, isOptional: false)

    // MARK: - Encoding

    /// The value's bytes; none at all for `none`.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        func put(_ tag: MixedTag) { bytes.append(tag.rawValue) }
        func put<T: BitwiseCopyable>(_ tag: MixedTag, _ value: T) {
            put(tag)
            withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
        }
        func put(_ tag: MixedTag, _ value: [UInt8]) {
            put(tag)
            bytes += value
        }
        switch self {
        case .none: break
        case .bool(let value): put(value ? .yes : .no)
        case .int(let value): put(.int, value.littleEndian)
        case .float(let value): put(.float, value.bitPattern.littleEndian)
        case .double(let value): put(.double, value.bitPattern.littleEndian)
        case .decimal(let value): put(.decimal, value.stored)
        case .string(let value): put(.string, value)
        case .data(let value): put(.data, value)
        case .date(let value): put(.date, value.bitPattern.littleEndian)
        case .objectId(let value): put(.objectId, value)
        case .uuid(let value): put(.uuid, value)
        case .link(let link):
            put(.link, UInt32(link.table).littleEndian)
            withUnsafeBytes(of: link.key.littleEndian) { bytes.append(contentsOf: $0) }
        case .list(let values):
            put(.list)
            for value in values { Self.append(value.encoded, to: &bytes) }
        case .dictionary(let entries):
            put(.dictionary)
            for entry in entries {
                Self.append(entry.key, to: &bytes)
                Self.append(entry.value.encoded, to: &bytes)
            }
        }
    }

    private static func append(_ value: [UInt8], to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(value.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += value
    }

    // MARK: - Decoding

    /// nil if the bytes are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, depth: 0) }

    private init?(_ bytes: UnsafeRawBufferPointer, depth: Int) {
        guard let first = bytes.first else {
            self = .none
            return
        }
        guard let tag = MixedTag(rawValue: first) else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        func word() -> UInt64? {
            // SAFETY: the number of bytes is checked; loadUnaligned needs no alignment.
            rest.count == 8 ? UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self)) : nil
        }
        switch tag {
        case .none: return nil
        case .no, .yes:
            guard rest.isEmpty else { return nil }
            self = .bool(tag == .yes)
        case .int:
            guard let word = word() else { return nil }
            self = .int(Int64(bitPattern: word))
        case .float:
            guard rest.count == 4 else { return nil }
            // SAFETY: as above.
            let bits = UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self))
            self = .float(Float(bitPattern: bits))
        case .double, .date:
            guard let value = word().map({ Double(bitPattern: $0) }) else { return nil }
            self = tag == .date ? .date(value) : .double(value)
        case .decimal:
            guard rest.count == 16 else { return nil }
            self = .decimal(DecimalNumber(bytes: rest))
        case .string: self = .string(Array(rest))
        case .data: self = .data(Array(rest))
        case .objectId:
            guard rest.count == 12 else { return nil }
            self = .objectId(Array(rest))
        case .uuid:
            guard rest.count == 16 else { return nil }
            self = .uuid(Array(rest))
        case .link:
            guard rest.count == 12 else { return nil }
            // SAFETY: as above.
            let table = UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self))
            let key = Int64(littleEndian: rest.loadUnaligned(fromByteOffset: 4, as: Int64.self))
            self = .link(MixedLink(table: Int(table), key: key))
        case .list, .dictionary:
            guard depth < Self.depthLimit, let parts = Self.parts(of: rest) else { return nil }
            guard let value = Self.collection(tag, parts, depth) else { return nil }
            self = value
        }
    }

    private static func collection(
        _ tag: MixedTag,
        _ parts: [UnsafeRawBufferPointer],
        _ depth: Int
    ) -> MixedValue? {
        if tag == .list {
            var values: [MixedValue] = []
            for part in parts {
                guard let value = MixedValue(part, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .list(values)
        }
        guard parts.count.isMultiple(of: 2) else { return nil }
        var entries: [Entry] = []
        for index in stride(from: 0, to: parts.count, by: 2) {
            guard let value = MixedValue(parts[index + 1], depth: depth + 1) else { return nil }
            entries.append(Entry(key: Array(parts[index]), value: value))
        }
        return .dictionary(entries)
    }

    /// The byte strings that stand behind their lengths; nil if the bytes are damaged.
    static func parts(of bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer]? {
        var parts: [UnsafeRawBufferPointer] = []
        var offset = 0
        while offset < bytes.count {
            guard let part = part(at: offset, in: bytes) else { return nil }
            parts.append(UnsafeRawBufferPointer(rebasing: bytes[part]))
            offset = part.upperBound
        }
        return parts
    }

    /// Where the byte string lies whose length stands at an offset; nil if the bytes are damaged.
    static func part(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard offset + 4 <= bytes.count else { return nil }
        let length = Int(SequenceLayout.length(at: offset, in: bytes))
        return length <= bytes.count - offset - 4 ? (offset + 4)..<(offset + 4 + length) : nil
    }

    /// The links in a stored value; nil if it is damaged.
    ///
    /// - Complexity: O(1) for a value that is neither a link nor a collection.
    static func links(in bytes: UnsafeRawBufferPointer) -> [MixedLink]? {
        guard let first = bytes.first else { return [] }
        guard let tag = MixedTag(rawValue: first) else { return nil }
        guard tag.mayLink else { return [] }
        guard let value = MixedValue(bytes) else { return nil }
        var links: [MixedLink] = []
        value.forEachLink { links.append($0) }
        return links
    }
}
