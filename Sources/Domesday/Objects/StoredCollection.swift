/// A list, set or map: its elements lie in memory first, then it is a view of its owner's row.
///
/// What is here is common to all: the place of the row, its checks, and the way from positions to
/// elements. What lies in the bytes only ``StoredSequence`` knows.
///
/// **Threads.** As the object it belongs to.
protocol StoredCollection: OwnedCollection, BindingHolder, Relocatable {
    /// What the elements of a list or set are, or the values of a map.
    associatedtype Stored: RealmCollectionValue

    var column: Int { get set }
    /// The way to it inside a value of any type; empty for one that is a property itself.
    var path: [NestedStep] { get }
    /// The name in RealmSwift's messages.
    static var realmName: String { get }
    /// How its elements lie inside a value of any type.
    static var nestedLayout: SequenceLayout { get }

    /// The view of a row's collection.
    init(viewOf place: PropertyPlace)
    /// The same collection, seen in another place of the property; nil if it does not lie there.
    func view(of place: PropertyPlace) -> Self?
}

/// A collection that may lie inside a value of any type.
protocol NestableCollection: StoredCollection {
    var path: [NestedStep] { get set }
}

extension NestableCollection {
    func view(of place: PropertyPlace) -> Self? {
        guard path.isEmpty || path.nestedSequence(in: place, Self.nestedLayout) != nil else {
            return nil
        }
        let view = Self(viewOf: place)
        view.path = path
        return view
    }

    /// The view of a collection inside a value of any type.
    init(viewOf place: PropertyPlace, at path: [NestedStep]) {
        self.init(viewOf: place)
        self.path = path
    }
}

extension PropertyPlace {
    /// How the elements of the collection lie that the column holds.
    var layout: SequenceLayout { SequenceLayout(table.reader.definition.columns[column]) }

    /// The collection's elements as they are now; read before anything may change or load.
    var sequence: StoredSequence {
        if view.state(column, row) == 3 { return loadedSequence }
        guard let sequence = StoredSequence(layout, bytes) else { trapDamagedCollection() }
        return sequence
    }

    /// As `sequence`, of a long collection.
    @inline(never)
    private var loadedSequence: StoredSequence {
        storage { () throws(StorageError) in try table.reader.sequence(column, view, row) }
    }

    /// Whether the elements are objects that are deleted with the collection.
    var ownsElements: Bool { table.targets[column]?.schema.isEmbedded ?? false }

    func trapDamagedCollection() -> Never {
        if let error = table.reader.takeSequenceFailure() { ObjectTrap.storage(error, subject) }
        trapDamaged("a collection is damaged")
    }

    /// What the collection owns in a range of positions: the keys of embedded objects.
    func owned(in range: Range<Int>) -> [ObjectKey] {
        guard ownsElements else { return [] }
        guard let links = sequence.links(in: range) else { trapDamagedCollection() }
        return links.filter { $0 != 0 }
    }
}

/// An element of a stored collection, where it lies.
struct FoundElement {
    let bytes: UnsafeRawBufferPointer
    let layout: SequenceLayout
    let place: PropertyPlace
    let index: Int

    var value: UnsafeRawBufferPointer? { layout.value(of: bytes) }

    /// - Parameter path: the way to the collection.
    func stored(in path: [NestedStep]) -> StoredElement {
        guard layout.type == .mixed else { return StoredElement(bytes: value, place: place) }
        let step =
            layout.shape == .map
            ? NestedStep.key(layout.key(of: bytes).map { Array($0) } ?? []) : .index(index)
        return StoredElement(bytes: value, place: place, nesting: path + [step])
    }
}

extension StoredCollection {
    var path: [NestedStep] { [] }

    static var nestedLayout: SequenceLayout { MixedValue.listLayout }

    /// How its elements lie.
    func layout(_ place: PropertyPlace) -> SequenceLayout {
        path.isEmpty ? place.layout : Self.nestedLayout
    }

    var isManaged: Bool { binding.control != nil }

    /// Whether it belongs to a frozen Realm.
    var isInFrozenRealm: Bool { binding.control?.pointee.isFrozen ?? false }

