/// How the elements of a list lie in the bytes of its column.
///
/// **Shape.** Elements of fixed size: packed, little-endian, each `ColumnType.byteCount` bytes, each
/// preceded by a state byte (0 a value, 1 nil) if elements are optional. Strings and data: a u32
/// length (0xFFFFFFFF for nil) and the bytes, in sequence. Links: 8-byte keys.
///
/// **Threads.** A value; any thread. The byte buffers passed in are only borrowed.
struct ListLayout: Hashable, Sendable {
    let type: ColumnType
    let isOptional: Bool

    static let nilLength = UInt32.max

    init(type: ColumnType, isOptional: Bool) {
        self.type = type
        self.isOptional = isOptional
    }

    /// The bytes of each element, its state included; 0 if elements differ.
    var stride: Int {
        let byteCount = type.byteCount
        return byteCount == 0 ? 0 : byteCount + (isOptional ? 1 : 0)
    }

    /// The number of elements, nil if `bytes` is no whole list.
    ///
    /// - Complexity: O(1) for elements of fixed size, else O(elements).
    func count(in bytes: UnsafeRawBufferPointer) -> Int? {
        if stride > 0 { return bytes.count % stride == 0 ? bytes.count / stride : nil }
        var offset = 0
        var count = 0
        while offset < bytes.count {
            guard let next = end(ofElementAt: offset, in: bytes) else { return nil }
            offset = next
            count += 1
        }
        return count
    }

    /// The byte offset where element `index` begins, or the list's end; nil if there is no such
    /// element or `bytes` is damaged.
    func offset(of index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        if stride > 0 {
            // Checked before multiplying, so that no index can overflow.
            return index <= bytes.count / stride ? index * stride : nil
        }
        var offset = 0
        for _ in 0..<index {
            guard let next = end(ofElementAt: offset, in: bytes) else { return nil }
            offset = next
        }
        return offset
    }

    /// The byte offset behind the element that begins at `offset`; nil if it does not fit.
    func end(ofElementAt offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        if stride > 0 { return offset + stride <= bytes.count ? offset + stride : nil }
        guard offset + 4 <= bytes.count else { return nil }
        let length = length(at: offset, in: bytes)
        let end = offset + 4 + (length == Self.nilLength ? 0 : Int(length))
        return end <= bytes.count ? end : nil
    }

    /// The value's bytes of the element in `range`, nil for an element that is nil.
    ///
    /// - Precondition: `range` comes from `offset(of:in:)` and `end(ofElementAt:in:)`.
    func value(in range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if stride > 0 {
            guard isOptional else { return UnsafeRawBufferPointer(rebasing: bytes[range]) }
            if bytes[range.lowerBound] == 1 { return nil }
            return UnsafeRawBufferPointer(
                rebasing: bytes[(range.lowerBound + 1)..<range.upperBound]
            )
        }
        if length(at: range.lowerBound, in: bytes) == Self.nilLength { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[(range.lowerBound + 4)..<range.upperBound])
    }

    /// Appends one element; nil only where elements are optional.
    func append(_ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
        precondition(value != nil || isOptional, "a nil element in a list of required values")
        if stride > 0 {
            if isOptional { bytes.append(value == nil ? 1 : 0) }
            if let value {
                precondition(value.count == type.byteCount, "a list element of the wrong size")
                bytes.append(contentsOf: value)
            } else {
                bytes.append(contentsOf: repeatElement(0, count: type.byteCount))
            }
            return
        }
        precondition((value?.count ?? 0) < Int(Self.nilLength), "a list element above 4 GB")
        let length = value.map { UInt32($0.count) } ?? Self.nilLength
        withUnsafeBytes(of: length.littleEndian) { bytes.append(contentsOf: $0) }
        if let value { bytes.append(contentsOf: value) }
    }

    private func length(at offset: Int, in bytes: UnsafeRawBufferPointer) -> UInt32 {
        // SAFETY: the caller checked that four bytes follow; loadUnaligned needs no alignment.
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
