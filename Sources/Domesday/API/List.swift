/// An ordered collection that belongs to a property of an object.
///
/// Unmanaged it holds its elements in memory; once its object is managed it is a live view of the
/// store.
///
/// **Shape.** Positions from 0. Iteration visits the elements that were there when it began, also
/// when the body adds or removes some; objects that are deleted meanwhile are passed over.
/// **Threads.** As the object it belongs to.
public final class List<Element: RealmCollectionValue> {
    /// The elements while unmanaged.
    var elements: [Element] = []
    var binding = ObjectBinding()
    var column = 0
    /// Where the list lies inside a value of any type; empty for one that is a property itself.
    var path: [NestedStep] = []

    /// An empty unmanaged list.
    public init() {}

    /// The view of a row's list.
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

    /// - Complexity: O(1); O(*n*) for strings and data in a managed list.
    public var count: Int {
        isManaged ? storedCount : elements.count
    }

    /// - Precondition: `0 <= position < count`: "Index N is out of bounds (must be less than M)."
    /// - Complexity: O(1); O(*n*) for strings and data in a managed list.
    public subscript(position: Int) -> Element {
        get {
            checkIndex(position)
            return isManaged ? storedValue(at: position) : elements[position]
        }
        set {
            checkIndex(position)
            replaceSubrange(position..<(position + 1), with: CollectionOfOne(newValue))
        }
    }

    /// The first position of an equal element.
    ///
    /// - Complexity: O(*n*).
    public func index(of element: Element) -> Int? { firstIndex(of: element) }

    /// As `==`, for any value.
    public func isEqual(_ object: Any?) -> Bool { (object as? List).map { self == $0 } ?? false }

    /// A property of each element, by name; `"self"` gives the elements.
    public func value(forKey key: String) -> [Any] {
        map { element in
            if key == "self" { return element }
            guard let object = element as? ObjectBase else {
                fatalError("Invalid key '\(key)': elements of type '\(Element.self)' have none.")
            }
            return object.value(forKey: key) as Any
        }
    }

    /// Sets a property of each element, by name; `"self"` replaces the elements.
    public func setValue(_ value: Any?, forKey key: String) {
        if key == "self" {
            guard let element = Element._convert(value as Any) else {
                fatalError(
                    "Could not convert value '\(DynamicValue.text(value))' to type "
                        + "'\(Element.self)'."
                )
            }
            for index in indices { self[index] = element }
            return
        }
        for element in self {
            guard let object = element as? ObjectBase else {
                fatalError("Invalid key '\(key)': elements of type '\(Element.self)' have none.")
            }
            object.setValue(value, forKey: key)
        }
    }
}

@available(*, unavailable, message: "lists are confined to their Realm's thread, queue or actor")
extension List: Sendable {}

extension List: RandomAccessCollection, MutableCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// One past the last position: `count`, at its cost.
    public var endIndex: Int { count }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }
    /// The first element, nil if the list is empty.
    ///
    /// - Complexity: As `count`.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The last element, nil if the list is empty.
    ///
    /// - Complexity: As `count`.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Visits the elements there are now.
    public func makeIterator() -> Iterator {
        isManaged
            ? Iterator(storedValues(), areManaged: true) : Iterator(elements, areManaged: false)
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

extension List: Equatable {
    /// Managed lists are equal if they are the same property of the same object, unmanaged ones if
    /// their elements are.
    public static func == (a: List, b: List) -> Bool {
        a === b || a.isSamePlace(as: b) ?? (a.elements == b.elements)
    }
}

extension List: CustomStringConvertible {
    /// The elements with their positions; long lists and deep objects are cut short.
    public var description: String {
        ObjectDescription.list(self, Self._shape, depth: 0)
    }
}

extension List: Decodable where Element: Decodable {
    /// An unmanaged list.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        try CodingDepth.check(decoder.codingPath)
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements in order, as an array.
    ///
    /// Managed objects are encoded as copies of themselves.
    ///
    /// - Throws: `EncodingError` for what is nested too deep, as cycles are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}

extension List: _Persistable {
    /// True: the wrapper keeps one list for each object.
    @inlinable @inline(__always) public static var _isView: Bool { true }
    /// A list of what an element's shape says.
    public static var _shape: PropertyShape { Element._shape.inside(.list) }
    /// An empty unmanaged list.
    public static func _rlmDefaultValue() -> Self { self.init() }

    /// A live view of the row's list; nothing is read before it is used.
    public static func _read(_ place: PropertyPlace) -> Self {
        self.init(viewOf: place)
    }

    convenience init(viewOf place: PropertyPlace) { self.init(place) }

    /// Replaces the row's elements by those of `value`; traps outside a write.
    public static func _write(_ value: List, _ place: PropertyPlace) {
        List(place).replaceContents(with: value)
    }

    /// A list of this type as it is, nil as an empty list, a sequence as a new unmanaged list.
    ///
    /// - Returns: nil if it is none of these, or an element cannot be an `Element`.
    public static func _convert(_ value: Any) -> Self? {
        guard let value = DynamicValue.unwrapped(value) else { return self.init() }
        if let list = value as? Self { return list }
        guard let values = DynamicValue.elements(value) else { return nil }
        let list = self.init()
        for value in values {
            guard let element = Element._convert(value) else { return nil }
            list.elements.append(element)
        }
        return list
    }
}