    func view(of place: PropertyPlace) -> Self? { Self(viewOf: place) }

    /// The Realm it is managed by; nil if it is unmanaged or its object is gone.
    var managingRealm: Realm? {
        guard let control = binding.control, !binding.isInvalidated(nil) else { return nil }
        return Realm(state: control.realm)
    }

    /// Makes this the view of a row's collection.
    func attach(_ place: PropertyPlace) {
        binding = ObjectBinding(ofCollectionAt: place)
        column = place.column
        _ = place.control.pointee.state?.retain()
    }

    /// Gives back what `attach` took; call once, from `deinit`.
    func detach() { binding.control?.pointee.state?.release() }

    /// Whether both are the same property of the same object; nil if one is unmanaged.
    func isSamePlace(as other: Self) -> Bool? {
        guard let control = binding.control, let otherControl = other.binding.control else {
            return isManaged == other.isManaged ? nil : false
        }
        return control == otherControl && binding.key == other.binding.key
            && column == other.column && path == other.path
    }

    /// Where the collection is stored, checked and found again.
    func place() -> PropertyPlace {
        guard let control = binding.control else {
            fatalError("an unmanaged collection has no place")
        }
        // Several threads may read a frozen one, so its binding is not written.
        if !control.isFrozenAndValid() { _ = binding.becomeCurrent(control) { column } }
        return PropertyPlace(binding, control, column: column)
    }

    /// The place, for a change. Traps outside a write.
    func writablePlace() -> PropertyPlace {
        let place = place()
        if !place.control.pointee.isWritable {
            if place.control.pointee.isFrozen { ObjectTrap.frozen(place.subject) }
            fatalError(
                "Cannot modify managed \(Self.realmName) outside of a write transaction. "
                    + "\(place.subject)."
            )
        }
        return place
    }

    // MARK: Reading

    /// The elements as they are now; read before anything may change or load.
    func sequence(_ place: PropertyPlace) -> StoredSequence {
        path.isEmpty ? place.sequence : place.nestedSequence(at: path, Self.nestedLayout)
    }

    /// Where an element is in a set or map, or would be.
    func search(
        _ elements: EncodedElements,
        _ place: PropertyPlace
    ) -> (position: Int, isFound: Bool) {
        let sequence = sequence(place)
        guard let found = elements.withElement(0, { sequence.search($0) }) else {
            place.trapDamagedCollection()
        }
        return found
    }

    /// What the collection owns in a range of positions.
    func owned(in range: Range<Int>, _ place: PropertyPlace) -> [ObjectKey] {
        path.isEmpty ? place.owned(in: range) : []
    }

    var storedCount: Int {
        let place = place()
        guard let count = sequence(place).count else { place.trapDamagedCollection() }
        return count
    }

    func storedValue(at index: Int) -> Stored {
        let place = place()
        let sequence = sequence(place)
        guard let element = sequence.element(index) else { place.trapDamagedCollection() }
        return decode(
            FoundElement(bytes: element, layout: sequence.layout, place: place, index: index)
        )
    }

    func decode(_ element: FoundElement) -> Stored { Stored._decode(element.stored(in: path)) }

    /// Calls `body` with each element there is now.
    func forEachStored(_ body: (FoundElement) throws -> Void) rethrows {
        let place = place()
        let stored = sequence(place)
        // Copied: what `body` does may load, and loading may evict.
        guard stored.tree != nil else {
            _ = try forEachElement(of: stored.copied, stored.layout, place, at: 0, body)
            return
        }
        guard let leaves = stored.copiedLeaves else { place.trapDamagedCollection() }
        var index = 0
        for leaf in leaves {
            index += try forEachElement(of: leaf, stored.layout, place, at: index, body)
        }
    }

