// What a list does once it is the view of a row: everything goes over the encoded bytes.
extension List {
    var layout: ListLayout { Element._shape.listLayout }

    /// Where the list is stored, checked and found again.
    func place() -> PropertyPlace {
        guard let control = binding.control else { fatalError("an unmanaged list has no place") }
        _ = binding.becomeCurrent(control) { column }
        return PropertyPlace(binding, control, column: column)
    }

    /// The list's bytes: the column's, or a part of them for a list inside a value of any type.
    private func bytes(_ place: PropertyPlace) -> UnsafeRawBufferPointer {
        path.isEmpty ? place.bytes : place.nestedBytes(at: path)
    }

    private func splice(
        _ place: PropertyPlace,
        at offset: Int,
        removing count: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) {
        if path.isEmpty {
            place.splice(at: offset, removing: count, inserting: bytes)
        } else {
            place.spliceNested(at: path, offset, removing: count, inserting: bytes)
        }
    }

    /// Reads the encoded bytes; nil from `body` means that they are damaged.
    func stored<R>(_ body: (UnsafeRawBufferPointer) -> R?) -> R {
        let place = place()
        guard let result = body(bytes(place)) else { place.trapDamaged("a list is damaged") }
        return result
    }

    func storedElement(_ index: Int) -> Element {
        Element._decode(storedBytes(index))
    }

    /// An element as it is stored.
    func storedBytes(_ index: Int) -> StoredElement {
        let place = place()
        let bytes = bytes(place)
        guard let start = layout.offset(of: index, in: bytes),
            let end = layout.end(ofElementAt: start, in: bytes)
        else { place.trapDamaged("a list is damaged") }
        return element(start..<end, bytes, place, index)
    }

    func storedElements() -> [Element] {
        let place = place()
        // Copied: making accessors of links may load, and loading may evict.
        let copy = Array(bytes(place))
        return copy.withUnsafeBytes { bytes in
            var result: [Element] = []
            var offset = 0
            while offset < bytes.count {
                guard let end = layout.end(ofElementAt: offset, in: bytes) else {
                    place.trapDamaged("a list is damaged")
                }
                let stored = element(offset..<end, bytes, place, result.count)
                result.append(Element._decode(stored))
                offset = end
            }
            return result
        }
    }

    /// The keys in a list of links.
    func storedLinks() -> [ObjectKey] { RowWriter.links(place().bytes) }

    private func element(
        _ range: Range<Int>,
        _ bytes: UnsafeRawBufferPointer,
        _ place: PropertyPlace,
        _ index: Int
    ) -> StoredElement {
        StoredElement(
            bytes: layout.value(in: range, of: bytes),
            place: place,
            nesting: NestedPosition(list: path, index: index)
        )
    }

    /// The place, for a change. Traps outside a write.
    private func writablePlace() -> PropertyPlace {
        let place = place()
        if !place.control.pointee.isWritable {
            fatalError(
                "Cannot modify managed RLMArray outside of a write transaction. \(place.subject)."
            )
        }
        return place
    }

    func replaceStored<C: Collection>(_ range: Range<Int>, with objects: C)
    where C.Element == Element {
        let place = writablePlace()
        // Encoded first: adding unmanaged objects may change this very list's row.
        var sink = ElementSink(layout: layout, place: place)
        for object in objects { Element._encode(object, &sink) }
        let (span, removed) = byteRange(of: range)
        sink.bytes.withUnsafeBytes {
            splice(place, at: span.lowerBound, removing: span.count, inserting: $0)
        }
        if !removed.isEmpty { deleteEmbedded(removed, place) }
    }

    /// The bytes of a range of elements, and the keys in them if the elements are embedded.
    private func byteRange(of range: Range<Int>) -> (Range<Int>, [ObjectKey]) {
        let isEmbedded = Element._shape.type == .object && place().target.schema.isEmbedded
        return stored { bytes in
            guard let start = layout.offset(of: range.lowerBound, in: bytes) else { return nil }
            var end = start
            for _ in range {
                guard let next = layout.end(ofElementAt: end, in: bytes) else { return nil }
                end = next
            }
            guard isEmbedded else { return (start..<end, []) }
            let keys = stride(from: start, to: end, by: 8).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: ObjectKey.self)
            }
            return (start..<end, keys)
        }
    }

    private func deleteEmbedded(_ keys: [ObjectKey], _ place: PropertyPlace) {
        place.storage { () throws(StorageError) in
            try place.target.reader.delete(keys.sorted())
        }
    }

    /// Puts the elements into the order that `body` makes of their positions.
    func reorder(_ body: (inout [Int]) -> Void) {
        var order = Array(0..<count)
        body(&order)
        guard binding.control != nil else {
            elements = order.map { elements[$0] }
            return
        }
        let place = writablePlace()
        guard let first = order.indices.first(where: { order[$0] != $0 }),
            let last = order.indices.last(where: { order[$0] != $0 })
        else { return }
        let layout = layout
        let (start, count, bytes) = stored { bytes -> (Int, Int, [UInt8])? in
            var ends: [Int] = [0]
            while let offset = ends.last, offset < bytes.count {
                guard let end = layout.end(ofElementAt: offset, in: bytes) else { return nil }
                ends.append(end)
            }
            var moved: [UInt8] = []
            for position in first...last {
                moved += bytes[ends[order[position]]..<ends[order[position] + 1]]
            }
            return (ends[first], ends[last + 1] - ends[first], moved)
        }
        bytes.withUnsafeBytes { splice(place, at: start, removing: count, inserting: $0) }
    }
}

extension List: OwnedCollection {
    func becomeManaged(_ place: PropertyPlace) {
        if binding.control != nil {
            // Another object's list: this row gets a copy.
            List(place).replaceContents(with: self)
            return
        }
        List(place).replaceSubrange(0..<storedCount(place), with: elements)
        elements = []
        binding = ObjectBinding(place.control, key: place.key)
        column = place.column
        _ = place.control.pointee.state?.retain()
    }

    func assign(_ other: any OwnedCollection) {
        if let other = other as? List { replaceContents(with: other) }
    }

    private func storedCount(_ place: PropertyPlace) -> Int { List(place).count }
}
