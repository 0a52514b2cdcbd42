/// A step into a list or dictionary inside a value of any type.
enum NestedStep: Hashable {
    /// To the value that the column holds.
    case value
    /// To an element of a list, of the column itself if it holds lists.
    case index(Int)
    /// To an entry of a dictionary.
    case key([UInt8])
}

/// Where a stored element stands: in which list, and at which position.
///
/// **Threads.** A value; any thread.
struct NestedPosition {
    /// The way to the list; empty for a column of lists.
    var list: [NestedStep] = []
    var index = 0

    /// The way to the element.
    var path: [NestedStep] { list + [.index(index)] }
}

// A list inside a value of any type is a part of the column's bytes. Changing it changes the lengths
// in front of all that it lies in, so the whole value is written.
extension PropertyPlace {
    /// The elements of the list or the entries of the dictionary that a path leads to.
    func nestedBytes(at path: [NestedStep]) -> UnsafeRawBufferPointer {
        let bytes = bytes
        guard let range = Self.range(of: path[...], in: bytes, 0..<bytes.count) else {
            trapMovedCollection()
        }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Replaces a part of the elements or entries that a path leads to.
    func spliceNested(
        at path: [NestedStep],
        _ offset: Int,
        removing count: Int,
        inserting new: UnsafeRawBufferPointer
    ) {
        // Looked up afresh: encoding the new elements may have added objects.
        let place = afresh
        let stored = Array(place.bytes)
        let changed = stored.withUnsafeBytes { bytes in
            Self.splicing(bytes, path[...]) { inner in
                var result = Array(inner)
                result.replaceSubrange(offset..<(offset + count), with: new)
                return result
            }
        }
        guard let changed else { trapMovedCollection() }
        changed.withUnsafeBytes { changed in
            if case .value = path.first {
                storeAfresh(bytes: changed)
            } else {
                splice(at: 0, removing: stored.count, inserting: changed)
            }
        }
    }

    private var afresh: PropertyPlace {
        var binding = ObjectBinding(control, key: key)
        _ = binding.becomeCurrent(control) { column }
        return PropertyPlace(binding, control, column: column)
    }

    private func trapMovedCollection() -> Never {
        fatalError(
            "Collection is no longer valid: the value that it was read from has been changed. "
                + "\(subject)."
        )
    }

    /// The bytes behind the tag of the collection that a path leads to, within `bytes`.
    private static func range(
        of path: ArraySlice<NestedStep>,
        in bytes: UnsafeRawBufferPointer,
        _ whole: Range<Int>
    ) -> Range<Int>? {
        guard let step = path.first else { return whole }
        guard let value = part(step, of: UnsafeRawBufferPointer(rebasing: bytes[whole])) else {
            return nil
        }
        let start = whole.lowerBound + value.lowerBound
        let end = whole.lowerBound + value.upperBound
        guard start < end, MixedTag(rawValue: bytes[start])?.isCollection == true else {
            return nil
        }
        return range(of: path.dropFirst(), in: bytes, (start + 1)..<end)
    }

    /// Where the value lies that a step leads to, its tag included.
    private static func part(
        _ step: NestedStep,
        of bytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        let layout = MixedValue.listLayout
        switch step {
        case .value: return 0..<bytes.count
        case .index(let index):
            guard let start = layout.offset(of: index, in: bytes),
                let end = layout.end(ofElementAt: start, in: bytes)
            else { return nil }
            return (start + 4)..<end
        case .key(let key):
            var offset = 0
            while let middle = layout.end(ofElementAt: offset, in: bytes),
                let end = layout.end(ofElementAt: middle, in: bytes)
            {
                if bytes[(offset + 4)..<middle].elementsEqual(key) { return (middle + 4)..<end }
                offset = end
            }
            return nil
        }
    }

    /// The bytes with the collection at the end of a path changed, and all lengths in front of it.
    private static func splicing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: ArraySlice<NestedStep>,
        _ change: (UnsafeRawBufferPointer) -> [UInt8]
    ) -> [UInt8]? {
        guard let step = path.first else { return change(bytes) }
        guard let range = part(step, of: bytes), let tag = bytes[range].first,
            MixedTag(rawValue: tag)?.isCollection == true
        else { return nil }
        let inner = UnsafeRawBufferPointer(rebasing: bytes[range].dropFirst())
        guard let changed = splicing(inner, path.dropFirst(), change) else { return nil }
        if case .value = step { return [tag] + changed }
        var result = Array(bytes[..<(range.lowerBound - 4)])
        let length = UInt32(changed.count + 1)
        withUnsafeBytes(of: length.littleEndian) { result.append(contentsOf: $0) }
        result.append(tag)
        result += changed
        result += bytes[range.upperBound...]
        return result
    }
}

extension MixedTag {
    fileprivate var isCollection: Bool { self == .list || self == .dictionary }
}
