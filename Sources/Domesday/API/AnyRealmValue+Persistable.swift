import Foundation

// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension AnyRealmValue: RealmCollectionValue, MinMaxType, AddableType, SortableType {
    public static var _shape: PropertyShape { PropertyShape(.any) }
    public static func _rlmDefaultValue() -> AnyRealmValue { .none }

    public static func _read(_ place: PropertyPlace) -> AnyRealmValue {
        decoded(place.bytes, place, path: [.value])
    }

    public static func _write(_ value: AnyRealmValue, _ place: PropertyPlace) {
        value.mixed(place).encoded.withUnsafeBytes { place.storeAfresh(bytes: $0) }
    }

    public static func _convert(_ value: Any) -> AnyRealmValue? {
        guard let value = DynamicValue.unwrapped(value) else { return AnyRealmValue.none }
        if let value = value as? AnyRealmValue { return value }
        if let object = value as? Object { return .object(object) }
        if Swift.type(of: value) is AnyClass, let number = value as? NSNumber {
            switch String(cString: number.objCType) {
            case "c": return .bool(number.boolValue)
            case "f": return .float(number.floatValue)
            case "d": return .double(number.doubleValue)
            default: return .int(number.intValue)
            }
        }
        switch value {
        case let value as Bool: return .bool(value)
        case let value as Decimal128: return .decimal128(value)
        case let value as Decimal: return .decimal128(Decimal128(value))
        case let value as any BinaryInteger: return Int(exactly: value).map { .int($0) }
        case let value as Float: return .float(value)
        case let value as any BinaryFloatingPoint: return .double(Double(value))
        case let value as any StringProtocol: return .string(String(value))
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as ObjectId: return .objectId(value)
        case let value as UUID: return .uuid(value)
        default: return convert(collection: value)
        }
    }

    private static func convert(collection value: Any) -> AnyRealmValue? {
        guard let elements = DynamicValue.elements(value) else { return nil }
        var values: [AnyRealmValue] = []
        for element in elements {
            guard let value = _convert(element) else { return nil }
            values.append(value)
        }
        return .fromArray(values)
    }

    public static func _decode(_ element: StoredElement) -> AnyRealmValue {
        decoded(
            element.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0),
            element.place,
            path: element.nesting
        )
    }

    public static func _encode(_ value: AnyRealmValue, _ sink: inout ElementSink) {
        if case .list = value, sink.elements.layout.shape == .set {
            fatalError("A set cannot contain a list. \(sink.place.subject).")
        }
        value.mixed(sink.place).encoded.withUnsafeBytes { sink.append($0) }
    }
}

extension AnyRealmValue: _QueryNumeric {}

// Between what users see and what is stored.
extension AnyRealmValue {
    /// A stored value; a collection becomes a view of the place that `path` leads to.
    static func decoded(
        _ bytes: UnsafeRawBufferPointer,
        _ place: PropertyPlace,
        path: [NestedStep]
    ) -> AnyRealmValue {
        if bytes.first == MixedTag.list.rawValue {
            let list = List<AnyRealmValue>(place)
            list.path = path
            return .list(list)
        }
        guard let value = MixedValue(bytes) else {
            place.trapDamaged("a value of any type is damaged")
        }
        return AnyRealmValue(value, in: place.realm)
    }

    /// A value that is no collection.
    ///
    /// - Parameter realm: where links lead; nil for values that are none.
    init(_ value: MixedValue, in realm: RealmState?) {
        switch value {
        case .none, .list, .dictionary: self = .none
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal128(Decimal128(value))
        case .string(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): self = .data(Data(bytes))
        case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
        case .objectId(let bytes): self = .objectId(bytes.withUnsafeBytes { ObjectId(bytes: $0) })
        case .uuid(let bytes):
            // SAFETY: the decoder made sure of 16 bytes; loadUnaligned needs no alignment.
            let uuid = bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
            self = .uuid(UUID(uuid: uuid))
        case .link(let link): self = realm?.object(at: link).map { .object($0) } ?? .none
        }
    }

    /// The value to store in a place; unmanaged objects in it are added to the Realm.
    func mixed(_ place: PropertyPlace, depth: Int = 0) -> MixedValue {
        switch self {
        case .none: return .none
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(Int64(value))
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .decimal128(let value): return .decimal(value.number)
        case .string(let value): return .string(Array(value.utf8))
        case .data(let value): return .data(Array(value))
        case .date(let value): return .date(value.timeIntervalSinceReferenceDate)
        case .objectId(let value): return .objectId(value.withUnsafeBytes { Array($0) })
        case .uuid(let value): return .uuid(withUnsafeBytes(of: value.uuid) { Array($0) })
        case .object(let object):
            return .link(place.realm.link(to: object, from: place))
        case .list(let list):
            if depth >= MixedValue.depthLimit {
                fatalError(
                    "Max nesting level reached: lists and dictionaries may lie "
                        + "\(MixedValue.depthLimit) deep in each other. \(place.subject)."
                )
            }
            return .list(list.map { $0.mixed(place, depth: depth + 1) })
        }
    }
}
