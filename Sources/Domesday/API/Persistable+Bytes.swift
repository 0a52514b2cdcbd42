public import Foundation

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension String: _EnumRawValue, _Indexable, _PrimaryKey, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.string) }
    @inlinable public static func _rlmDefaultValue() -> String { "" }

    @inlinable
    public static func _read(_ place: PropertyPlace) -> String {
        String(decoding: place.bytes, as: UTF8.self)
    }

    @inlinable
    public static func _readOptional(_ place: PropertyPlace) -> String? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: String, _ place: PropertyPlace) {
        var value = value
        value.withUTF8 { place.store(bytes: UnsafeRawBufferPointer($0)) }
    }

    public static func _convert(_ value: Any) -> String? {
        if let value = value as? String { return value }
        return (value as? Substring).map { String($0) }
    }

    public static func _decode(_ element: StoredElement) -> String {
        element.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    public static func _encode(_ value: String, _ sink: inout ElementSink) {
        var value = value
        value.withUTF8 { sink.append(UnsafeRawBufferPointer($0)) }
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Data: _RealmCollectionValueInsideOptional {
    public static var _shape: PropertyShape { PropertyShape(.data) }
    @inlinable public static func _rlmDefaultValue() -> Data { Data() }

    @inlinable
    public static func _read(_ place: PropertyPlace) -> Data { Data(place.bytes) }

    @inlinable
    public static func _readOptional(_ place: PropertyPlace) -> Data? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Data, _ place: PropertyPlace) {
        value.withUnsafeBytes { place.store(bytes: $0) }
    }

    public static func _decode(_ element: StoredElement) -> Data {
        element.bytes.map { Data($0) } ?? Data()
    }

    public static func _encode(_ value: Data, _ sink: inout ElementSink) {
        value.withUnsafeBytes { sink.append($0) }
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension UUID: _RealmCollectionValueInsideOptional, _Indexable, _PrimaryKey, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.UUID) }
    @inlinable public static func _rlmDefaultValue() -> UUID { UUID() }

    @inlinable
    public static func _read(_ place: PropertyPlace) -> UUID {
        UUID(uuid: place.view.fixed(place.column, place.row).loadUnaligned(as: uuid_t.self))
    }

    @inlinable
    public static func _readOptional(_ place: PropertyPlace) -> UUID? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: UUID, _ place: PropertyPlace) {
        withUnsafeBytes(of: value.uuid) { place.store(bytes: $0) }
    }

    public static func _decode(_ element: StoredElement) -> UUID {
        UUID(uuid: element.load(as: uuid_t.self))
    }

    public static func _encode(_ value: UUID, _ sink: inout ElementSink) {
        sink.append(number: value.uuid)
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ObjectId: _RealmCollectionValueInsideOptional, _Indexable, _PrimaryKey, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.objectId) }
    public static func _rlmDefaultValue() -> ObjectId { ObjectId.generate() }

    public static func _read(_ place: PropertyPlace) -> ObjectId {
        ObjectId(bytes: place.view.fixed(place.column, place.row))
    }

    public static func _readOptional(_ place: PropertyPlace) -> ObjectId? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: ObjectId, _ place: PropertyPlace) {
        value.withUnsafeBytes { place.store(bytes: $0) }
    }

    public static func _decode(_ element: StoredElement) -> ObjectId {
        guard let bytes = element.bytes, bytes.count == 12 else {
            element.place.trapDamaged("an element of a collection has the wrong size")
        }
        return ObjectId(bytes: bytes)
    }

    public static func _encode(_ value: ObjectId, _ sink: inout ElementSink) {
        value.withUnsafeBytes { sink.append($0) }
    }
}
