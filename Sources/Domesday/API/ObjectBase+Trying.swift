extension ObjectBase {
    /// A property by name, for values that may not be what the class expects.
    ///
    /// Reading the property itself traps on such a value. Elements of lists are tried too.
    ///
    /// - Returns: The value; nil for nil.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a stored raw value that is no case of its enum,
    ///   or that a ``FailableCustomPersistable`` cannot be, with class, property and value; and for
    ///   a name that the class does not have.
    public func tryValue(forKey key: String) throws -> Any? {
        let schema = ClassSchema.of(type(of: self))
        guard let property = schema.property(named: key) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid property name '\(key)' for class '\(schema.name)'."
            )
        }
        return try property.field.tryValue(of: self, at: property.offset)
    }
}

extension List: TriedCollection {
    func tryElements() throws {
        guard binding.control != nil else { return }
        for index in 0..<count { _ = try Element._tryDecode(storedBytes(index)) }
    }
}

extension PropertyPlace {
    /// What `trapUnknownCase` says, as an error.
    func unknownCase(_ raw: Any, _ type: Any.Type) -> Realm.Error {
        Realm.Error(.invalidInput, unknownCaseText(raw, type))
    }
}
