import Foundation

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Decimal128: _RealmCollectionValueInsideOptional, MinMaxType, AddableType, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.decimal128) }
    public static func _rlmDefaultValue() -> Decimal128 { Decimal128() }

    public static func _read(_ place: PropertyPlace) -> Decimal128 {
        Decimal128(DecimalNumber(bytes: place.view.fixed(place.column, place.row)))
    }

    public static func _readOptional(_ place: PropertyPlace) -> Decimal128? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Decimal128, _ place: PropertyPlace) {
        withUnsafeBytes(of: value.number.stored) { place.store(bytes: $0) }
    }

    public static func _convert(_ value: Any) -> Decimal128? {
        if let value = value as? Decimal128 { return value }
        // A number object that says "c" is a truth value.
        if Swift.type(of: value) is AnyClass, let number = value as? NSNumber {
            return String(cString: number.objCType) == "c" ? nil : Decimal128(number: number)
        }
        return switch value {
        case is Bool: nil
        case let value as Decimal: Decimal128(value)
        case let value as any BinaryInteger: Decimal128(value)
        case let value as any BinaryFloatingPoint & LosslessStringConvertible: Decimal128(value)
        case let value as String: DecimalNumber(value).map { Decimal128($0) }
        default: nil
        }
    }

    public static func _decode(_ element: StoredElement) -> Decimal128 {
        guard let bytes = element.bytes, bytes.count == 16 else {
            element.place.trapDamaged("a list element has the wrong size")
        }
        return Decimal128(DecimalNumber(bytes: bytes))
    }

    public static func _encode(_ value: Decimal128, _ sink: inout ElementSink) {
        withUnsafeBytes(of: value.number.stored) { sink.append($0) }
    }
}

extension Decimal128: RowValue {
    static func store(_ value: Decimal128, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try withUnsafeBytes(of: value.number.stored) { (bytes) throws(StorageError) in
            try row.setBytes(bytes, column)
        }
    }
}

extension Decimal128: _QueryNumeric {}

extension Decimal128: QueryConstant {
    var queryConstant: DecimalNumber { number }
}
