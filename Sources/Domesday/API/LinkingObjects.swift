/// A linking-objects collection, as a constraint.
public protocol LinkingObjectsProtocol {}

/// The objects that link to an object through a given property: `@Persisted(originProperty:)`.
///
/// Empty for an unmanaged object.
///
/// **Shape.** By key, ascending; an object that links several times through a list appears as often.
/// **Threads.** As the object.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: LinkingObjectsProtocol {
    let source: LinkingSource?

    init(source: LinkingSource?) { self.source = source }

    /// The collection of an unmanaged object: empty.
    public init(fromType type: Element.Type, property propertyName: String) { source = nil }

    /// The Realm it is managed by; nil if the object is unmanaged or gone.
    public var realm: Realm? {
        guard let source, !isInvalidated else { return nil }
        return Realm(state: source.control.realm)
    }

    /// Whether the object is gone.
    public var isInvalidated: Bool { source?.binding.isInvalidated(nil) ?? false }

    /// Whether they are those of a frozen object, and so always the same.
    public var isFrozen: Bool { source?.control.pointee.isFrozen ?? false }

    /// - Complexity: O(log *n*) in the number of links: nothing is walked.
    public var count: Int { source?.count ?? 0 }

    /// - Complexity: O(*n*) at first use after a change, then O(1).
    public subscript(position: Int) -> Element {
        let keys = source?.keys() ?? []
        if position < 0 { fatalError("Cannot pass a negative value for 'index'.") }
        guard let source, position < keys.count else {
            fatalError(
                "Index \(position) is out of bounds (must be less than \(keys.count))."
            )
        }
        return source.object(Element.self, keys[position])
    }
}

@available(*, unavailable, message: "confined to the Realm's thread, queue or actor")
extension LinkingObjects: Sendable {}

extension LinkingObjects: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// One past the last position: `count`, at its cost.
    public var endIndex: Int { count }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }

    /// Visits the objects that link here now, but for those deleted meanwhile.
    public func makeIterator() -> AnyIterator<Element> {
        guard let source else { return AnyIterator { nil } }
        var keys = source.keys().makeIterator()
        return AnyIterator {
            while let key = keys.next() {
                if let object = source.existing(Element.self, key) { return object }
            }
            return nil
        }
    }

    /// The position of an object, nil if it does not link here.
    ///
    /// - Complexity: O(*n*).
    public func index(of object: Element) -> Int? { firstIndex(of: object) }
}

extension LinkingObjects: Equatable {
    /// Whether both are the same property of the same object.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        guard let a = a.source, let b = b.source else { return a.source == nil && b.source == nil }
        return a.control == b.control && a.binding.key == b.binding.key
            && a.origin.table === b.origin.table && a.origin.column == b.origin.column
    }
}

extension LinkingObjects: CustomStringConvertible {
    /// The objects with their positions; many objects and deep ones are cut short.
    public var description: String {
        ObjectDescription.list(Array(self), Element._shape, named: "LinkingObjects", depth: 0)
    }
}

extension LinkingObjects: Encodable where Element: Encodable {
    /// Encodes the linking objects in order, as an array.
    ///
    /// Managed objects are encoded as copies of themselves.
    ///
    /// - Throws: `EncodingError` for what is nested too deep, as cycles are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}

extension LinkingObjects: _Persistable {
    /// True: the wrapper keeps the collection once it is made.
    @inlinable @inline(__always) public static var _isView: Bool { true }

    /// Linking objects of the class `Element`.
    public static var _shape: PropertyShape {
        var shape = PropertyShape(.linkingObjects)
        shape.objectClass = Element.self
        shape.typeName = Element.className()
        return shape
    }

    /// The collection of an unmanaged object: empty.
    public static func _rlmDefaultValue() -> LinkingObjects { LinkingObjects(source: nil) }

    /// A live view of the links to the row; nothing is read before it is used.
    public static func _read(_ place: PropertyPlace) -> LinkingObjects {
        LinkingObjects(source: LinkingSource(place))
    }

    /// Traps: links are made and removed where they come from.
    public static func _write(_ value: LinkingObjects, _ place: PropertyPlace) {
        fatalError("Linking objects properties are read-only. \(place.subject).")
    }
}
