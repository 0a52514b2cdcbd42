/// The elements of a collection, read from the bytes of its column.
///
/// Everything is by position; where an element lies is not for the caller to know.
///
/// **Threads.** Its reader's. The bytes are only borrowed: valid as long as they are.
struct StoredSequence {
    let layout: SequenceLayout
    private let bytes: UnsafeRawBufferPointer
    /// What the front says, where there is no need to walk.
    private let known: Int?

    /// - Returns: nil if the bytes are damaged at the front.
    init?(_ layout: SequenceLayout, _ bytes: UnsafeRawBufferPointer) {
        self.layout = layout
        self.bytes = bytes
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

    var isEmpty: Bool { bytes.isEmpty }

    /// The bytes, to be looked at after they may have moved.
    var copied: [UInt8] { Array(bytes) }

    /// Where the first element begins.
    var start: Int { known == nil ? 0 : offset(0) }

    /// Where an element lies that begins at an offset; nil if the bytes are damaged.
    func byteRange(of index: Int, at offset: Int) -> Range<Int>? {
        if known != nil { return byteRange(of: index..<(index + 1)) }
        return end(ofChained: offset).map { offset..<$0 }
    }

    /// The bytes of all elements, if they have one size and lie side by side.
    var packed: UnsafeRawBufferPointer? { layout.stride > 0 ? bytes : nil }

    /// Where some elements lie, nil if there are no such elements.
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
        byteRange(of: index..<(index + 1)).map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// Calls `body` with elements in order, until it returns false.
    ///
    /// - Returns: false if the bytes are damaged.
    func forEach(
        in range: Range<Int>? = nil,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
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

    /// Where an element is in a sorted sequence, or would be; nil if the bytes are damaged.
    ///
    /// - Complexity: O(log *n*).
    func search(_ wanted: UnsafeRawBufferPointer) -> (position: Int, isFound: Bool)? {
        guard let count = known else { return nil }
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

    /// The objects that elements lead to, 0 for none, in order; nil if the bytes are damaged.
    func links(in range: Range<Int>? = nil) -> [ObjectKey]? {
        var links: [ObjectKey] = []
        let isWhole = forEach(in: range) {
            links.append(layout.link(of: $0))
            return true
        }
        return isWhole ? links : nil
    }

    /// The bytes with some elements replaced, and which of them to splice; nil if there are no such
    /// elements.
    func replacing(
        _ range: Range<Int>,
        with new: EncodedElements
    ) -> (removed: Range<Int>, inserted: [UInt8])? {
        guard let span = byteRange(of: range) else { return nil }
        guard layout.isTabled else { return (span, new.bytes) }
        // The table in front counts from the first element, so all of it that follows changes.
        let count = (known ?? 0) - range.count + new.count
        guard count > 0 else { return (0..<bytes.count, []) }
        var result: [UInt8] = []
        let size = bytes.count - span.count + new.bytes.count + 4 * (new.count + 2)
        precondition(size < Int(UInt32.max), "a collection above 4 GB")
        result.reserveCapacity(size)
        func append(_ number: Int) {
            withUnsafeBytes(of: UInt32(number).littleEndian) { result.append(contentsOf: $0) }
        }
        let origin = offset(0)
        let before = span.lowerBound - (isEmpty ? 0 : origin)
        append(count)
        for index in 0..<range.lowerBound { append(offset(index + 1) - origin) }
        for end in new.ends { append(before + end) }
        let shift = new.bytes.count - span.count
        for index in range.upperBound..<(known ?? 0) { append(offset(index + 1) - origin + shift) }
        if !isEmpty { result.append(contentsOf: bytes[origin..<span.lowerBound]) }
        result.append(contentsOf: new.bytes)
        if !isEmpty { result.append(contentsOf: bytes[span.upperBound...]) }
        return (0..<bytes.count, result)
    }

    /// What is left of some elements when the objects at some positions are gone: in a map their keys
    /// with nil, else nothing of them. Returns nil if the bytes are damaged.
    ///
    /// - Parameter gone: ascending, within the range.
    func withoutLinks(at gone: [Int], in range: Range<Int>? = nil) -> EncodedElements? {
        var rest = EncodedElements(layout)
        var position = range?.lowerBound ?? 0
        var next = 0
        let isWhole = forEach(in: range) { element in
            if next < gone.count, gone[next] == position {
                next += 1
                if layout.shape == .map, let key = layout.key(of: element) {
                    rest.append(nil, key: String(decoding: key, as: UTF8.self))
                }
            } else {
                rest.append(stored: element)
            }
            position += 1
            return true
        }
        return isWhole ? rest : nil
    }

    /// Where the element at a position begins, packed or tabled; one behind the last is the end.
    private func offset(_ index: Int) -> Int {
        if layout.stride > 0 { return index * layout.stride }
        guard let known, known > 0 else { return 0 }
        let origin = 4 + known * 4
        // SAFETY: `index` is at most the count, and the table lies within the bytes.
        return index == 0 ? origin : origin + Int(SequenceLayout.length(at: index * 4, in: bytes))
    }

    private func end(ofChained offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        let length = SequenceLayout.length(at: offset, in: bytes)
        let end = offset + 4 + (length == SequenceLayout.nilLength ? 0 : Int(length))
        return end <= bytes.count ? end : nil
    }
}

extension TableReader {
    /// The collection in a column of a row.
    ///
    /// - Parameter layout: the column's, for those who ask for many rows.
    /// - Throws: what reading the bytes throws, and `.damaged` for bytes that are no collection.
    @inline(__always)
    func sequence(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int,
        layout: SequenceLayout? = nil
    ) throws(StorageError) -> StoredSequence {
        let layout = layout ?? SequenceLayout(definition.columns[column])
        let bytes = try bytes(view.payload, column: column, row: row)
        guard let sequence = StoredSequence(layout, bytes) else { throw damagedSequence(view) }
        return sequence
    }

    func damagedSequence(_ view: ClusterView) -> StorageError {
        reader.snapshot.damaged(BlobAddress(space: spaces.heap, id: view.firstKey), "collection")
    }
}
