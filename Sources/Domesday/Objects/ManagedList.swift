// What a list does once it is the view of a row.
extension List: NestableCollection {
    typealias Stored = Element

    static var realmName: String { "RLMArray" }

    func replaceStored<C: Collection>(_ range: Range<Int>, with objects: C)
    where C.Element == Element {
        // Encoded first: adding unmanaged objects may change this very list's row.
        let new = encoded(objects, writablePlace())
        let place = place()
        replace(range, with: new, place, deleting: owned(in: range, place))
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

    /// Moves one element; `to` is its position afterwards.
    ///
    /// - Complexity: O(elements between), in a long list O(log *n* + elements of two leaves).
    func moveElement(from: Int, to: Int) {
        guard let place = longPlace else {
            return reorder {
                let index = $0.remove(at: from)
                $0.insert(index, at: to)
            }
        }
        let moved = storedElement(from, place)
        replace(from..<(from + 1), with: EncodedElements(layout(place)), place)
        replace(to..<to, with: moved, place)
    }

    /// - Complexity: as `moveElement`.
    func swapElements(_ i: Int, _ j: Int) {
        guard let place = longPlace else { return reorder { $0.swapAt(i, j) } }
        let (first, second) = (storedElement(i, place), storedElement(j, place))
        replace(i..<(i + 1), with: second, place)
        replace(j..<(j + 1), with: first, place)
    }

    /// Where the list is to be written if it is in leaves, of which a change rewrites some only.
    private var longPlace: PropertyPlace? {
        guard isManaged, path.isEmpty else { return nil }
        let place = writablePlace()
        return sequence(place).tree == nil ? nil : place
    }

    private func storedElement(_ position: Int, _ place: PropertyPlace) -> EncodedElements {
        var element = EncodedElements(layout(place))
        guard sequence(place).appendElements(position..<(position + 1), to: &element) else {
            place.trapDamagedCollection()
        }
        return element
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
