/// Elements in the form in which a sequence stores them, before they are put there.
///
/// **Shape.** The bytes of one after the other, and where each ends.
struct EncodedElements {
    let layout: SequenceLayout
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    init(_ layout: SequenceLayout) { self.layout = layout }

    /// One element of a map that has a key and no value: to search with, not to be stored.
    init(probing key: String, _ layout: SequenceLayout) {
        self.init(layout)
        append(key: key)
        ends.append(bytes.count)
    }

    /// Appends an element of a map that has a key and no value: to search with.
    mutating func append(probing key: UnsafeRawBufferPointer) {
        append(length: UInt32(key.count))
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    var count: Int { ends.count }

    /// The bytes of the element at a position.
    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Appends one element; nil only where there may be nil.
    ///
    /// - Parameter key: of a map's element.
    mutating func append(_ value: UnsafeRawBufferPointer?, key: String? = nil) {
        precondition(
            value != nil || layout.hasNil || layout.type == .link,
            "a nil element in a collection of required values"
        )
        if layout.shape == .map { append(key: key ?? "") }
        let byteCount = layout.type.byteCount
        if layout.stride == 0, !layout.isTabled {
            precondition(
                (value?.count ?? 0) < Int(SequenceLayout.nilLength),
                "an element above 4 GB"
            )
            append(length: value.map { UInt32($0.count) } ?? SequenceLayout.nilLength)
        } else if layout.hasNil {
            bytes.append(value == nil ? 1 : 0)
        }
        if let value {
            precondition(byteCount == 0 || value.count == byteCount, "an element of the wrong size")
            bytes.append(contentsOf: value)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: byteCount))
        }
        ends.append(bytes.count)
    }

    private mutating func append(key: String) {
        var key = key
        key.withUTF8 {
            append(length: UInt32($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    private mutating func append(length: UInt32) {
        withUnsafeBytes(of: length.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends an element that lies in a sequence of the same layout.
    mutating func append(stored element: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: element)
        ends.append(bytes.count)
    }

    /// Appends elements of the same layout.
    mutating func append(contentsOf other: EncodedElements) {
        let start = bytes.count
        bytes += other.bytes
        ends.reserveCapacity(ends.count + other.count)
        for end in other.ends { ends.append(start + end) }
    }

    /// The bytes of a sequence of some of the elements.
    func stored(_ range: Range<Int>) -> [UInt8] {
        guard let first = range.first, let last = range.last else { return [] }
        let start = self.range(first).lowerBound
        let part = bytes[start..<self.range(last).upperBound]
        guard layout.isTabled else { return Array(part) }
        var stored = EncodedElements(layout)
        stored.bytes.reserveCapacity(part.count + 4 * range.count + 4)
        stored.append(length: UInt32(range.count))
        for index in range { stored.append(length: UInt32(ends[index] - start)) }
        return stored.bytes + part
    }

    /// Runs `body` with the element at a position.
    func withElement<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range(index)])) }
    }

    /// The objects that elements lead to, 0 for none, in order.
    var links: [ObjectKey] {
        (0..<count).map { withElement($0) { layout.link(of: $0) } }
    }

    /// The same ascending, each once: of equal ones the first, or else the last.
    func sorted(keepingLast: Bool = false) -> EncodedElements {
        bytes.withUnsafeBytes { all in
            func element(_ index: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: all[range(index)])
            }
            let order = (0..<count).sorted { a, b in
                let order = layout.order(element(a), element(b))
                return order == 0 ? (keepingLast ? a > b : a < b) : order < 0
            }
            var result = EncodedElements(layout)
            var previous: Int?
            for index in order {
                if let previous, layout.order(element(previous), element(index)) == 0 { continue }
                previous = index
                result.append(stored: element(index))
            }
            return result
        }
    }
}
