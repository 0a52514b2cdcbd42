/// An enum that is stored as its raw value.
///
/// ```swift
/// enum Kind: Int, PersistableEnum { case dog, cat }
/// ```
///
/// The default value of a property is the first case. A stored number that is no case traps when it
/// is read, unless the property is optional: then it reads as nil.
///
/// **Threads.** A value.
public protocol PersistableEnum:
    RawRepresentable, CaseIterable, _RealmCollectionValueInsideOptional, _Indexable,
    _QueryOrdered
where RawValue: _EnumRawValue {}

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

    public static func _encode(_ value: Self, _ sink: inout ElementSink) {
        RawValue._encode(value.rawValue, &sink)
    }
}
