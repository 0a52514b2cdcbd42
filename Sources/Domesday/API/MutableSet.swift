/// A collection of elements that are all different, and belongs to a property of an object.
///
/// ```swift
/// @Persisted var tags: MutableSet<String>
/// ```
///
/// Unmanaged it holds its elements in memory; once its object is managed it is a live view of the
/// store. Deleting an object takes it out of all sets.
///
/// **Shape.** In a managed set elements ascend: nil, then numbers and dates by size, text, data and
/// identifiers by their bytes, objects in the order they were added to the Realm. In an unmanaged
/// one they stand in the order of insertion. Positions are for reading; they shift with every
/// change. Iteration visits the elements that were there when it began, but for objects that are
/// deleted meanwhile.
/// **Threads.** As the object it belongs to.
public final class MutableSet<Element: RealmCollectionValue> {
    /// The elements while unmanaged.
    var members = UnmanagedMembers<Element>()
    var binding = ObjectBinding()
    var column = 0

    /// An empty unmanaged set.
    public init() {}

    /// The view of a row's set.
    init(_ place: PropertyPlace) { attach(place) }

    deinit { detach() }

    /// The Realm it is managed by; nil if it is unmanaged or its object is gone.
    public var realm: Realm? { managingRealm }

    /// Whether the object it belongs to is gone, or its Realm was invalidated.
    ///
    /// Traps on a wrong thread.
    public var isInvalidated: Bool { binding.isInvalidated(nil) }

    /// Whether it belongs to a frozen Realm.
    public var isFrozen: Bool { isInFrozenRealm }

    /// - Complexity: O(1).
    public var count: Int { isManaged ? storedCount : members.count }

    /// The element at a position in the set's order.
    ///
    /// - Precondition: `0 <= position < count`: "Index N is out of bounds (must be less than M)."
    /// - Complexity: O(1); unmanaged O(*n* log *n*) after a change.
    public subscript(position: Int) -> Element {
        let count = count
        if position < 0 { refuse("Cannot pass a negative value for 'index'.") }
        if position >= count {
            refuse("Index \(position) is out of bounds (must be less than \(count)).")
        }
        return isManaged ? storedValue(at: position) : members.elements[position]
    }

    @inline(never)
    private func refuse(_ sentence: String) -> Never {
        let subject = isManaged ? place().subject : "MutableSet<\(Element.self)>, unmanaged"
        fatalError("\(sentence) \(subject).")
    }

    /// Whether the element is in the set.
    ///
    /// - Complexity: O(log *n*).
    public func contains(_ object: Element) -> Bool {
        isManaged ? storedPosition(of: object) != nil : members.contains(object)
    }

    /// The position of the element in the set's order, nil if it is not in the set.
    ///
    /// - Complexity: O(log *n*); unmanaged O(*n*).
    public func index(of object: Element) -> Int? {
        isManaged ? storedPosition(of: object) : members.elements.firstIndex(of: object)
    }

    /// As `==`, for any value.
    public func isEqual(_ object: Any?) -> Bool {
        (object as? MutableSet).map { self == $0 } ?? false
    }
}

@available(*, unavailable, message: "sets are confined to their Realm's thread, queue or actor")
extension MutableSet: Sendable {}

extension MutableSet: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// One past the last position: `count`.
    public var endIndex: Int { count }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }
    /// The first element in the set's order, nil if the set is empty.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The last element in the set's order, nil if the set is empty.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Visits the elements there are now.
    public func makeIterator() -> Iterator {
        isManaged
            ? Iterator(storedValues(), areManaged: true)
            : Iterator(members.elements, areManaged: false)
    }

    /// Visits the elements that were there when it was made, but for objects deleted since.
    public struct Iterator: IteratorProtocol {
        private var elements: PresentElements<Element>

        fileprivate init(_ elements: [Element], areManaged: Bool) {
            self.elements = PresentElements(elements, areManaged: areManaged)
        }

        /// - Complexity: O(1) amortized; an object is looked up.
        public mutating func next() -> Element? { elements.next() }
    }
}

extension MutableSet: Equatable {
    /// Managed sets are equal if they are the same property of the same object, unmanaged ones if
    /// they have the same elements.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        a === b || a.isSamePlace(as: b) ?? (a.count == b.count && a.isSubset(of: b))
    }
}

extension MutableSet: CustomStringConvertible {
    /// The elements with their positions; large sets and deep objects are cut short.
    public var description: String { ObjectDescription.list(self, Self._shape, depth: 0) }
}

extension MutableSet: Decodable where Element: Decodable {
    /// An unmanaged set.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        try CodingDepth.check(decoder.codingPath)
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { members.insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements in the set's order, as an array.
    ///
    /// Managed objects are encoded as copies of themselves.
    ///
    /// - Throws: `EncodingError` for what is nested too deep, as cycles are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}

extension MutableSet: _Persistable {
    /// True: the wrapper keeps one set for each object.
    @inlinable @inline(__always) public static var _isView: Bool { true }
    /// A set of what an element's shape says.
    public static var _shape: PropertyShape { Element._shape.inside(.set) }
    /// An empty unmanaged set.
    public static func _rlmDefaultValue() -> Self { self.init() }

    /// A live view of the row's set; nothing is read before it is used.
    public static func _read(_ place: PropertyPlace) -> Self { self.init(viewOf: place) }

    convenience init(viewOf place: PropertyPlace) { self.init(place) }

    /// Replaces the row's elements by those of `value`; traps outside a write.
    public static func _write(_ value: MutableSet, _ place: PropertyPlace) {
        MutableSet(place).replaceContents(with: value)
    }

    /// A set of this type as it is, nil as an empty set, a sequence as a new unmanaged set.
    ///
    /// - Returns: nil if it is none of these, or an element cannot be an `Element`.
    public static func _convert(_ value: Any) -> Self? {
        guard let value = DynamicValue.unwrapped(value) else { return self.init() }
        if let set = value as? Self { return set }
        guard let values = DynamicValue.elements(value) else { return nil }
        let set = self.init()
        for value in values {
            guard let element = Element._convert(value) else { return nil }
            set.members.insert(element)
        }
        return set
    }
}
