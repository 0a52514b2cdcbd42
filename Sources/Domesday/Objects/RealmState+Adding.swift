/// One call of `add` or `create`: its policy, and the objects under way.
final class AddingContext {
    @exclusivity(unchecked) fileprivate(set) var policy = Realm.UpdatePolicy.error
    /// What was made of the objects that values came from.
    @exclusivity(unchecked) var copies: [ObjectBase: ObjectBase] = [:]
    /// While `create` runs: what was added so far.
    @exclusivity(unchecked) var added: [(table: BoundTable, key: ObjectKey)]?
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
        let table = table(toAdd: object)
        if table.schema.isEmbedded { fatalError("Embedded objects cannot be created directly") }
        refuseUpdateWithoutKey(table, update)
        try withContext(update) { (context) throws(Realm.Error) in
            _ = try insert(object, into: table, context)
        }
    }

    private func table(toAdd object: ObjectBase) -> BoundTable {
        let type = type(of: object)
        return type == DynamicObject.self
            ? requireDynamicTable(named: object.classSchema.name) : requireTable(of: type)
    }

    /// The key of an unmanaged object that a link will lead to; adds it.
    func adopt(_ object: ObjectBase, into table: BoundTable) -> ObjectKey {
        guard type(of: object) == table.schema.type,
            !table.schema.isDynamic || object.classSchema.name == table.schema.name
        else {
            let schema = object.classSchema
            fatalError(
                "Object of type '\(schema.isDynamic ? schema.name : type(of: object).className())' "
                    + "does not match RLMArray type '\(table.schema.name)'."
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
        let context = addingContext
        context.policy = policy
        adding = context
        defer {
            adding = nil
            if !context.copies.isEmpty { context.copies = [:] }
        }
        return try body(context)
    }

    /// - Returns: the key of the object's row.
    private func insert(
        _ object: ObjectBase,
        into table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectKey {
        // An object whose values are still being moved has a key but no block: links in a cycle
        // lead there.
        if object.objectBinding.key != 0 { return object.objectBinding.key }
        if table.schema.isDynamic { return try insert(dynamic: object, into: table, context) }
        let plan = table.plan
        let existing = try existingKey(of: object, in: table, plan, context.policy)
        do throws(StorageError) {
            if let existing {
                object.objectBinding.key = existing
                update(existing, of: table, from: object, context.policy)
            } else {
                try insertRow(for: object, table, plan)
                if context.added != nil {
                    context.added?.append((table, object.objectBinding.key))
                }
            }
            for field in plan.emptied { field.clear(object) }
        } catch {
            // Some values are in the row already: the object is what the row is.
            let key = object.objectBinding.key
            if key != 0 { table.bind(object, to: key) }
            throw Realm.Error(reading: error)
        }
        let key = object.objectBinding.key
        table.bind(object, to: key)
        return key
    }

    /// Moves the values of an object into a new row and notes its key in the object.
    private func insertRow(
        for object: ObjectBase,
        _ table: BoundTable,
        _ plan: AddingPlan
    ) throws(StorageError) {
        let row = try table.reader.insertRow()
        object.objectBinding.key = row.key
        let moved = plan.moved
        for index in 0..<moved.count {
            let slot = object.slot(at: moved[index].offset)
            try moved[index].mover.move(slot, row, moved[index].column)
        }
        try row.enterIndexes()
        for field in plan.others { move(field, of: object, table) }
        var hasMoved = false
        for field in plan.links { try moveLink(field, of: object, table, row, &hasMoved) }
        for field in plan.collections { move(field, of: object, table, clears: false) }
    }

    /// Moves a to-one link of a new object; `moved` tells whether the row may have moved since `row`
    /// was made.
    ///
    /// - Throws: what writing the row throws.
    private func moveLink(
        _ field: AddingPlan.Field,
        of object: ObjectBase,
        _ table: BoundTable,
        _ row: RowWriter,
        _ moved: inout Bool
    ) throws(StorageError) {
        guard let control = table.targetControls[field.column] else {
            moved = true
            return move(field, of: object, table)
        }
        // SAFETY: the wrapper of a link to class C is a `C??`: one pointer, in which nil stands for
        // itself in the same way for every class.
        let slot = object.slot(at: field.offset).assumingMemoryBound(to: ObjectBase??.self)
        let value = slot.move()
        slot.initialize(to: .none)
        guard case .some(.some(let linked)) = value else { return }
        if linked.objectBinding.control == control, control.isCurrent(linked.objectBinding), !moved
        {
            return try row.setInt(linked.objectBinding.key, field.column)
        }
        if linked.objectBinding.control == nil { moved = true }
        let place = PropertyPlace(
            ObjectBinding(table.control, key: row.key),
            table.control,
            column: field.column
        )
        let key = place.key(ofLinked: linked)
        let writer = moved ? try table.reader.writer(of: row.key) : row
        try writer.setInt(key, field.column)
    }

    /// Moves one value through its wrapper; the row is found afresh.
    private func move(
        _ field: AddingPlan.Field,
        of object: ObjectBase,
        _ table: BoundTable,
        onlyChanges: Bool = false,
        clears: Bool = true
    ) {
        var binding = ObjectBinding(table.control, key: object.objectBinding.key)
        _ = binding.becomeCurrent(table.control) { field.column }
        let slot = object.slot(at: field.offset)
        field.type.store(
            slot,
            PropertyPlace(binding, table.control, column: field.column),
            onlyChanges: onlyChanges
        )
        if clears { field.type.clear(slot) }
    }

    /// Moves the values of an object over those of a row, its primary key aside.
    private func update(
        _ key: ObjectKey,
        of table: BoundTable,
        from object: ObjectBase,
        _ policy: Realm.UpdatePolicy
    ) {
        for (property, column) in zip(table.schema.properties, table.columns) {
            guard let column else { continue }
            if property.isPrimaryKey {
                property.field.clear(object.slot(at: property.offset))
                continue
            }
            move(
                .init(offset: property.offset, column: column, type: property.field),
                of: object,
                table,
                onlyChanges: policy == .modified,
                clears: property.shape.collection == .none
            )
        }
    }

    private func existingKey(
        of object: ObjectBase,
        in table: BoundTable,
        _ plan: AddingPlan,
        _ policy: Realm.UpdatePolicy
    ) throws(Realm.Error) -> ObjectKey? {
        guard let primaryKey = plan.primaryKey else { return nil }
        let existing: ObjectKey?
        if let finder = primaryKey.finder {
            do throws(StorageError) {
                let slot = object.slot(at: primaryKey.offset)
                existing = try finder.find(slot, table.reader, primaryKey.column)?.key
            } catch { throw Realm.Error(reading: error) }
        } else {
            existing = try existingKey(dynamically: primaryKey, of: object, in: table)
        }
        if existing != nil, policy == .error { throw keyExists(primaryKey, object, table) }
        return existing
    }

    @inline(never)
    private func existingKey(
        dynamically field: AddingPlan.PrimaryKey,
        of object: ObjectBase,
        in table: BoundTable
    ) throws(Realm.Error) -> ObjectKey? {
        try find(primary: field.type.value(of: object, at: field.offset), in: table)?.key
    }

    @inline(never)
    func keyExists(
        _ field: AddingPlan.PrimaryKey,
        _ object: ObjectBase,
        _ table: BoundTable
    ) -> Realm.Error {
        let value = field.type.value(of: object, at: field.offset)
        return Realm.Error(
            .fail,
            "Attempting to create an object of type '\(table.schema.name)' with an existing "
                + "primary key value '\(DynamicValue.text(value))'."
        )
    }

    /// The object with that primary key; nil also for a value of another type.
    func find(primary value: Any?, in table: BoundTable) throws(Realm.Error) -> FoundRow? {
        guard let column = table.plan.primaryKey?.column,
            let value = PrimaryKeyValue(dynamic: value)
        else { return nil }
        return try converting { () throws(StorageError) in
            try table.reader.find(primary: value, in: column)
        }
    }

    func converting<R>(_ body: () throws(StorageError) -> R) throws(Realm.Error) -> R {
        do throws(StorageError) { return try body() } catch { throw Realm.Error(reading: error) }
    }
}

extension Realm.Error {
    /// What adding and looking up make of a store that fails.
    init(reading error: StorageError) {
        self.init(.fail, "Realm at path '\(error.path)': \(error.detail)")
    }
}
