extension Map: _Persistable {
    /// True: the wrapper keeps one map for each object.
    @inlinable @inline(__always) public static var _isView: Bool { true }
    /// A map of what a value's shape says.
    public static var _shape: PropertyShape { Value._shape.inside(.map) }
    /// An empty unmanaged map.
    public static func _rlmDefaultValue() -> Self { self.init() }

    /// A live view of the row's map; nothing is read before it is used.
    public static func _read(_ place: PropertyPlace) -> Self { self.init(viewOf: place) }

    convenience init(viewOf place: PropertyPlace) { self.init(place) }

    /// Replaces the row's entries by those of `value`; traps outside a write.
    public static func _write(_ value: Map, _ place: PropertyPlace) {
        Map(place).replaceContents(with: value)
    }

    /// A map of this type as it is, nil as an empty map, a dictionary or another map as a new
    /// unmanaged map.
    ///
    /// - Returns: nil if it is none of these, or a value cannot be a `Value`.
    public static func _convert(_ value: Any) -> Self? {
        guard let value = DynamicValue.unwrapped(value) else { return self.init() }
        if let map = value as? Self { return map }
        guard let entries = DynamicValue.entries(value) else { return nil }
        let map = self.init()
        for (key, value) in entries {
            guard let converted = Value._convert(value) else { return nil }
            map.members[Key._key(key)] = .some(converted)
        }
        return map
    }
}

/// A key of coding that is any text.
private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Map: Decodable where Value: Decodable {
    /// An unmanaged map.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        try CodingDepth.check(decoder.codingPath)
        let container = try decoder.container(keyedBy: TextKey.self)
        for key in container.allKeys {
            members[Key._key(key.stringValue)] = .some(
                try container.decode(Value.self, forKey: key)
            )
        }
    }
}

extension Map: Encodable where Value: Encodable {
    /// Encodes the entries as a dictionary.
    ///
    /// Managed objects are encoded as copies of themselves.
    ///
    /// - Throws: `EncodingError` for what is nested too deep, as cycles are.
    public func encode(to encoder: any Encoder) throws {
        try CodingDepth.check(encoder.codingPath, self)
        var container = encoder.container(keyedBy: TextKey.self)
        let entries = entries
        // One pass of copying for all: what several lead to is copied once.
        let objects = entries.map { DynamicValue.unwrapped($0.value) as? ObjectBase }
        var detacher = Detacher()
        let managed = objects.compactMap { $0 }.filter { $0.objectBinding.control != nil }
        var copies = detacher.copies(of: managed, depth: .max).makeIterator()
        for ((key, value), object) in zip(entries, objects) {
            let key = TextKey(stringValue: key._text)
            guard let object else {
                try container.encode(value, forKey: key)
                continue
            }
            let plain = object.objectBinding.control == nil ? object : copies.next()
            if let plain = plain as? any Encodable {
                try container.encode(AnyObjectCoding(plain), forKey: key)
            }
        }
    }
}
