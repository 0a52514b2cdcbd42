/// A step into a list or dictionary inside a value of any type.
enum NestedStep: Hashable {
    /// To the value that the column holds.
    case value
    /// To an element of a list, of the column itself if it holds lists.
    case index(Int)
    /// To an entry of a dictionary.
    case key([UInt8])
}

// A list inside a value of any type is a part of the column's bytes. Changing it changes the lengths
// in front of all that it lies in, so the whole value is written.
extension PropertyPlace {
    /// The elements of the list that a path leads to.
    func nestedSequence(at path: [NestedStep]) -> StoredSequence {
        guard let sequence = path.nestedSequence(in: self) else { trapMovedCollection() }
        return sequence
    }

    /// The elements of the list that a path leads to; nil if none lies there.
    fileprivate func nestedSequenceIfPresent(at path: [NestedStep]) -> StoredSequence? {
        guard let step = path.first, let root = root(step),
            let inner = Self.inner(of: root.value, path.dropFirst())
        else { return nil }
        return StoredSequence(MixedValue.listLayout, inner)
    }

    /// Replaces some elements of the list that a path leads to.
    func replaceNested(at path: [NestedStep], _ range: Range<Int>, with new: EncodedElements) {
        // Looked up afresh: encoding the new elements may have added objects.
        let place = afresh()
        guard let step = path.first, let root = place.root(step) else { trapMovedCollection() }
        let changed = Self.changing(root.value, path.dropFirst()) { inner in
            guard
                let change = StoredSequence(MixedValue.listLayout, inner)?
                    .replacing(range, with: new)
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
        _ path: ArraySlice<NestedStep>
    ) -> UnsafeRawBufferPointer? {
        guard let tag = value.first, MixedTag(rawValue: tag)?.isCollection == true else {
            return nil
        }
        let inner = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        guard let step = path.first else { return inner }
        guard let part = part(step, of: inner) else { return nil }
        return Self.inner(of: UnsafeRawBufferPointer(rebasing: inner[part]), path.dropFirst())
    }

    /// Where the value lies that a step leads to, its tag included.
    private static func part(
        _ step: NestedStep,
        of bytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        var offset = 0
        switch step {
        case .value: return nil
        case .index(let index):
            for _ in 0..<index {
                guard let part = MixedValue.part(at: offset, in: bytes) else { return nil }
                offset = part.upperBound
            }
            return MixedValue.part(at: offset, in: bytes)
        case .key(let key):
            while let name = MixedValue.part(at: offset, in: bytes),
                let value = MixedValue.part(at: name.upperBound, in: bytes)
            {
                if bytes[name].elementsEqual(key) { return value }
                offset = value.upperBound
            }
            return nil
        }
    }

    /// The value with the collection at the end of a path changed, and all lengths in front of it.
    private static func changing(
        _ value: UnsafeRawBufferPointer,
        _ path: ArraySlice<NestedStep>,
        _ change: (UnsafeRawBufferPointer) -> [UInt8]?
    ) -> [UInt8]? {
        guard let tag = value.first, MixedTag(rawValue: tag)?.isCollection == true else {
            return nil
        }
        let inner = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        guard let step = path.first else { return change(inner).map { [tag] + $0 } }
        guard let part = part(step, of: inner),
            let changed = changing(
                UnsafeRawBufferPointer(rebasing: inner[part]),
                path.dropFirst(),
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
    /// The elements of the list that the path leads to in a property; nil if none lies there.
    func nestedSequence(in place: PropertyPlace) -> StoredSequence? {
        place.nestedSequenceIfPresent(at: self)
    }
}

extension MixedTag {
    fileprivate var isCollection: Bool { self == .list || self == .dictionary }
}
