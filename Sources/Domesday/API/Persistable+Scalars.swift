public import Foundation

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension _IntegerValue {
    public static var _shape: PropertyShape { PropertyShape(.int) }
    @inlinable public static func _rlmDefaultValue() -> Self { 0 }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Self {
        Self(truncatingIfNeeded: place.view.int(place.column, place.row))
    }

    @inlinable @inline(__always)
    public static func _readOptional(_ place: PropertyPlace) -> Self? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Self, _ place: PropertyPlace) { place.store(Int64(value)) }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Self, _ place: PropertyPlace) -> Bool {
        place.overwrite(Int64(truncatingIfNeeded: value))
    }

    public static func _convert(_ value: Any) -> Self? {
        if let value = value as? Self { return value }
        if value is Bool { return nil }
        if let value = value as? any BinaryInteger { return Self(exactly: value) }
        if let value = value as? any BinaryFloatingPoint { return Self(exactly: Double(value)) }
        if let value = value as? NSNumber { return Self(exactly: value.int64Value) }
        return nil
    }

    public static func _decode(_ element: StoredElement) -> Self {
        Self(truncatingIfNeeded: element.load(as: Int64.self))
    }

    public static func _encode(_ value: Self, _ sink: inout ElementSink) {
        sink.append(number: Int64(value))
    }
}

extension Int: _IntegerValue, _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType {}
extension Int8: _IntegerValue, _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType {}
extension Int16: _IntegerValue, _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType {}
extension Int32: _IntegerValue, _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType {}
extension Int64: _IntegerValue, _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType {}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Bool: _RealmCollectionValueInsideOptional, _Indexable, _PrimaryKey, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.bool) }
    @inlinable public static func _rlmDefaultValue() -> Bool { false }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Bool {
        place.view.int(place.column, place.row) != 0
    }

    @inlinable @inline(__always)
    public static func _readOptional(_ place: PropertyPlace) -> Bool? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Bool, _ place: PropertyPlace) {
        place.store(value ? 1 : 0 as Int64)
    }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Bool, _ place: PropertyPlace) -> Bool {
        place.overwrite(value ? 1 : 0 as Int64)
    }

    public static func _convert(_ value: Any) -> Bool? {
        if let value = value as? Bool { return value }
        // Numbers 0 and 1, as Objective-C's NSNumber would be understood.
        guard let number = Int._convert(value), number == 0 || number == 1 else { return nil }
        return number == 1
    }

    public static func _decode(_ element: StoredElement) -> Bool {
        element.load(as: UInt8.self) != 0
    }

    public static func _encode(_ value: Bool, _ sink: inout ElementSink) {
        sink.append(number: UInt8(value ? 1 : 0))
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Float: _EnumRawValue, MinMaxType, AddableType, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.float) }
    @inlinable public static func _rlmDefaultValue() -> Float { 0 }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Float {
        place.view.float(place.column, place.row)
    }

    @inlinable @inline(__always)
    public static func _readOptional(_ place: PropertyPlace) -> Float? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Float, _ place: PropertyPlace) { place.store(value) }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Float, _ place: PropertyPlace) -> Bool {
        place.overwrite(value)
    }

    public static func _convert(_ value: Any) -> Float? {
        if let value = value as? Float { return value }
        return Double._convert(value).map { Float($0) }
    }

    public static func _decode(_ element: StoredElement) -> Float { element.load(as: Float.self) }

    public static func _encode(_ value: Float, _ sink: inout ElementSink) {
        sink.append(number: value)
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Double: _EnumRawValue, MinMaxType, AddableType, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.double) }
    @inlinable public static func _rlmDefaultValue() -> Double { 0 }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Double {
        place.view.double(place.column, place.row)
    }

    @inlinable @inline(__always)
    public static func _readOptional(_ place: PropertyPlace) -> Double? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Double, _ place: PropertyPlace) { place.store(value) }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Double, _ place: PropertyPlace) -> Bool {
        place.overwrite(value)
    }

    public static func _convert(_ value: Any) -> Double? {
        if let value = value as? Double { return value }
        if value is Bool { return nil }
        if let value = value as? any BinaryFloatingPoint { return Double(value) }
        if let value = value as? any BinaryInteger { return Double(value) }
        if let value = value as? NSNumber { return value.doubleValue }
        return nil
    }

    public static func _decode(_ element: StoredElement) -> Double { element.load(as: Double.self) }

    public static func _encode(_ value: Double, _ sink: inout ElementSink) {
        sink.append(number: value)
    }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Date: _RealmCollectionValueInsideOptional, _Indexable, MinMaxType, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.date) }
    @inlinable public static func _rlmDefaultValue() -> Date { Date() }

    @inlinable @inline(__always)
    public static func _read(_ place: PropertyPlace) -> Date {
        Date(timeIntervalSinceReferenceDate: place.view.double(place.column, place.row))
    }

    @inlinable @inline(__always)
    public static func _readOptional(_ place: PropertyPlace) -> Date? {
        place.isNil ? nil : _read(place)
    }

    public static func _write(_ value: Date, _ place: PropertyPlace) {
        place.store(value.timeIntervalSinceReferenceDate)
    }

    @inlinable @inline(__always)
    public static func _overwrite(_ value: Date, _ place: PropertyPlace) -> Bool {
        place.overwrite(value.timeIntervalSinceReferenceDate)
    }

    public static func _decode(_ element: StoredElement) -> Date {
        Date(timeIntervalSinceReferenceDate: element.load(as: Double.self))
    }

    public static func _encode(_ value: Date, _ sink: inout ElementSink) {
        sink.append(number: value.timeIntervalSinceReferenceDate)
    }
}
