import Foundation

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    public static var _shape: PropertyShape { Wrapped._shape.optional }
    @inlinable public static func _rlmDefaultValue() -> Wrapped? { nil }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Wrapped? { Wrapped._readOptional(place) }

    public static func _write(_ value: Wrapped?, _ place: PropertyPlace) {
        if let value { Wrapped._write(value, place) } else { Wrapped._writeNil(place) }
    }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Wrapped?, _ place: PropertyPlace) -> Bool {
        value.map { Wrapped._overwrite($0, place) } ?? false
    }

    public static func _convert(_ value: Any) -> Wrapped?? {
        guard let value = DynamicValue.unwrapped(value) else { return .some(nil) }
        return Wrapped._convert(value).map { .some($0) }
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
    public static func _decode(_ element: StoredElement) -> Wrapped? {
        Wrapped._decodeOptional(element)
    }

    public static func _encode(_ value: Wrapped?, _ sink: inout ElementSink) {
        if let value { Wrapped._encode(value, &sink) } else { sink.appendNil() }
    }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
