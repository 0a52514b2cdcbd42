/// A type that is stored as a value of another type.
///
/// The stored type of a scalar is itself, of a `PersistableEnum` its raw value, of a
/// ``CustomPersistable`` what it says.
public protocol _HasPersistedType {
    /// What is stored.
    associatedtype PersistedType: _HasPersistedType
    where PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
}

/// What ``CustomPersistable`` and ``FailableCustomPersistable`` share; conform to one of those.
public protocol _CustomPersistable: _RealmCollectionValueInsideOptional, _HasPersistedType
where PersistedType: _RealmCollectionValueInsideOptional {
    /// The value of a stored one; nil if there is none.
    static func _value(persisted: PersistedType) -> Self?
    /// The value to store.
    var persistableValue: PersistedType { get }
}

/// A type that a Realm does not know, stored as one that it knows: a scalar, an enum, or an
/// `EmbeddedObject`.
///
/// ```swift
/// extension CGPoint: CustomPersistable {
///     public typealias PersistedType = PointObject   // an EmbeddedObject
///     public init(persistedValue: PointObject) { ... }
///     public var persistableValue: PointObject { ... }
/// }
/// ```
///
/// It can then be the type of a `@Persisted` property, optional or not, and of a collection's
/// elements. A property declared without a value has the default of the stored type.
///
/// **Threads.** A value; the initializer and `persistableValue` run where the object is used.
public protocol CustomPersistable: _CustomPersistable {
    /// The value of a stored one.
    init(persistedValue: PersistedType)
}

/// As ``CustomPersistable``, for types that not every stored value can be: a `URL` of a text.
///
/// A stored value that is none reads as nil from an optional property, and traps from one that is
/// not: "Failed to convert persisted value 'v' to type 'T' in a non-optional context."
/// `tryValue(forKey:)` throws instead.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// The value of a stored one; nil if it is none.
    init?(persistedValue: PersistedType)
}

extension CustomPersistable {
    /// As `init(persistedValue:)`.
    public static func _value(persisted: PersistedType) -> Self? {
        self.init(persistedValue: persisted)
    }
}

extension FailableCustomPersistable {
    /// As `init(persistedValue:)`.
    public static func _value(persisted: PersistedType) -> Self? {
        self.init(persistedValue: persisted)
    }
}

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension _CustomPersistable {
    public static var _shape: PropertyShape {
        var shape = PersistedType._shape
        shape.typeName = String(describing: Self.self)
        shape.isCustom = true
        return shape
    }

    public static func _rlmDefaultValue() -> Self {
        let persisted = defaultPersisted
        guard let value = _value(persisted: persisted) else {
            fatalError(
                "Failed to convert default value '\(persisted)' to type '\(Self.self)': give the "
                    + "property a value of its own."
            )
        }
        return value
    }

    /// An embedded object has no default of its own, but can be made.
    private static var defaultPersisted: PersistedType {
        guard let type = PersistedType.self as? ObjectBase.Type,
            let object = type.init() as? PersistedType
        else { return PersistedType._rlmDefaultValue() }
        return object
    }

    public static func _read(_ place: PropertyPlace) -> Self {
        guard let persisted = PersistedType._readOptional(place) else {
            // An embedded object that is not there.
            return _rlmDefaultValue()
        }
        guard let value = _value(persisted: persisted) else {
            place.trapUnknownCase(persisted, Self.self)
        }
        return value
    }

    public static func _readOptional(_ place: PropertyPlace) -> Self? {
        PersistedType._readOptional(place).flatMap { _value(persisted: $0) }
    }

    public static func _tryRead(_ place: PropertyPlace) throws -> Self {
        guard let persisted = PersistedType._readOptional(place) else { return _rlmDefaultValue() }
        guard let value = _value(persisted: persisted) else {
            throw place.unknownCase(persisted, Self.self)
        }
        return value
    }

    public static func _write(_ value: Self, _ place: PropertyPlace) {
        PersistedType._write(value.persistableValue, place)
    }

    public static func _writeNil(_ place: PropertyPlace) { PersistedType._writeNil(place) }

    public static func _convert(_ value: Any) -> Self? {
        value as? Self ?? PersistedType._convert(value).flatMap { _value(persisted: $0) }
    }

    public static func _decode(_ element: StoredElement) -> Self {
        let persisted = PersistedType._decode(element)
        guard let value = _value(persisted: persisted) else {
            element.place.trapUnknownCase(persisted, Self.self)
        }
        return value
    }

    public static func _decodeOptional(_ element: StoredElement) -> Self? {
        PersistedType._decodeOptional(element).flatMap { _value(persisted: $0) }
    }

    public static func _tryDecode(_ element: StoredElement) throws -> Self {
        let persisted = PersistedType._decode(element)
        guard let value = _value(persisted: persisted) else {
            throw element.place.unknownCase(persisted, Self.self)
        }
        return value
    }

    public static func _encode(_ value: Self, _ sink: inout ElementSink) {
        PersistedType._encode(value.persistableValue, &sink)
    }
}

extension Persisted where Value: _HasPersistedType, Value.PersistedType: _Indexable {
    /// A property that queries find through an index of what is stored.
    @_disfavoredOverload
    public init(indexed: Bool) {
        self.init(marked: indexed ? .indexed : [], default: Value._rlmDefaultValue())
    }

    /// A property that queries find through an index of what is stored, with a default of its own.
    @_disfavoredOverload
    public init(wrappedValue: @autoclosure () -> Value, indexed: Bool) {
        self.init(marked: indexed ? .indexed : [], default: wrappedValue())
    }
}
