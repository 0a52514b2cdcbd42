/// The elements of a collection, read from the bytes of its column, or from leaves if it is long.
///
/// Everything is by position; where an element lies is not for the caller to know.
///
/// **Threads.** Its reader's. The bytes are only borrowed: valid as long as they are.
struct StoredSequence {
    let layout: SequenceLayout
    /// Borrowed; of a long collection none.
    let bytes: UnsafeRawBufferPointer
    /// What the front says, where there is no need to walk.
    let known: Int?
    /// Where the elements are if they are too many for one byte string.
    let tree: SequenceTree?

    /// A long collection.
    init(_ tree: SequenceTree) {
        layout = tree.layout
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        known = tree.count
        self.tree = tree
    }

    /// - Returns: nil if the bytes are damaged at the front.
    init?(_ layout: SequenceLayout, _ bytes: UnsafeRawBufferPointer) {
        self.layout = layout
        self.bytes = bytes
        tree = nil
        let stride = layout.stride
        if stride > 0 {
            guard bytes.count % stride == 0 else { return nil }
            known = bytes.count / stride
        } else if layout.isTabled {
            guard !bytes.isEmpty else {
                known = 0
                return
            }
            guard bytes.count >= 4 else { return nil }
            let count = Int(SequenceLayout.length(at: 0, in: bytes))
            guard count > 0, count <= (bytes.count - 4) / 4,
                Int(SequenceLayout.length(at: count * 4, in: bytes)) == bytes.count - 4 - count * 4
            else { return nil }
            known = count
        } else {
            known = nil
        }
    }

    /// The number of elements, nil if the bytes are damaged.
    ///
    /// - Complexity: O(1); O(*n*) where elements are chained.
    var count: Int? {
        if let known { return known }
        var offset = 0
        var count = 0
        while offset < bytes.count {
            guard let next = end(ofChained: offset) else { return nil }
            offset = next
            count += 1
        }
        return count
    }

    var isEmpty: Bool { tree.map { $0.count == 0 } ?? bytes.isEmpty }

    /// Whether it has so many elements, as far as that can be told without walking.
    func hasCount(_ count: Int) -> Bool { known.map { $0 == count } ?? !bytes.isEmpty }

    /// The bytes, to be looked at after they may have moved; of a long collection `copiedLeaves`.
    var copied: [UInt8] { Array(bytes) }

    /// The bytes of each leaf of a long collection; nil if they are damaged.
    var copiedLeaves: [[UInt8]]? {
        var leaves: [[UInt8]] = []
        let isWhole = tree?.forEachLeaf { leaf, _ in
            leaves.append(leaf.copied)
            return true
        }
        return isWhole ?? false ? leaves : nil
    }

    /// The positions of each leaf's elements, if it is long; else of all. nil if it is damaged.
    var leafPositions: [Range<Int>]? {
        if let tree { return tree.root.leaves.indices.map { tree.positions($0) } }
        return count.map { [0..<$0] }
    }

    /// Where the first element begins.
    var start: Int { known == nil ? 0 : offset(0) }

    /// Where an element lies that begins at an offset; nil if the bytes are damaged.
    func byteRange(of index: Int, at offset: Int) -> Range<Int>? {
        if known != nil { return byteRange(of: index..<(index + 1)) }
        return end(ofChained: offset).map { offset..<$0 }
    }

    /// The bytes of all elements, if they have one size and lie side by side.
    var packed: UnsafeRawBufferPointer? { layout.stride > 0 && tree == nil ? bytes : nil }

    /// Where some elements lie, nil if there are no such elements; not in a long collection.
    ///
    /// - Complexity: O(1); O(*n*) where elements are chained.
    func byteRange(of range: Range<Int>) -> Range<Int>? {
        if let known {
            guard range.lowerBound >= 0, range.upperBound <= known else { return nil }
            let start = offset(range.lowerBound)
            let end = offset(range.upperBound)
            return start <= end && end <= bytes.count ? start..<end : nil
        }
        var offset = 0
        for _ in 0..<range.lowerBound {
            guard let next = end(ofChained: offset) else { return nil }
            offset = next
        }
        let start = offset
        for _ in range {
            guard let next = end(ofChained: offset) else { return nil }
            offset = next
        }
        return start..<offset
    }

