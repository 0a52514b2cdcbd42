/// Finds the declared default of a property that is known by a coding key only.
///
/// A synthesized `init(from:)` decodes one property after the other, before there is an object. What
/// it hands over is the key, whose type stands inside the class.
///
/// **Threads.** Any.
enum DeclaredDefault {
    /// A freshly evaluated default, or an empty collection; nil if the key's type stands in no class
    /// of models, or the class declares no default for the property.
    static func value<Value: _Persistable, Key: CodingKey>(
        _ type: Value.Type,
        for key: Key
    ) -> Value? {
        guard let schema = schema(owning: Key.self),
            let property = schema.property(named: caseName(key) ?? key.stringValue)
                ?? schema.property(named: key.stringValue),
            property.hasDeclaredDefault || property.shape.collection != .none,
            property.field == Persisted<Value>.self
        else { return nil }
        let donor = schema.type.init()
        // SAFETY: the field was compared: a `Persisted<Value>` lies there.
        return donor.slot(at: property.offset).assumingMemoryBound(to: Persisted<Value>.self)
            .pointee.value
    }

    private static let owners = Lock<[ObjectIdentifier: ClassSchema?]>([:])

    private static func schema(owning key: Any.Type) -> ClassSchema? {
        let id = ObjectIdentifier(key)
        if let known = owners.withLock({ $0[id] }) { return known }
        let name = owner(of: String(reflecting: key))
        let owner = TypeDiscovery.subclasses(of: ObjectBase.self)
            .first { String(reflecting: $0) == name }
            .flatMap { $0 as? ObjectBase.Type }
            .map { ClassSchema.of($0) }
        owners.withLock { $0[id] = .some(owner) }
        return owner
    }

    /// "Module.Person" for "Module.Person.CodingKeys"; private types stand in unnamed contexts.
    private static func owner(of name: String) -> String {
        var parts = name[...]
        func dropLast() -> Substring {
            guard let dot = parts.lastIndex(of: ".") else { return "" }
            defer { parts = parts[..<dot] }
            return parts[parts.index(after: dot)...]
        }
        _ = dropLast()
        while let dot = parts.lastIndex(of: "."),
            parts[parts.index(after: dot)...].hasPrefix("(unknown context")
        {
            _ = dropLast()
        }
        return String(parts)
    }

    /// The name of an enum's case: a key may stand for another text.
    private static func caseName<Key>(_ key: Key) -> String? {
        enumCaseName(key).map { String(cString: $0) }
    }
}

// As the standard library declares it for Mirror; NULL for what is no enum.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<T>(_ value: T) -> UnsafePointer<CChar>?
