import Foundation

extension RealmState {
    /// Makes a managed object from a dictionary, an array in the order of properties, or another
    /// object; nested ones become objects too.
    ///
    /// With an updating policy and the primary key of a stored object, that object is updated:
    /// properties without a value stay as they are. Otherwise they get their defaults.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for values that do not fit, with the texts of
    ///   RealmSwift, and what `add` throws; nothing was made then.
    func create(
        _ type: ObjectBase.Type,
        value: Any,
        update: Realm.UpdatePolicy
    ) throws(Realm.Error) -> ObjectBase {
        try create(in: requireTable(of: type), value: value, update: update)
    }

    /// As `create`, as an accessor of that table.
    func create(
        in table: BoundTable,
        value: Any,
        update: Realm.UpdatePolicy
    ) throws(Realm.Error) -> ObjectBase {
        checkWriting()
        if table.schema.isEmbedded { fatalError("Embedded objects cannot be created directly") }
        refuseUpdateWithoutKey(table, update)
        return try withContext(update) { (context) throws(Realm.Error) in
            try create(table, value, context)
        }
    }

    /// As `create`, inside a call of `add` or `create`; embedded objects stay unmanaged until their
    /// owner adopts them.
    func create(
        _ table: BoundTable,
        _ value: Any,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectBase {
        var check = ContentsCheck()
        try check.check(value, for: table.schema, in: table)
        let isOutermost = context.added == nil
        if isOutermost { context.added = [] }
        defer { if isOutermost { context.added = nil } }
        do throws(Realm.Error) { return try make(table, value, context) } catch {
            if isOutermost { remove(context.added ?? []) }
            throw error
        }
    }

    /// Deletes what a call of `create` added before it failed.
    private func remove(_ added: [(table: BoundTable, key: ObjectKey)]) {
        for (table, key) in added.reversed() where !table.schema.isEmbedded {
            do throws(StorageError) {
                if try table.reader.locate(key) != nil { try table.reader.erase([key]) }
            } catch { ObjectTrap.storage(error, table.subject(key: key, column: nil)) }
        }
    }

    private func make(
        _ table: BoundTable,
        _ value: Any,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectBase {
        guard let value = DynamicValue.unwrapped(value) else {
            throw Realm.Error(.invalidInput, "Must provide a non-nil value.")
        }
        if let source = value as? ObjectBase {
            if !table.schema.isEmbedded, source.isRow(of: table) {
                return source.objectBinding.control == table.control
                    ? source : table.object(source.objectBinding.key)
            }
            if let copy = context.copies[source] { return copy }
        }
        let contents = try ObjectContents(value, table.schema)
        let stored = try storedObject(contents, table, context)
        let object = stored ?? table.schema.makeObject()
        if let source = value as? ObjectBase, !table.schema.isEmbedded {
            context.copies[source] = object
        }
        for pass in [true, false] {
            for (property, value) in contents.values where property.isPrimaryKey == pass {
                if pass, stored != nil { continue }
                let value = try managed(value, property, table, context)
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
        _ table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> Any {
        guard property.shape.type == .object,
            let column = table.column(named: property.name), let target = table.targets[column],
            let value = DynamicValue.unwrapped(value)
        else { return value }
        if property.shape.collection == .none {
            guard DynamicValue.isObjectContents(value) else { return value }
            return try make(target, value, context)
        }
        if property.shape.collection == .map {
            guard let entries = DynamicValue.entries(value) else { return value }
            var objects: [String: Any] = [:]
            for (key, entry) in entries {
                if DynamicValue.unwrapped(entry) == nil {
                    objects[key] = NSNull()
                } else {
                    objects[key] = try make(target, entry, context)
                }
            }
            return objects
        }
        guard let elements = DynamicValue.elements(value) else { return value }
        var objects: [Any] = []
        for element in elements {
            guard DynamicValue.isObjectContents(element) else { return value }
            objects.append(try make(target, element, context))
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
            if source.isInvalidated {
                throw Realm.Error(
                    .invalidInput,
                    "Object has been deleted or invalidated: it cannot initialize an object of "
                        + "type '\(schema.name)'."
                )
            }
            let sourceSchema = source.classSchema
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

/// Finds out whether contents fit a class, at any depth, before anything is made of them.
struct ContentsCheck {
    /// Contents may be nested this deep.
    static let depthLimit = 400

    /// Objects of other classes that were looked into.
    private var seen: Set<ObjectBase> = []
    private var depth = 0

    /// - Parameter table: The table to add to; nil for an object that stays unmanaged.
    /// - Throws: ``Realm/Error`` `.invalidInput`.
    mutating func check(
        _ value: Any,
        for schema: ClassSchema,
        in table: BoundTable?
    ) throws(Realm.Error) {
        guard let value = DynamicValue.unwrapped(value) else {
            throw Realm.Error(.invalidInput, "Must provide a non-nil value.")
        }
        if let source = value as? ObjectBase {
            // An object of the class fits, and so does what it leads to.
            if source.classSchema === schema, !source.isInvalidated { return }
            guard seen.insert(source).inserted else { return }
        }
        depth += 1
        defer { depth -= 1 }
        if depth > Self.depthLimit {
            throw Realm.Error(
                .invalidInput,
                "The value for an object of type '\(schema.name)' is nested more than "
                    + "\(Self.depthLimit) objects deep."
            )
        }
        for (property, value) in try ObjectContents(value, schema).values {
            try check(value, property, schema, table)
        }
    }

    mutating func check(
        _ value: Any,
        _ property: PropertySchema,
        _ schema: ClassSchema,
        _ table: BoundTable?
    ) throws(Realm.Error) {
        guard property.shape.type == .object, let contents = DynamicValue.unwrapped(value) else {
            if property.field.accepts(value) { return }
            throw ObjectBase.misfit(value, property, schema)
        }
        let column = table?.column(named: property.name)
        let targetTable = column.flatMap { table?.targets[$0] }
        guard
            let target = targetTable?.schema
                ?? property.shape.objectClass.map({ ClassSchema.of($0) })
        else { return }
        switch property.shape.collection {
        case .none:
            guard DynamicValue.isObjectContents(contents) else {
                throw ObjectBase.misfit(value, property, schema)
            }
            try check(contents, for: target, in: targetTable)
        case .list, .set:
            guard let elements = DynamicValue.elements(contents) else {
                throw ObjectBase.misfit(value, property, schema)
            }
            for element in elements {
                guard DynamicValue.unwrapped(element) != nil,
                    DynamicValue.isObjectContents(element)
                else { throw ObjectBase.misfit(element, property, schema) }
                try check(element, for: target, in: targetTable)
            }
        case .map:
            guard let entries = DynamicValue.entries(contents) else {
                throw ObjectBase.misfit(value, property, schema)
            }
            for (_, element) in entries where DynamicValue.unwrapped(element) != nil {
                guard DynamicValue.isObjectContents(element) else {
                    throw ObjectBase.misfit(element, property, schema)
                }
                try check(element, for: target, in: targetTable)
            }
        }
    }
}
