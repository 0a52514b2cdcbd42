/// A type that can be the type of a `@Persisted` property.
///
/// The conforming types are fixed: scalars, optionals of them, `PersistableEnum`s, links and
/// collections. Do not conform types of your own; its requirements change between versions.
///
/// **Threads.** As the object the value belongs to.
public protocol _Persistable {
    /// Whether values are views of the store that the wrapper keeps: lists, linking objects.
    static var _isView: Bool { get }
    /// What the schema says of a property of this type.
    static var _shape: PropertyShape { get }
    /// The value of a property declared without one.
    static func _rlmDefaultValue() -> Self
    /// The stored value.
    static func _read(_ place: PropertyPlace) -> Self
    /// Stores a value; traps outside a write.
    static func _write(_ value: Self, _ place: PropertyPlace)
    /// As `_write`, where it takes no more than a store: false if it takes more, with nothing done.
    static func _overwrite(_ value: Self, _ place: PropertyPlace) -> Bool
    /// A dynamic value as this type; nil if it cannot be one.
    static func _convert(_ value: Any) -> Self?
    /// As `_read`, but throws where the stored value is none of this type.
    static func _tryRead(_ place: PropertyPlace) throws -> Self
}

extension _Persistable {
    /// False: a value is a copy.
    @inlinable @inline(__always) public static var _isView: Bool { false }
    /// As `_read`: every stored value is one.
    public static func _tryRead(_ place: PropertyPlace) throws -> Self { _read(place) }

    /// Takes values of this very type.
    public static func _convert(_ value: Any) -> Self? { value as? Self }

    /// False: it takes more.
    @inlinable @inline(__always)
    public static func _overwrite(_ value: Self, _ place: PropertyPlace) -> Bool { false }
}

/// A type whose optional can be the type of a `@Persisted` property.
public protocol _PersistableInsideOptional: _Persistable {
    /// The stored value, nil if there is none.
    static func _readOptional(_ place: PropertyPlace) -> Self?
    /// Stores that there is no value; traps outside a write.
    static func _writeNil(_ place: PropertyPlace)
}

extension _PersistableInsideOptional {
    /// Marks the row's value as absent.
    public static func _writeNil(_ place: PropertyPlace) { place.storeNil() }
}

/// A type that can be the element of a `List`.
public protocol RealmCollectionValue: Hashable, _Persistable {
    /// An element from its stored bytes.
    static func _decode(_ element: StoredElement) -> Self
    /// Appends an element's stored bytes.
    static func _encode(_ value: Self, _ sink: inout ElementSink)
    /// As `_decode`, but throws where the stored value is none of this type.
    static func _tryDecode(_ element: StoredElement) throws -> Self
    /// Whether values are projections, which results make of their objects.
    static var _isProjection: Bool { get }
    /// The projection of an object.
    static func _project(_ object: ObjectBase) -> AnyObject
}

extension RealmCollectionValue {
    /// As `_decode`: every stored value is one.
    public static func _tryDecode(_ element: StoredElement) throws -> Self { _decode(element) }
    /// False: an object is shown as it is.
    @inlinable @inline(__always) public static var _isProjection: Bool { false }
    /// The object as it is.
    public static func _project(_ object: ObjectBase) -> AnyObject { object }
}

/// A type whose optional can be the element of a `List`.
public protocol _RealmCollectionValueInsideOptional:
    RealmCollectionValue, _PersistableInsideOptional
{
    /// An element from its stored bytes; nil if it is nil or none of this type.
    static func _decodeOptional(_ element: StoredElement) -> Self?
}

extension _RealmCollectionValueInsideOptional {
    /// nil for nil: every stored value is one.
    public static func _decodeOptional(_ element: StoredElement) -> Self? {
        element.bytes == nil ? nil : _decode(element)
    }
}

/// A type that can be indexed: `@Persisted(indexed: true)`.
public protocol _Indexable {}

/// A type that can be a primary key: `@Persisted(primaryKey: true)`.
public protocol _PrimaryKey {}

/// A type that `min(of:)` and `max(of:)` understand.
public protocol MinMaxType {}

/// A type that `sum(of:)` and `average(of:)` understand.
public protocol AddableType {}

/// A type that collections can be sorted by.
public protocol SortableType {}

/// A type that `Realm.objects(_:)` can fetch.
public protocol RealmFetchable: RealmCollectionValue {}

/// An optional, as a constraint.
public protocol OptionalProtocol {
    /// The type of a value that is there.
    associatedtype Wrapped
    /// The value that stands for nothing.
    static func _rlmFromNil() -> Self
}

extension Optional: OptionalProtocol {
    /// nil.
    @inlinable public static func _rlmFromNil() -> Wrapped? { nil }
}

/// A scalar that can be the raw value of a `PersistableEnum`.
public protocol _EnumRawValue: _RealmCollectionValueInsideOptional, _HasPersistedType
where PersistedType == Self {}

/// What integer types share: all are stored as 64 bits.
public protocol _IntegerValue: FixedWidthInteger, SignedInteger, _EnumRawValue {}
