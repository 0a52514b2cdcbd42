// What a collection becomes by a change.
extension StoredSequence {
    /// Its elements and others, both ascending, each once; nil if the bytes are damaged.
    ///
    /// - Parameters:
    ///   - replaces: Whether an element that is in both is the other's.
    ///   - replaced: Called with each element that gives way.
    func merged(
        with new: EncodedElements,
        replaces: Bool,
        _ replaced: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> EncodedElements? {
        var merged = EncodedElements(layout)
        var next = 0
        let isWhole = forEach { element in
            while next < new.count {
                let order = new.withElement(next) { layout.order($0, element) }
                if order > 0 { break }
                if order < 0 || replaces { new.withElement(next) { merged.append(stored: $0) } }
                next += 1
                if order == 0 {
                    if !replaces { break }
                    replaced(element)
                    return true
                }
            }
            merged.append(stored: element)
            return true
        }
        if !isWhole { return nil }
        while next < new.count {
            new.withElement(next) { merged.append(stored: $0) }
            next += 1
        }
        return merged
    }

    /// How many bytes it has with some elements replaced; nil if there are no such elements.
    ///
    /// - Precondition: it is not long.
    func byteCount(replacing range: Range<Int>, with new: EncodedElements) -> Int? {
        guard let span = byteRange(of: range) else { return nil }
        let rest = bytes.count - span.count + new.bytes.count
        guard layout.isTabled else { return rest }
        let count = (known ?? 0) - range.count + new.count
        return count == 0 ? 0 : rest + 4 * (new.count - range.count) + (isEmpty ? 4 : 0)
    }

    /// All elements with some of them replaced; nil if the bytes are damaged.
    func elements(replacing range: Range<Int>, with new: EncodedElements) -> EncodedElements? {
        if isEmpty { return new }
        var all = EncodedElements(layout)
        guard let count, appendElements(0..<range.lowerBound, to: &all) else { return nil }
        all.append(contentsOf: new)
        return appendElements(range.upperBound..<count, to: &all) ? all : nil
    }

    /// Appends some elements to others of the same layout; false if the bytes are damaged.
    func appendElements(_ range: Range<Int>, to elements: inout EncodedElements) -> Bool {
        if range.isEmpty { return true }
        return forEach(in: range) {
            elements.append(stored: $0)
            return true
        }
    }

    /// Whether some elements are the same bytes as others; false too if the bytes are damaged.
    func elements(_ range: Range<Int>, equal new: EncodedElements) -> Bool {
        guard range.count == new.count else { return false }
        var index = 0
        var areEqual = true
        let isWhole = forEach(in: range) { element in
            areEqual = new.withElement(index) { $0.elementsEqual(element) }
            index += 1
            return areEqual
        }
        return isWhole && areEqual
    }

    /// The bytes with some elements replaced, and which of them to splice; nil if there are no such
    /// elements.
    ///
    /// - Precondition: it is not long.
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
}
