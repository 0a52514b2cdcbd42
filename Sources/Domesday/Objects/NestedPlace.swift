/// A step into a list or dictionary inside a value of any type.
enum NestedStep: Hashable {
    /// To the value that the column holds.
    case value
    /// To an element of a list, of the column itself if it holds lists.
    case index(Int)
    /// To an entry of a dictionary.
    case key([UInt8])
}

// A list or dictionary inside a value of any type is a part of the column's bytes. Changing it changes the lengths
// in front of all that it lies in, so the whole value is written.
extension PropertyPlace {
    /// The elements of the collection that a path leads to.
    func nestedSequence(at path: [NestedStep], _ layout: SequenceLayout) -> StoredSequence {
        guard let sequence = path.nestedSequence(in: self, layout) else { trapMovedCollection() }
        return sequence
    }

    /// The elements of the collection that a path leads to; nil if none of its kind lies there.
    fileprivate func nestedSequenceIfPresent(
        at path: [NestedStep],
        _ layout: SequenceLayout
    ) -> StoredSequence? {
        guard let step = path.first, let root = root(step),
            let inner = Self.inner(of: root.value, path.dropFirst(), layout.shape)
        else { return nil }
        return StoredSequence(layout, inner)
    }

    /// Replaces some elements of the collection that a path leads to.
    func replaceNested(at path: [NestedStep], _ range: Range<Int>, with new: EncodedElements) {
        // Looked up afresh: encoding the new elements may have added objects.
        let place = afresh()
        guard let step = path.first, let root = place.root(step) else { trapMovedCollection() }
        let changed = Self.changing(root.value, path.dropFirst(), new.layout.shape) { inner in
            guard
                let change = StoredSequence(new.layout, inner)?.replacing(range, with: new)
            else { return nil }
            var result = Array(inner)
            result.replaceSubrange(change.removed, with: change.inserted)
            return result
        }
        guard let changed else { trapMovedCollection() }
        guard let position = root.position else {
            return changed.withUnsafeBytes { place.storeAfresh(bytes: $0) }
        }
        var one = EncodedElements(place.layout)
        var key: String?
        if case .key(let bytes) = step { key = String(decoding: bytes, as: UTF8.self) }
        changed.withUnsafeBytes { one.append($0, key: key) }
        place.replaceElements(position..<(position + 1), with: one)
    }

    private func trapMovedCollection() -> Never {
        fatalError(
            "Collection is no longer valid: the value that it was read from has been changed. "
                + "\(subject)."
        )
    }

    /// The value of any type that the first step leads to: the column's, or an element of a
    /// collection, with its position.
    private func root(_ step: NestedStep) -> (value: UnsafeRawBufferPointer, position: Int?)? {
        let position: Int
        switch step {
        case .value: return (bytes, nil)
        case .index(let index): position = index
        case .key(let key):
            let text = String(decoding: key, as: UTF8.self)
            let found = search(EncodedElements(probing: text, layout))
            guard found.isFound else { return nil }
            position = found.position
        }
        let sequence = sequence
        guard position < sequence.count ?? 0, let element = sequence.element(position),
            let value = sequence.layout.value(of: element)
        else { return nil }
        return (value, position)
    }

    /// The bytes behind the tag of a collection, or of one inside it that a path leads to.
    private static func inner(
        of value: UnsafeRawBufferPointer,
        _ path: ArraySlice<NestedStep>,
        _ shape: CollectionShape
    ) -> UnsafeRawBufferPointer? {
        guard let tag = value.first.flatMap({ MixedTag(rawValue: $0) }), let found = tag.shape
        else { return nil }
        let inner = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        guard let step = path.first else { return found == shape ? inner : nil }
        guard let part = part(step, of: inner, found) else { return nil }
        return Self.inner(
            of: UnsafeRawBufferPointer(rebasing: inner[part]),
            path.dropFirst(),
            shape
        )
    }

    /// Where the value lies that a step leads to, its tag included.
    private static func part(
        _ step: NestedStep,
        of bytes: UnsafeRawBufferPointer,
        _ shape: CollectionShape
    ) -> Range<Int>? {
        var offset = 0
        switch step {
        case .index(let index) where shape == .list:
            for _ in 0..<index {
                guard let part = MixedValue.part(at: offset, in: bytes) else { return nil }
                offset = part.upperBound
            }
            return MixedValue.part(at: offset, in: bytes)
        case .key(let key) where shape == .map:
            while let name = MixedValue.part(at: offset, in: bytes),
                let value = MixedValue.part(at: name.upperBound, in: bytes)
            {
                if bytes[name].elementsEqual(key) { return value }
                offset = value.upperBound
            }
            return nil
        case .value, .index, .key: return nil
        }
    }

    /// The value with the collection at the end of a path changed, and all lengths in front of it.
    private static func changing(
        _ value: UnsafeRawBufferPointer,
        _ path: ArraySlice<NestedStep>,
        _ shape: CollectionShape,
        _ change: (UnsafeRawBufferPointer) -> [UInt8]?
    ) -> [UInt8]? {
        guard let tag = value.first, let found = MixedTag(rawValue: tag)?.shape else { return nil }
        let inner = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        guard let step = path.first else {
            return found == shape ? change(inner).map { [tag] + $0 } : nil
        }
        guard let part = part(step, of: inner, found),
            let changed = changing(
                UnsafeRawBufferPointer(rebasing: inner[part]),
                path.dropFirst(),
                shape,
                change
            )
        else { return nil }
        var result = [tag] + inner[..<(part.lowerBound - 4)]
        withUnsafeBytes(of: UInt32(changed.count).littleEndian) { result.append(contentsOf: $0) }
        result += changed
        result += inner[part.upperBound...]
        return result
    }
}

extension [NestedStep] {
    /// The elements of the collection that the path leads to in a property; nil if none of its kind
    /// lies there.
    func nestedSequence(in place: PropertyPlace, _ layout: SequenceLayout) -> StoredSequence? {
        place.nestedSequenceIfPresent(at: self, layout)
    }
}

extension MixedTag {
    /// The kind of collection; nil for a value that is none.
    fileprivate var shape: CollectionShape? {
        switch self {
        case .list: .list
        case .dictionary: .map
        default: nil
        }
    }
}
