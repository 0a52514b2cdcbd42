/// The elements that a list or set had when this was made, but for objects deleted since.
///
/// **Threads.** As the collection.
struct PresentElements<Element: RealmCollectionValue> {
    private var elements: IndexingIterator<[Element]>
    private let passesOverDeleted: Bool

    init(_ elements: [Element], areManaged: Bool) {
        self.elements = elements.makeIterator()
        passesOverDeleted = areManaged && Element.self is ObjectBase.Type
    }

    /// - Complexity: O(1) amortized; an object is looked up.
    mutating func next() -> Element? {
        while let element = elements.next() {
            guard passesOverDeleted, let object = element as? ObjectBase else { return element }
            if object.isThere() { return element }
        }
        return nil
    }
}
