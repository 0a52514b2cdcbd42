/// The objects of a class that match some conditions, in some order; live: it always shows what its
/// Realm sees.
///
/// Nothing is read before it is used. What was found is kept until something changes.
///
/// **Shape.** Unsorted, in the order of adding. Indexes are positions at the moment of the call.
/// `for in` visits the objects present at its start that still exist, and none that its body adds.
/// **Threads.** The Realm's.
public struct Results<Element: RealmCollectionValue> {
    let source: _QuerySource

    init(_ base: CollectionQuery) { source = _QuerySource(base) }

    init(_ source: _QuerySource) { self.source = source }

    /// The Realm they are in.
    public var realm: Realm? { Realm(state: source.state) }

    /// Whether the Realm was invalidated since.
    public var isInvalidated: Bool { source.isInvalidated }

    /// Whether they are those of a frozen Realm, and so always the same.
    public var isFrozen: Bool { source.state.isFrozen }

    /// - Complexity: O(1) for a whole class, O(log n) where an index has exactly the matches, else
    ///   a scan, once for each change.
    public var count: Int {
        switch source.base {
        case .objects(let base): base.count
        case .values(let base): base.count
        }
    }

    /// Whether there are none.
    ///
    /// - Complexity: O(1) for a whole class, else the search stops at the first match.
    public var isEmpty: Bool {
        if case .objects(let base) = source.base, !base.query.isWholeTable {
            return base.first == nil
        }
        return count == 0
    }

    /// - Complexity: A sort keeps only the first object.
    public var first: Element? {
        switch source.base {
        case .objects(let base): base.first.map { element($0) }
        case .values: values.first
        }
    }

    /// The last object, nil if there are none.
    ///
    /// - Complexity: O(1) for a whole class without gaps, else all matches are found and sorted,
    ///   once for each change.
    public var last: Element? {
        switch source.base {
        case .objects(let base): base.last.map { element($0) }
        case .values: values.last
        }
    }

    /// - Precondition: "Index N is out of bounds (must be less than M)."
    /// - Complexity: O(1) after the first use.
    public subscript(position: Int) -> Element {
        switch source.base {
        case .objects(let base):
            return element(base.object(at: position))
        case .values:
            let values = values
            if position < 0 { fatalError("Cannot pass a negative value for 'index'.") }
            guard position < values.count else {
                fatalError(
                    "Index \(position) is out of bounds (must be less than \(values.count))."
                )
            }
            return values[position]
        }
    }

    @inline(__always)
    func element(_ object: ObjectBase) -> Element {
        if Element._isProjection {
            // SAFETY: the table's class is the one that Element projects, so it makes an Element.
            return unsafeBitCast(Element._project(object), to: Element.self)
        }
        // SAFETY: the table's class is Element: it was found by that type. Moved once, so that the
        // reference taken here is the one given away; a cast would count another.
        var reference = Unmanaged.passRetained(object)
        return withUnsafeMutableBytes(of: &reference) {
            $0.assumingMemoryBound(to: Element.self).moveElement(from: 0)
        }
    }

    /// The elements of a query of values.
    private var values: [Element] { source.values(of: Element.self).values() }

    /// How it would be evaluated: which index, or a scan; how many objects; which sort.
    ///
    /// The text is for people and may change.
    public func explain() -> String {
        switch source.base {
        case .objects(let base):
            base.reading { () throws(StorageError) in try base.query.explain() }
        case .values(let base): base.explanation
        }
    }
}

@available(*, unavailable, message: "Results are confined to their Realm's thread, queue or actor")
extension Results: Sendable {}

extension Results: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// One past the last position: `count`, at its cost.
    public var endIndex: Int { count }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }

    /// Visits the objects that are there now.
    public func makeIterator() -> Iterator {
        switch source.base {
        case .objects(let base): Iterator(cursor: ObjectCursor(base), values: [].makeIterator())
        case .values: Iterator(cursor: nil, values: values.makeIterator())
        }
    }

    /// Visits the objects that were there when it was made.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline let cursor: ObjectCursor?
        @usableFromInline var values: IndexingIterator<[Element]>

        /// - Complexity: O(1) amortized.
        @inlinable
        public mutating func next() -> Element? {
            guard let cursor else { return values.next() }
            // SAFETY: as in the subscript.
            guard let object = cursor.next() else { return nil }
            if Element._isProjection {
                return unsafeBitCast(Element._project(object), to: Element.self)
            }
            return unsafeBitCast(object, to: Element.self)
        }
    }

    /// The first objects; a sort keeps only that many.
    public func prefix(_ maxLength: Int) -> Slice<Self> {
        if maxLength > 0, case .objects(let base) = source.base, !base.query.steps.isEmpty {
            base.reading { () throws(StorageError) in _ = try base.query.head(maxLength) }
        }
        return Slice(base: self, bounds: 0..<Swift.min(Swift.max(maxLength, 0), count))
    }
}

extension Results: RealmCollection {
    /// The collection as a query; there is nothing in it for users.
    public var _query: _QuerySource { source }

    /// The position of an element, nil if it is not among them, found in O(*n*).
    public func index(of element: Element) -> Int? {
        switch source.base {
        case .objects(let base):
            (DynamicValue.unwrapped(element) as? ObjectBase).flatMap { base.index(of: $0) }
        case .values: values.firstIndex(of: element)
        }
    }
}

extension Results: Equatable {
    /// Whether both are the same query, or the same whole class of one Realm.
    public static func == (a: Results, b: Results) -> Bool {
        switch (a.source.base, b.source.base) {
        case (.objects(let a), .objects(let b)):
            a.query === b.query
                || (a.table === b.table && a.query.isWholeTable && b.query.isWholeTable)
        case (.values(let a), .values(let b)): a === b
        default: false
        }
    }
}

extension Results: CustomStringConvertible {
    /// The objects with their positions; many objects and deep ones are cut short.
    public var description: String {
        ObjectDescription.list(self, Element._shape, named: "Results", depth: 0)
    }
}

extension Results: Encodable where Element: Encodable {
    /// Encodes the objects in order, as an array.
    ///
    /// Managed objects are encoded as copies of themselves.
    ///
    /// - Throws: `EncodingError` for what is nested too deep, as cycles are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}
