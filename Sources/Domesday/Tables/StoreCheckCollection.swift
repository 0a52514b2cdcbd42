/// One collection decoded from plain bytes, after FORMAT.md rather than after the engine.
struct StoreCheckCollection {
    /// Where the elements lead; none for a nil.
    private(set) var links: [ObjectKey] = []
    /// The links inside values of any type; nil if one is damaged.
    private(set) var mixedLinks: [(table: TableID, target: ObjectKey)]? = []
    /// What is wrong, nil if nothing is.
    private(set) var finding: String?

    private let column: ColumnDefinition

    init(_ collection: StoreCheckLeaves, _ column: ColumnDefinition) {
        self.column = column
        finding = collection.finding
        if finding != nil { return }
        var previous: [UInt8]?
        // Of each leaf, in the order of sets and maps.
        var ends: [(first: [UInt8], last: [UInt8])] = []
        for (index, leaf) in collection.leaves.enumerated() {
            guard let elements = elements(leaf) else {
                finding = "a collection ends in the middle"
                return
            }
            if !collection.counts.isEmpty, collection.counts[index] != elements.count {
                finding = "a leaf has \(elements.count) elements, not \(collection.counts[index])"
            }
            check(elements, &previous)
            if !collection.counts.isEmpty, column.shape != .list,
                let first = elements.first.flatMap(orderWord(ofElement:)),
                let last = elements.last.flatMap(orderWord(ofElement:))
            {
                ends.append((first, last))
            }
        }
        if !collection.counts.isEmpty { check(collection.separators, between: ends) }
    }

    /// Each separator stands above all of the leaf in front, and not above any of the next one.
    private mutating func check(
        _ separators: [UInt8],
        between leaves: [(first: [UInt8], last: [UInt8])]
    ) {
        guard column.shape != .list else {
            if !separators.isEmpty { finding = "a list has separators" }
            return
        }
        guard let words = elements(separators)?.map(orderWord(ofElement:)),
            words.count == leaves.count - 1
        else {
            finding = "separators of a \(column.shape) are damaged"
            return
        }
        for (index, word) in words.enumerated() {
            guard let word, precedes(leaves[index].last, word),
                !precedes(leaves[index + 1].first, word)
            else {
                finding = "a separator of a \(column.shape) does not separate"
                return
            }
        }
    }

    /// What tells an element's place in a set or map; nil if it is damaged.
    private func orderWord(ofElement element: [UInt8]) -> [UInt8]? {
        guard column.shape == .map else { return split(element).map { orderWord($0.value) } }
        guard element.count >= 4 else { return nil }
        let length = Int(number(element, 0, 4))
        return length <= element.count - 4 ? Array(element[4..<(4 + length)]) : nil
    }

    private mutating func check(_ elements: [[UInt8]], _ previous: inout [UInt8]?) {
        for element in elements {
            guard let (key, value) = split(element) else {
                finding = "an element has the wrong size"
                return
            }
            if column.isLink, let value {
                let link = ObjectKey(bitPattern: number(value, 0, 8))
                if link != 0 { links.append(link) }
            }
            if column.isMixed, let value {
                if let found = RawMixed.links(in: value) {
                    mixedLinks?.append(contentsOf: found)
                } else {
                    mixedLinks = nil
                }
            }
            let word: [UInt8]? =
                switch column.shape {
                case .none, .list: nil
                case .set: orderWord(value)
                case .map: key
                }
            if let previous, let word, !precedes(previous, word) {
                finding = "elements of a \(column.shape) do not ascend"
            }
            previous = word
        }
    }

    private var hasNil: Bool { column.isOptional && column.type != .link }

    private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
        (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    /// The bytes of each element.
    private func elements(_ bytes: [UInt8]) -> [[UInt8]]? {
        let width = column.type.byteCount
        if column.shape == .map || (column.shape == .set && width == 0) { return tabled(bytes) }
        if width == 0 { return chained(bytes) }
        let stride = width + (hasNil ? 1 : 0)
        guard bytes.count % stride == 0 else { return nil }
        return Swift.stride(from: 0, to: bytes.count, by: stride).map {
            Array(bytes[$0..<($0 + stride)])
        }
    }

    private func chained(_ bytes: [UInt8]) -> [[UInt8]]? {
        var elements: [[UInt8]] = []
        var offset = 0
        while offset < bytes.count {
            guard offset + 4 <= bytes.count else { return nil }
            let length = number(bytes, offset, 4)
            let end = offset + 4 + (length == 0xFFFF_FFFF ? 0 : Int(length))
            guard end <= bytes.count, length != 0xFFFF_FFFF || column.isOptional else { return nil }
            elements.append(Array(bytes[offset..<end]))
            offset = end
        }
        return elements
    }

    private func tabled(_ bytes: [UInt8]) -> [[UInt8]]? {
        if bytes.isEmpty { return [] }
        guard bytes.count >= 4 else { return nil }
        let count = Int(number(bytes, 0, 4))
        let origin = 4 + 4 * count
        guard count > 0, origin <= bytes.count else { return nil }
        var elements: [[UInt8]] = []
        var start = origin
        for index in 0..<count {
            let end = origin + Int(number(bytes, 4 + 4 * index, 4))
            guard start <= end, end <= bytes.count else { return nil }
            elements.append(Array(bytes[start..<end]))
            start = end
        }
        return start == bytes.count ? elements : nil
    }

    /// An element's key and value, nil for a value that is nil; nil if it is damaged.
    private func split(_ element: [UInt8]) -> (key: [UInt8], value: [UInt8]?)? {
        var rest = element[...]
        var key: [UInt8] = []
        let isTabled = column.shape == .map || (column.shape == .set && column.type.byteCount == 0)
        if column.shape == .map {
            guard rest.count >= 4 else { return nil }
            let length = Int(number(element, 0, 4))
            guard length <= element.count - 4 else { return nil }
            key = Array(element[4..<(4 + length)])
            rest = element[(4 + length)...]
        } else if column.type.byteCount == 0, !isTabled {
            return ([], number(element, 0, 4) == 0xFFFF_FFFF ? nil : Array(element[4...]))
        }
        if hasNil {
            guard let state = rest.popFirst(), state < 2 else { return nil }
            if state == 1 { return (key, nil) }
        }
        let width = column.type.byteCount
        return width == 0 || rest.count == width ? (key, Array(rest)) : nil
    }

    /// Whether one word stands before another. Decimals have no bytes that ascend: the engine's own
    /// order is asked.
    private func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard column.shape == .set, column.type == .decimal || column.type == .mixed,
            a[0] == 1, b[0] == 1
        else { return a.lexicographicallyPrecedes(b) }
        return a.withUnsafeBytes { a in
            b.withUnsafeBytes { b in
                ElementOrder.compare(
                    UnsafeRawBufferPointer(rebasing: a[1...]),
                    UnsafeRawBufferPointer(rebasing: b[1...]),
                    column.type
                ) < 0
            }
        }
    }

    /// Bytes that ascend as a set's elements do.
    private func orderWord(_ value: [UInt8]?) -> [UInt8] {
        guard let value else { return [0] }
        func big(_ number: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        }
        switch column.type {
        case .bool: return [1, value[0]]
        case .int, .link: return [1] + big(number(value, 0, 8) ^ 1 << 63)
        case .float:
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: number(value, 0, 4)))
            return [1] + big(IndexValue.double(Double(float)))
        case .double, .date:
            return [1] + big(IndexValue.double(Double(bitPattern: number(value, 0, 8))))
        case .string, .data, .uuid, .objectId, .decimal, .mixed: return [1] + value
        }
    }
}
