import Foundation

extension RealmState {
    /// Makes a managed object from a dictionary, an array in the order of properties, or another
    /// object; nested ones become objects too.
    ///
    /// With an updating policy and the primary key of a stored object, that object is updated:
    /// properties without a value stay as they are. Otherwise they get their defaults.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for values that do not fit, with the texts of
    ///   RealmSwift, and what `add` throws.
    func create(
        _ type: ObjectBase.Type,
        value: Any,
        update: Realm.UpdatePolicy
    ) throws(Realm.Error) -> ObjectBase {
        checkWriting()
        let table = requireTable(of: type)
        if table.schema.isEmbedded { fatalError("Embedded objects cannot be created directly") }
        refuseUpdateWithoutKey(table, update)
        return try withContext(update) { (context) throws(Realm.Error) in
            try create(table, value, context)
        }
    }

    private func create(
        _ table: BoundTable,
        _ value: Any,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectBase {
        guard let value = DynamicValue.unwrapped(value) else {
            throw Realm.Error(.invalidInput, "Must provide a non-nil value.")
        }
        if let source = value as? ObjectBase {
            if source.objectBinding.control == table.control { return source }
            if let copy = context.copies[ObjectIdentifier(source)] { return copy }
        }
        let contents = try ObjectContents(value, table.schema)
        let stored = try storedObject(contents, table, context)
        let object = stored ?? table.schema.type.init()
        if let source = value as? ObjectBase {
            context.copies[ObjectIdentifier(source)] = object
        }
        for pass in [true, false] {
            for (property, value) in contents.values where property.isPrimaryKey == pass {
                if pass, stored != nil { continue }
                let value = try managed(value, property, context)
                try object.set(value, property, table.schema)
            }
        }
        if object.objectBinding.control == nil, !table.schema.isEmbedded {
            try add(object, update: table.schema.primaryKey == nil ? .error : context.policy)
        }
        return object
    }

    private func storedObject(
        _ contents: ObjectContents,
        _ table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectBase? {
        guard context.policy != .error, table.schema.primaryKey != nil else { return nil }
        guard let value = contents.values.first(where: { $0.0.isPrimaryKey })?.1 else { return nil }
        return try find(primary: value, in: table).map { table.object($0) }
    }

    /// Replaces the contents of linked objects by managed objects.
    private func managed(
        _ value: Any,
        _ property: PropertySchema,
        _ context: AddingContext
    ) throws(Realm.Error) -> Any {
        guard property.shape.type == .object, let name = property.targetName,
            let target = table(named: name), let value = DynamicValue.unwrapped(value)
        else { return value }
        if property.shape.collection == .none {
            guard DynamicValue.isObjectContents(value) else { return value }
            return try create(target, value, context)
        }
        if property.shape.collection == .map {
            guard let entries = DynamicValue.entries(value) else { return value }
            var objects: [String: Any] = [:]
            for (key, entry) in entries {
                let object = DynamicValue.unwrapped(entry)
                if let object, DynamicValue.isObjectContents(object) {
                    objects[key] = try create(target, object, context)
                } else if object == nil {
                    objects[key] = NSNull()
                } else {
                    return value
                }
            }
            return objects
        }
        guard let elements = DynamicValue.elements(value) else { return value }
        var objects: [Any] = []
        for element in elements {
            guard DynamicValue.isObjectContents(element) else { return value }
            objects.append(try create(target, element, context))
        }
        return objects
    }
}

/// The values to give to an object: from a dictionary, an array or another object.
struct ObjectContents {
    private(set) var values: [(PropertySchema, Any)] = []

    /// - Throws: ``Realm/Error`` `.invalidInput`.
    init(_ value: Any, _ schema: ClassSchema) throws(Realm.Error) {
        let properties = schema.properties.filter(\.isStored)
        if let dictionary = value as? [String: Any] {
            for property in properties {
                if let value = dictionary[property.name] { values.append((property, value)) }
            }
        } else if let source = value as? ObjectBase {
            let sourceSchema = ClassSchema.of(type(of: source))
            for property in properties {
                guard let other = sourceSchema.property(named: property.name) else {
                    throw Realm.Error(
                        .invalidInput,
                        "Invalid value '\(DynamicValue.text(value))' to initialize object of type "
                            + "'\(schema.name)': missing key '\(property.name)'"
                    )
                }
                let value = other.field.value(of: source, at: other.offset)
                values.append((property, value as Any))
            }
        } else if let array = value as? [Any] {
            guard array.count <= properties.count else {
                throw Realm.Error(
                    .invalidInput,
                    "Invalid array input: more values (\(array.count)) than properties "
                        + "(\(properties.count))."
                )
            }
            values = Array(zip(properties, array))
        } else {
            throw Realm.Error(
                .invalidInput,
                "Invalid value '\(DynamicValue.text(value))' to initialize object of type "
                    + "'\(schema.name)'."
            )
        }
    }
}

extension ObjectBase {
    /// Gives an unmanaged object the values of a dictionary, an array or another object.
    func setValues(from value: Any) {
        do throws(Realm.Error) {
            guard let value = DynamicValue.unwrapped(value) else {
                throw Realm.Error(.invalidInput, "Must provide a non-nil value.")
            }
            let schema = ClassSchema.of(type(of: self))
            for (property, value) in try ObjectContents(value, schema).values {
                try set(value, property, schema)
            }
        } catch { fatalError(error.message) }
    }

    func set(
        _ value: Any,
        _ property: PropertySchema,
        _ schema: ClassSchema
    ) throws(Realm.Error) {
        if property.field.setValue(value, of: self, at: property.offset) { return }
        if property.shape.collection == .map, let key = DynamicValue.foreignKey(value) {
            throw Realm.Error(
                .invalidInput,
                "Invalid key '\(key)' of type '\(Swift.type(of: key))' for expected type 'string'. "
                    + "Property '\(schema.name).\(property.name)'."
            )
        }
        let type = DynamicValue.unwrapped(value).map { "\(Swift.type(of: $0))" } ?? "(null)"
        throw Realm.Error(
            .invalidInput,
            "Invalid value '\(DynamicValue.text(value))' of type '\(type)' for "
                + "'\(property.shape.text)' property '\(schema.name).\(property.name)'."
        )
    }

    func dynamicValue(named name: String) -> Any? {
        let property = requireProperty(name)
        return property.field.value(of: self, at: property.offset)
    }

    func setDynamicValue(_ value: Any?, named name: String) {
        let property = requireProperty(name)
        do throws(Realm.Error) {
            try set(value as Any, property, ClassSchema.of(type(of: self)))
        } catch { fatalError(error.message) }
    }

    private func requireProperty(_ name: String) -> PropertySchema {
        let schema = ClassSchema.of(type(of: self))
        guard let property = schema.property(named: name) else {
            fatalError("Invalid property name '\(name)' for class '\(schema.name)'.")
        }
        return property
    }
}