    /// The element at a position as it lies there, nil if there is none.
    func element(_ index: Int) -> UnsafeRawBufferPointer? {
        if let tree { return tree.element(index) }
        return byteRange(of: index..<(index + 1)).map {
            UnsafeRawBufferPointer(rebasing: bytes[$0])
        }
    }

    /// Calls `body` with elements in order, until it returns false.
    ///
    /// - Returns: false if the bytes are damaged.
    func forEach(
        in range: Range<Int>? = nil,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        if let tree { return Self.forEach(tree, in: range, body) }
        if let known {
            for index in range ?? 0..<known {
                guard let element = element(index) else { return false }
                if !body(element) { return true }
            }
            return true
        }
        let start = range?.lowerBound ?? 0
        guard var offset = byteRange(of: start..<start)?.lowerBound else { return false }
        var remaining = range?.count ?? .max
        while offset < bytes.count, remaining > 0 {
            guard let end = end(ofChained: offset) else { return false }
            if !body(UnsafeRawBufferPointer(rebasing: bytes[offset..<end])) { return true }
            offset = end
            remaining -= 1
        }
        return range == nil || remaining == 0
    }

    private static func forEach(
        _ tree: SequenceTree,
        in range: Range<Int>?,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        var isSound = true
        let isWhole = tree.forEachLeaf(in: range) { leaf, part in
            var goesOn = true
            isSound = leaf.forEach(in: part) {
                goesOn = body($0)
                return goesOn
            }
            return isSound && goesOn
        }
        return isWhole && isSound
    }

    /// Where an element is in a sorted sequence, or would be; nil if the bytes are damaged.
    ///
    /// - Complexity: O(log *n*); O(*n*) where elements are chained.
    func search(_ wanted: UnsafeRawBufferPointer) -> (position: Int, isFound: Bool)? {
        if let tree { return tree.search(wanted) }
        guard let count = known else { return searchChained(wanted) }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            guard let element = element(middle) else { return nil }
            let order = layout.order(element, wanted)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    private func searchChained(
        _ wanted: UnsafeRawBufferPointer
    ) -> (position: Int, isFound: Bool)? {
        var position = 0
        var isFound = false
        let isWhole = forEach { element in
            let order = layout.order(element, wanted)
            isFound = order == 0
            if order < 0 { position += 1 }
            return order < 0
        }
        return isWhole ? (position, isFound) : nil
    }

    /// The objects that elements lead to, 0 for none, in order; nil if the bytes are damaged.
    func links(in range: Range<Int>? = nil) -> [ObjectKey]? {
        var links: [ObjectKey] = []
        let isWhole = forEach(in: range) {
            links.append(layout.link(of: $0))
            return true
        }
        return isWhole ? links : nil
    }

    /// Where the element at a position begins, packed or tabled; one behind the last is the end.
    func offset(_ index: Int) -> Int {
        if layout.stride > 0 { return index * layout.stride }
        guard let known, known > 0 else { return 0 }
        let origin = 4 + known * 4
        // SAFETY: `index` is at most the count, and the table lies within the bytes.
        return index == 0 ? origin : origin + Int(SequenceLayout.length(at: index * 4, in: bytes))
    }

    private func end(ofChained start: Int) -> Int? {
        var offset = start
        if layout.shape == .map {
            guard offset + 4 <= bytes.count else { return nil }
            offset += 4 + Int(SequenceLayout.length(at: offset, in: bytes))
        }
        guard offset + 4 <= bytes.count else { return nil }
        let length = SequenceLayout.length(at: offset, in: bytes)
        let end = offset + 4 + (length == SequenceLayout.nilLength ? 0 : Int(length))
        return end <= bytes.count ? end : nil
    }
}
