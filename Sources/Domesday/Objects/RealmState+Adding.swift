/// One call of `add` or `create`: its policy, and the objects under way.
final class AddingContext {
    let policy: Realm.UpdatePolicy
    /// Rows of the objects whose values are still being moved: links in a cycle lead there.
    var keys: [ObjectIdentifier: ObjectKey] = [:]
    /// What was made of the objects that values came from.
    var copies: [ObjectIdentifier: ObjectBase] = [:]

    init(_ policy: Realm.UpdatePolicy) { self.policy = policy }
}

extension RealmState {
    /// Makes an unmanaged object, and all unmanaged ones it reaches, managed: in place, their
    /// values move into rows. An object managed here already is left alone.
    ///
    /// - Throws: ``Realm/Error`` `.fail` for a primary key that exists under `.error`, and for a
    ///   store that fails; the transaction should then be cancelled.
    func add(_ object: ObjectBase, update: Realm.UpdatePolicy) throws(Realm.Error) {
        checkWriting()
        if let control = object.objectBinding.control {
            if object.isInvalidated {
                fatalError("Adding a deleted or invalidated object to a Realm is not permitted")
            }
            if control.realm === self { return }
            fatalError(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm."
            )
        }
        let table = requireTable(of: type(of: object))
        if table.schema.isEmbedded { fatalError("Embedded objects cannot be created directly") }
        refuseUpdateWithoutKey(table, update)
        try withContext(update) { (context) throws(Realm.Error) in
            _ = try insert(object, into: table, context)
        }
    }

    /// The key of an unmanaged object that a link will lead to; adds it.
    func adopt(_ object: ObjectBase, into table: BoundTable) -> ObjectKey {
        guard type(of: object) == table.schema.type else {
            fatalError(
                "Object of type '\(type(of: object).className())' does not match RLMArray type "
                    + "'\(table.schema.name)'."
            )
        }
        do throws(Realm.Error) {
            return try withContext(.error) { (context) throws(Realm.Error) in
                try insert(object, into: table, context)
            }
        } catch { fatalError(error.message) }
    }

    func refuseUpdateWithoutKey(_ table: BoundTable, _ update: Realm.UpdatePolicy) {
        if update != .error, table.schema.primaryKey == nil {
            fatalError("'\(table.schema.name)' does not have a primary key and can not be updated")
        }
    }

    /// Runs `body` in the context that is open, or else in a new one.
    func withContext<R>(
        _ policy: Realm.UpdatePolicy,
        _ body: (AddingContext) throws(Realm.Error) -> R
    ) throws(Realm.Error) -> R {
        if let adding { return try body(adding) }
        let context = AddingContext(policy)
        adding = context
        defer { adding = nil }
        return try body(context)
    }

    private func insert(
        _ object: ObjectBase,
        into table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectKey {
        if let key = context.keys[ObjectIdentifier(object)] { return key }
        let existing = try existingKey(of: object, in: table, context.policy)
        let key: ObjectKey
        if let existing {
            key = existing
        } else {
            key = try converting { () throws(StorageError) in try table.reader.insertUnindexed() }
        }
        context.keys[ObjectIdentifier(object)] = key
        let binding = ObjectBinding(table.control, key: key)
        // The key first, so that a link back finds a whole row.
        for pass in [true, false] {
            for (index, property) in table.schema.properties.enumerated()
            where property.isPrimaryKey == pass {
                guard let column = table.columns[index] else { continue }
                if pass, existing != nil { continue }
                var current = binding
                if existing != nil {
                    _ = current.becomeCurrent(table.control) { column }
                }
                property.field.store(
                    object.slot(at: property.offset),
                    PropertyPlace(current, table.control, column: column),
                    onlyChanges: existing != nil && context.policy == .modified
                )
            }
            if pass, existing == nil {
                try converting { () throws(StorageError) in
                    try table.reader.enterIndexes(of: key)
                }
            }
        }
        for property in table.schema.properties where property.shape.collection == .none {
            property.field.clear(object.slot(at: property.offset))
        }
        table.bind(object, to: key)
        context.keys[ObjectIdentifier(object)] = nil
        return key
    }

    private func existingKey(
        of object: ObjectBase,
        in table: BoundTable,
        _ policy: Realm.UpdatePolicy
    ) throws(Realm.Error) -> ObjectKey? {
        guard let primaryKey = table.schema.primaryKey else { return nil }
        let value = primaryKey.field.value(of: object, at: primaryKey.offset)
        let existing = try key(ofPrimary: value, in: table)
        if existing != nil, policy == .error {
            throw Realm.Error(
                .fail,
                "Attempting to create an object of type '\(table.schema.name)' with an existing "
                    + "primary key value '\(DynamicValue.text(value))'."
            )
        }
        return existing
    }

    /// The object with that primary key; nil also for a value of another type.
    func key(ofPrimary value: Any?, in table: BoundTable) throws(Realm.Error) -> ObjectKey? {
        guard let value = PrimaryKeyValue(dynamic: value) else { return nil }
        return try converting { () throws(StorageError) in
            try table.reader.key(ofPrimary: value)
        }
    }

    func converting<R>(_ body: () throws(StorageError) -> R) throws(Realm.Error) -> R {
        do throws(StorageError) { return try body() } catch {
            throw Realm.Error(.fail, "Realm at path '\(error.path)': \(error.detail)")
        }
    }
}