    /// Calls `body` with each element in copied bytes.
    ///
    /// - Parameter start: the position of the first one.
    /// - Returns: how many there are.
    private func forEachElement(
        of bytes: [UInt8],
        _ layout: SequenceLayout,
        _ place: PropertyPlace,
        at start: Int,
        _ body: (FoundElement) throws -> Void
    ) rethrows -> Int {
        try bytes.withUnsafeBytes { bytes in
            guard let sequence = StoredSequence(layout, bytes), let count = sequence.count else {
                place.trapDamagedCollection()
            }
            var offset = sequence.start
            for index in 0..<count {
                guard let range = sequence.byteRange(of: index, at: offset) else {
                    place.trapDamagedCollection()
                }
                let element = UnsafeRawBufferPointer(rebasing: bytes[range])
                try body(
                    FoundElement(bytes: element, layout: layout, place: place, index: start + index)
                )
                offset = range.upperBound
            }
            return count
        }
    }

    func storedValues() -> [Stored] {
        var values: [Stored] = []
        forEachStored { values.append(decode($0)) }
        return values
    }

    /// Throws for the first element whose stored form its type cannot be.
    func tryStored() throws {
        guard isManaged else { return }
        try forEachStored { _ = try Stored._tryDecode($0.stored(in: path)) }
    }

    /// The keys of the objects that elements lead to, 0 for nil.
    func storedLinks() -> [ObjectKey] {
        let place = place()
        guard let links = LinkList(sequence(place)) else { place.trapDamagedCollection() }
        return links.keys
    }

    /// Replaces some elements; what embedded objects are lost by it is deleted.
    func replace(
        _ range: Range<Int>,
        with new: EncodedElements,
        _ place: PropertyPlace,
        deleting: [ObjectKey] = []
    ) {
        if path.isEmpty {
            place.replaceElements(range, with: new, deleting: deleting)
        } else {
            place.replaceNested(at: path, range, with: new)
        }
    }

    // MARK: Encoding

    /// Elements as the store keeps them. Unmanaged objects become managed, so the row may move:
    /// look at what is stored afterwards.
    func encoded(_ values: some Sequence<Stored>, _ place: PropertyPlace) -> EncodedElements {
        var sink = ElementSink(layout(place), place, depth: path.count)
        for value in values { Stored._encode(value, &sink) }
        return sink.elements
    }
}

extension PropertyPlace {
    /// The same place, found again after something may have moved.
    func afresh() -> PropertyPlace {
        var binding = ObjectBinding(control, key: key)
        _ = binding.becomeCurrent(control) { column }
        return PropertyPlace(binding, control, column: column)
    }

    /// Where an element is in a set or map, or would be.
    func search(_ elements: EncodedElements, _ index: Int = 0) -> (position: Int, isFound: Bool) {
        let found = elements.withElement(index) { sequence.search($0) }
        guard let found else { trapDamagedCollection() }
        return found
    }

    /// Puts elements into a set or map.
    ///
    /// - Parameters:
    ///   - new: ascending, each once.
    ///   - replaces: whether elements that are there already give way.
    /// - Complexity: O(log *n*) and what the store moves for each of a few; O(*n*) at once for many.
    func merge(_ new: EncodedElements, replaces: Bool) {
        let old = sequence
        // In a long one each costs a leaf.
        let few = max(8, (old.tree?.count ?? 0) / 16)
        guard new.count > few else { return mergeOneByOne(new, replaces) }
        let ownsElements = ownsElements
        var deleted: [ObjectKey] = []
        let merged = old.merged(with: new, replaces: replaces) {
            if ownsElements { deleted.append(new.layout.link(of: $0)) }
        }
        guard let merged, let count = old.count else { trapDamagedCollection() }
        replaceElements(0..<count, with: merged, deleting: deleted.filter { $0 != 0 })
    }

    private func mergeOneByOne(_ new: EncodedElements, _ replaces: Bool) {
        for index in 0..<new.count {
            let place = afresh()
            let (position, isFound) = place.search(new, index)
            if isFound, !replaces { continue }
            let range = position..<(isFound ? position + 1 : position)
            var one = EncodedElements(new.layout)
            new.withElement(index) { one.append(stored: $0) }
            place.replaceElements(range, with: one, deleting: place.owned(in: range))
        }
    }
}
