// Properties by name: what `subscript(key:)`, `value(forKey:)` and `init(value:)` stand on.
extension ObjectBase {
    /// Gives an unmanaged object the values of a dictionary, an array or another object.
    func setValues(from value: Any) {
        do throws(Realm.Error) {
            var check = ContentsCheck()
            let schema = classSchema
            try check.check(value, for: schema, in: nil)
            var copies: [ObjectBase: ObjectBase] = [:]
            try fill(from: value, &copies)
        } catch { fatalError(error.message) }
    }

    private func fill(
        from value: Any,
        _ copies: inout [ObjectBase: ObjectBase]
    ) throws(Realm.Error) {
        guard let value = DynamicValue.unwrapped(value) else { return }
        let schema = classSchema
        if let source = value as? ObjectBase { copies[source] = self }
        for (property, value) in try ObjectContents(value, schema).values {
            try set(try linked(value, property, &copies), property, schema)
        }
    }

    /// The value with objects of the linked class in place of objects of other classes.
    private func linked(
        _ value: Any,
        _ property: PropertySchema,
        _ copies: inout [ObjectBase: ObjectBase]
    ) throws(Realm.Error) -> Any {
        guard property.shape.type == .object, let type = property.shape.objectClass else {
            return value
        }
        guard property.shape.collection != .none else {
            return try own(value, property, type, &copies)
        }
        if property.shape.collection == .map {
            guard let entries = DynamicValue.unwrapped(value).flatMap({ DynamicValue.entries($0) })
            else { return value }
            var objects: [String: Any] = [:]
            for (key, entry) in entries { objects[key] = try own(entry, property, type, &copies) }
            return objects
        }
        guard let elements = DynamicValue.unwrapped(value).flatMap({ DynamicValue.elements($0) })
        else { return value }
        var objects: [Any] = []
        for element in elements { objects.append(try own(element, property, type, &copies)) }
        return objects
    }

    private func own(
        _ value: Any,
        _ property: PropertySchema,
        _ type: ObjectBase.Type,
        _ copies: inout [ObjectBase: ObjectBase]
    ) throws(Realm.Error) -> Any {
        guard let source = DynamicValue.unwrapped(value) as? ObjectBase else { return value }
        let sample: Any =
            switch property.shape.collection {
            case .none: source
            case .list, .set: [source]
            case .map: ["": source]
            }
        if property.field.accepts(sample) { return value }
        if let copy = copies[source] { return copy }
        let copy = type.init()
        try copy.fill(from: source, &copies)
        return copy
    }

    func set(
        _ value: Any,
        _ property: PropertySchema,
        _ schema: ClassSchema
    ) throws(Realm.Error) {
        if property.field.setValue(value, of: self, at: property.offset) { return }
        throw Self.misfit(value, property, schema)
    }

    /// "Invalid value 'v' of type 'T' for 'U' property 'C.p'."
    static func misfit(
        _ value: Any,
        _ property: PropertySchema,
        _ schema: ClassSchema
    ) -> Realm.Error {
        if property.shape.collection == .map, let key = DynamicValue.foreignKey(value) {
            return Realm.Error(
                .invalidInput,
                "Invalid key '\(key)' of type '\(Swift.type(of: key))' for expected type 'string'. "
                    + "Property '\(schema.name).\(property.name)'."
            )
        }
        let type = DynamicValue.unwrapped(value).map { "\(Swift.type(of: $0))" } ?? "(null)"
        return Realm.Error(
            .invalidInput,
            "Invalid value '\(DynamicValue.text(value))' of type '\(type)' for "
                + "'\(property.shape.text)' property '\(schema.name).\(property.name)'."
        )
    }

    func dynamicValue(named name: String) -> Any? {
        do throws(Realm.Error) {
            let property = try property(named: name)
            return property.field.value(of: self, at: property.offset)
        } catch { fatalError(error.message) }
    }

    func setDynamicValue(_ value: Any?, named name: String) {
        do throws(Realm.Error) {
            try set(value as Any, try property(named: name), classSchema)
        } catch { fatalError(error.message) }
    }

    /// As `dynamicValue`, throwing also for an object that is gone.
    func checkedValue(named name: String) throws(Realm.Error) -> Any? {
        let property = try property(named: name)
        try requireExistence(property)
        return property.field.value(of: self, at: property.offset)
    }

    /// As `checkedValue`, once all that the object holds has been read and verified; throwing also
    /// for a stored value that the property's type cannot be.
    func loadedValue(named name: String) throws -> Any? {
        let property = try property(named: name)
        do throws(StorageError) { _ = try load() } catch {
            throw Realm.Error(storage: error)
        }
        try requireExistence(property)
        return try property.field.tryValue(of: self, at: property.offset)
    }

    /// As `setDynamicValue`, throwing for everything but a wrong thread and a failing store.
    func setCheckedValue(_ value: Any?, named name: String) throws(Realm.Error) {
        let property = try property(named: name)
        try requireExistence(property)
        let schema = classSchema
        if property.shape.type == .linkingObjects {
            throw Realm.Error(
                .invalidInput,
                "Linking objects properties are read-only. Property '\(schema.name).\(name)'."
            )
        }
        let table = objectBinding.control.map { $0.table }
        if let table {
            let subject = table.subject(
                key: objectBinding.key,
                column: table.column(named: property.name)
            )
            if !table.realm.reader.isWriting {
                throw Realm.Error(
                    .fail,
                    "Attempting to modify object outside of a write transaction - call "
                        + "beginWriteTransaction on an RLMRealm instance first. \(subject)."
                )
            }
            if property.isPrimaryKey {
                throw Realm.Error(
                    .invalidInput,
                    "Primary key can't be changed after an object is inserted. \(subject)."
                )
            }
        }
        var check = ContentsCheck()
        try check.check(value as Any, property, schema, table)
        try set(value as Any, property, schema)
    }

    func requireExistence(_ property: PropertySchema) throws(Realm.Error) {
        guard isInvalidated, let table = objectBinding.control?.table else { return }
        let subject = table.subject(
            key: objectBinding.key,
            column: table.column(named: property.name)
        )
        throw Realm.Error(.fail, "Object has been deleted or invalidated. \(subject).")
    }

    func property(named name: String) throws(Realm.Error) -> PropertySchema {
        let schema = classSchema
        guard let property = schema.property(named: name) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid property name '\(name)' for class '\(schema.name)'."
            )
        }
        return property
    }
}
