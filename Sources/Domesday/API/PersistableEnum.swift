/// An enum that is stored as its raw value.
///
/// ```swift
/// enum Kind: Int, PersistableEnum { case dog, cat }
/// ```
///
/// The default value of a property is the first case. A stored raw value that is no case traps when
/// it is read, with class, property and value; from an optional property, and in a list of optional
/// elements, it reads as nil. `tryValue(forKey:)` throws instead.
///
/// **Threads.** A value.
public protocol PersistableEnum:
    RawRepresentable, CaseIterable, _RealmCollectionValueInsideOptional, _Indexable,
    _QueryOrdered, _HasPersistedType
where RawValue: _EnumRawValue, PersistedType == RawValue {}

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistableEnum {
    public static var _shape: PropertyShape {
        var shape = RawValue._shape
        shape.typeName = String(describing: Self.self)
        return shape
    }

    public static func _rlmDefaultValue() -> Self {
        guard let first = allCases.first else { fatalError("enum '\(Self.self)' has no cases") }
        return first
    }

    public static func _read(_ place: PropertyPlace) -> Self {
        let raw = RawValue._read(place)
        guard let value = Self(rawValue: raw) else { place.trapUnknownCase(raw, Self.self) }
        return value
    }

    public static func _readOptional(_ place: PropertyPlace) -> Self? {
        RawValue._readOptional(place).flatMap { Self(rawValue: $0) }
    }

    public static func _write(_ value: Self, _ place: PropertyPlace) {
        RawValue._write(value.rawValue, place)
    }

    public static func _convert(_ value: Any) -> Self? {
        value as? Self ?? RawValue._convert(value).flatMap { Self(rawValue: $0) }
    }

    public static func _decode(_ element: StoredElement) -> Self {
        let raw = RawValue._decode(element)
        guard let value = Self(rawValue: raw) else {
            element.place.trapUnknownCase(raw, Self.self)
        }
        return value
    }

    public static func _decodeOptional(_ element: StoredElement) -> Self? {
        RawValue._decodeOptional(element).flatMap { Self(rawValue: $0) }
    }

    public static func _tryRead(_ place: PropertyPlace) throws -> Self {
        let raw = RawValue._read(place)
        guard let value = Self(rawValue: raw) else { throw place.unknownCase(raw, Self.self) }
        return value
    }

    public static func _tryDecode(_ element: StoredElement) throws -> Self {
        let raw = RawValue._decode(element)
        guard let value = Self(rawValue: raw) else {
            throw element.place.unknownCase(raw, Self.self)
        }
        return value
    }

    public static func _encode(_ value: Self, _ sink: inout ElementSink) {
        RawValue._encode(value.rawValue, &sink)
    }
}
