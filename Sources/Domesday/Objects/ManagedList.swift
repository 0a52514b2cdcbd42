// What a list does once it is the view of a row.
extension List: StoredCollection {
    typealias Stored = Element

    static var realmName: String { "RLMArray" }

    func view(of place: PropertyPlace) -> Self? {
        guard path.isEmpty || path.nestedSequence(in: place) != nil else { return nil }
        let list = Self(viewOf: place)
        list.path = path
        return list
    }

    func replaceStored<C: Collection>(_ range: Range<Int>, with objects: C)
    where C.Element == Element {
        // Encoded first: adding unmanaged objects may change this very list's row.
        let new = encoded(objects, writablePlace())
        let place = place()
        replace(range, with: new, place, deleting: path.isEmpty ? place.owned(in: range) : [])
    }

    /// Puts the elements into the order that `body` makes of their positions.
    func reorder(_ body: (inout [Int]) -> Void) {
        var order = Array(0..<count)
        body(&order)
        guard isManaged else {
            elements = order.map { elements[$0] }
            return
        }
        let place = writablePlace()
        guard let first = order.indices.first(where: { order[$0] != $0 }),
            let last = order.indices.last(where: { order[$0] != $0 })
        else { return }
        let sequence = sequence(place)
        var stored: [UnsafeRawBufferPointer] = []
        let isWhole = sequence.forEach(in: first..<(last + 1)) {
            stored.append($0)
            return true
        }
        if !isWhole { place.trapDamagedCollection() }
        var moved = EncodedElements(sequence.layout)
        for position in first...last { moved.append(stored: stored[order[position] - first]) }
        replace(first..<(last + 1), with: moved, place)
    }
}

extension List: OwnedCollection {
    func becomeManaged(_ place: PropertyPlace) {
        let stored = List(place)
        // Another object's list: this row gets a copy.
        if isManaged { return stored.replaceContents(with: self) }
        stored.replaceSubrange(0..<stored.count, with: elements)
        elements = []
        attach(place)
    }

    func assign(_ other: any OwnedCollection) {
        if let other = other as? List { replaceContents(with: other) }
    }
}
