// Properties by name. On Apple's systems these members come from NSObject.
extension ObjectBase {
    /// As `subscript(key:)`, for names that come from outside and stores that may be damaged.
    ///
    /// All that the object holds is read and verified, as by `tryForEach`; a link is returned as an
    /// object that is not, and a collection as a live view, whose elements are tried too.
    ///
    /// - Returns: The value; nil for nil.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a name that the class does not have, for a stored
    ///   raw value that is no case of its enum, and for one that a ``FailableCustomPersistable``
    ///   cannot be, with class, property and value; `.fail` for an object that is gone;
    ///   `.invalidDatabase` for damage, with the file's name.
    public func tryValue(forKey key: String) throws -> Any? {
        try loadedValue(named: key)
    }

    /// Sets a property by name, for names and values that come from outside.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` with class, property, value and type of what does
    ///   not fit, or for a primary key; `.fail` outside a write and for an object that is gone.
    ///   Nothing is changed then, and a write goes on.
    public func trySetValue(_ value: Any?, forKey key: String) throws {
        try setCheckedValue(value, named: key)
    }

    /// The value at a dotted path: through links, for each element of collections, and by collection
    /// operators.
    ///
    /// ```swift
    /// person.value(forKeyPath: "dogs.@avg.age")
    /// ```
    ///
    /// The operators are `@count`, `@min`, `@max`, `@sum`, `@avg`, `@unionOfObjects`,
    /// `@distinctUnionOfObjects`, `@unionOfArrays` and `@distinctUnionOfArrays`.
    ///
    /// - Precondition: all names exist: "Invalid property name 'p' for class 'C'."
    /// - Returns: nil where a link is nil, and for the least, greatest and average of nothing.
    /// - Complexity: O(elements walked through).
    public func value(forKeyPath keyPath: String) -> Any? {
        QueryTrap.trapping { () throws(Realm.Error) in try ValuePath.value(keyPath, of: self) }
    }

    /// As `value(forKeyPath:)`, for paths that come from outside.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for names and operators that do not fit.
    public func tryValue(forKeyPath keyPath: String) throws -> Any? {
        try ValuePath.value(keyPath, of: self)
    }

    /// Sets the property at a dotted path; nothing if a link on the way is nil.
    ///
    /// - Precondition: as `subscript(key:)`.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        var names = keyPath.split(separator: ".").map(String.init)
        guard let last = names.popLast() else {
            fatalError("Invalid keypath '\(keyPath)': a name is missing.")
        }
        let owner = names.isEmpty ? self : self.value(forKeyPath: names.joined(separator: "."))
        guard let owner else { return }
        guard let object = owner as? ObjectBase else {
            fatalError(
                "Invalid keypath '\(keyPath)': a value of type '\(type(of: owner))' has no "
                    + "property '\(last)'."
            )
        }
        object.setValue(value, forKey: last)
    }

    /// Sets several properties by name; `NSNull` is nil.
    ///
    /// - Precondition: as `subscript(key:)`, for each.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value, forKey: key) }
    }

    /// Several properties by name; `NSNull` stands for nil.
    ///
    /// - Precondition: the class has all of them.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(
            keys.map { ($0, value(forKey: $0) ?? NSNull()) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// A list property of objects by name, with dynamic objects as elements.
    ///
    /// - Precondition: the class has a list of objects of that name, and the object is managed or
    ///   dynamic itself.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        dynamicCollection(propertyName, .list, "list") { List($0) }
    }

    /// A set property of objects by name, with dynamic objects as elements.
    ///
    /// - Precondition: as `dynamicList`.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        dynamicCollection(propertyName, .set, "set") { MutableSet($0) }
    }

    /// A map property of objects by name, with dynamic objects as values.
    ///
    /// - Precondition: as `dynamicList`.
    public func dynamicMap(_ propertyName: String) -> Map<String, DynamicObject?> {
        dynamicCollection(propertyName, .map, "map") { Map($0) }
    }

    private func dynamicCollection<Base: OwnedCollection>(
        _ propertyName: String,
        _ collection: PropertyShape.Collection,
        _ word: String,
        _ view: (PropertyPlace) -> Base
    ) -> Base {
        let schema = classSchema
        guard let property = schema.property(named: propertyName) else {
            fatalError("Invalid property name '\(propertyName)' for class '\(schema.name)'.")
        }
        guard property.shape.type == .object, property.shape.collection == collection else {
            fatalError("Property '\(schema.name).\(propertyName)' is no \(word) of objects.")
        }
        if let base = property.field.value(of: self, at: property.offset) as? Base { return base }
        guard let control = objectBinding.control else {
            fatalError(
                "Property '\(schema.name).\(propertyName)': an object that is not managed holds no "
                    + "dynamic objects."
            )
        }
        let table = control.table
        guard let face = table.realm.dynamicTable(named: schema.name),
            let column = table.column(named: propertyName)
        else { fatalError("Property '\(schema.name).\(propertyName)' is not stored.") }
        return view(
            PropertyPlace(
                ObjectBinding(face.control, key: objectBinding.key),
                face.control,
                column: column
            )
        )
    }
}

extension RealmCollection {
    /// A property of each element, by name; `"self"` gives the elements, `"@count"` their number.
    ///
    /// - Precondition: the elements' class has the property.
    /// - Returns: An array, in which nil stands as nil.
    public func value(forKey key: String) -> Any? {
        QueryTrap.trapping { () throws(Realm.Error) in try ValuePath.value(key, of: self) }
    }

    /// The value at a dotted path for each element, or by a collection operator for all.
    ///
    /// ```swift
    /// dogs.value(forKeyPath: "@distinctUnionOfObjects.owner.name")
    /// ```
    ///
    /// - Precondition: as `ObjectBase.value(forKeyPath:)`.
    public func value(forKeyPath keyPath: String) -> Any? {
        QueryTrap.trapping { () throws(Realm.Error) in try ValuePath.value(keyPath, of: self) }
    }

    /// As `value(forKeyPath:)`, for paths that come from outside.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for names and operators that do not fit.
    public func tryValue(forKeyPath keyPath: String) throws -> Any? {
        try ValuePath.value(keyPath, of: self)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// As `setValue(_:forKey:)`, for names and values that come from outside.
    ///
    /// - Throws: ``Realm/Error`` for what does not fit; objects before it have the value by then.
    public func trySetValue(_ value: Any?, forKey key: String) throws {
        for object in self { try object.trySetValue(value, forKey: key) }
    }
}
