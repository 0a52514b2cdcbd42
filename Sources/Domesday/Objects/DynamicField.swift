import Foundation

/// What the object layer does with a property of a dynamic object: no wrapper holds its value.
///
/// A property's `offset` is its position, in the schema and among the object's values.
protocol DynamicFieldType: PersistedField {
    /// The value of a property that was given none.
    static func defaultValue() -> Any

    /// A dynamic value as the property's type; nil if it cannot be one.
    static func converted(_ value: Any) -> Any?

    /// Writes a value of the property's type to a row; a collection becomes the row's view.
    static func write(_ value: Any, _ place: PropertyPlace)
}

/// A property of a dynamic object, by the Swift type its values have.
enum DynamicField<Value: _Persistable>: DynamicFieldType {
    static var shape: PropertyShape { Value._shape }
    static var valueType: Any.Type { Value.self }
    static var byteCount: Int { 0 }

    static func defaultValue() -> Any { Value._rlmDefaultValue() }

    static func converted(_ value: Any) -> Any? {
        if let value = Value._convert(value) { return value }
        // A case of an enum stands for its raw value here.
        guard let value = value as? any RawRepresentable else { return nil }
        return Value._convert(value.rawValue)
    }

    static func accepts(_ value: Any) -> Bool { converted(value) != nil }

    static func value(of object: ObjectBase, at offset: Int) -> Any? {
        guard let control = object.objectBinding.control else {
            return DynamicValue.unwrapped(object.unmanagedValues[offset])
        }
        let column = control.column(at: offset)
        if Value._isView {
            return Value._read(PropertyPlace(object.objectBinding, control, column: column))
        }
        guard object.becomeCurrent(control, offset) else { return nil }
        return DynamicValue.unwrapped(
            Value._read(PropertyPlace(object.objectBinding, control, column: column))
        )
    }

    static func setValue(_ value: Any, of object: ObjectBase, at offset: Int) -> Bool {
        guard let control = object.objectBinding.control else {
            guard let value = converted(value) else { return false }
            if let old = object.unmanagedValues[offset] as? any OwnedCollection,
                let new = value as? any OwnedCollection
            {
                old.assign(new)
            } else {
                object.unmanagedValues[offset] = value
            }
            return true
        }
        guard object.becomeCurrent(control, offset) else { return true }
        object.requireWritable(control, offset)
        let column = control.column(at: offset)
        if control.guards(at: offset).contains(.isFixed) {
            PropertyPlace(object.objectBinding, control, column: column).refuseChange()
        }
        let target = shape.type == .object ? control.table.targets[column] : nil
        guard let linked = linked(value, target), let value = converted(linked) else {
            return false
        }
        // Adding what is linked to may have moved the row.
        guard object.becomeCurrent(control, offset) else { return true }
        write(value, PropertyPlace(object.objectBinding, control, column: column))
        return true
    }

    /// The value with dynamic objects in place of other accessors and of the contents of objects.
    private static func linked(_ value: Any, _ target: BoundTable?) -> Any? {
        guard let target, let value = DynamicValue.unwrapped(value) else { return value }
        if shape.collection == .none { return DynamicLink.object(value, in: target) }
        if shape.collection == .map {
            guard let entries = DynamicValue.entries(value) else { return nil }
            var objects: [String: Any] = [:]
            for (key, entry) in entries {
                guard let contents = DynamicValue.unwrapped(entry) else {
                    objects[key] = NSNull()
                    continue
                }
                guard let object = DynamicLink.object(contents, in: target) else { return nil }
                objects[key] = object
            }
            return objects
        }
        guard let elements = DynamicValue.elements(value) else { return nil }
        var objects: [Any] = []
        for element in elements {
            guard let object = DynamicLink.object(element, in: target) else { return nil }
            objects.append(object)
        }
        return objects
    }

    static func write(_ value: Any, _ place: PropertyPlace) {
        if let collection = value as? any OwnedCollection {
            collection.becomeManaged(place)
        } else if let value = value as? Value {
            Value._write(value, place)
        }
    }

    // Wrappers are for classes with Swift code: dynamic objects have none to clear or to move.
    static func clear(_ slot: UnsafeMutableRawPointer) {}
    static func makeEmpty() -> UnsafeRawPointer { UnsafeRawPointer(ObjectControl.constructing) }
    static func move(from: UnsafeMutableRawPointer, to: UnsafeMutableRawPointer) {}
    static func store(_ slot: UnsafeMutableRawPointer, _ place: PropertyPlace, onlyChanges: Bool) {
        fatalError("a dynamic object has no wrappers")
    }
}

/// What may be put where a dynamic object is wanted.
enum DynamicLink {
    /// A dynamic object of `table`'s class: the value itself, another accessor of the same row, or
    /// a new object from contents. nil if the value is of another class.
    static func object(_ value: Any, in table: BoundTable) -> DynamicObject? {
        guard let object = value as? ObjectBase else {
            guard DynamicValue.isObjectContents(value) else { return nil }
            return made(from: value, in: table)
        }
        if let dynamic = object as? DynamicObject, dynamic.classSchema.name == table.schema.name {
            return dynamic
        }
        if object.isRow(of: table) {
            return table.object(object.objectBinding.key) as? DynamicObject
        }
        guard object.classSchema.name == table.schema.name else { return nil }
        if object.objectBinding.control == nil, !table.schema.isEmbedded,
            let typed = table.realm.table(of: type(of: object))
        {
            return table.object(table.realm.adopt(object, into: typed)) as? DynamicObject
        }
        if object.objectBinding.control != nil, !table.schema.isEmbedded {
            fatalError(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm. Object of class '\(table.schema.name)'."
            )
        }
        return made(from: object, in: table)
    }

    private static func made(from contents: Any, in table: BoundTable) -> DynamicObject? {
        do throws(Realm.Error) {
            return try table.realm.withContext(.error) { (context) throws(Realm.Error) in
                try table.realm.create(table, contents, context) as? DynamicObject
            }
        } catch { fatalError(error.message) }
    }
}

extension ObjectBase {
    /// The values of an unmanaged dynamic object, by position.
    fileprivate final var unmanagedValues: [Any] {
        // SAFETY: a dynamic field belongs to the schema of dynamic objects alone.
        get { unsafeDowncast(self, to: DynamicObject.self).values }
        _modify { yield &unsafeDowncast(self, to: DynamicObject.self).values }
    }
}

extension RealmState {
    /// As `insert`, for an object whose values lie in no wrappers.
    func insert(
        dynamic object: ObjectBase,
        into table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectKey {
        // SAFETY: the table's accessors are dynamic objects, and its class was compared.
        let object = unsafeDowncast(object, to: DynamicObject.self)
        let existing = try existingKey(of: object, in: table, context)
        do throws(StorageError) {
            if let existing {
                object.objectBinding.key = existing
            } else {
                let row = try table.reader.insertRow()
                object.objectBinding.key = row.key
                // Before the values: what is written later updates the indexes itself.
                try row.enterIndexes()
                context.added?.append((table, row.key))
            }
        } catch { throw Realm.Error(reading: error) }
        let key = object.objectBinding.key
        for (property, column) in zip(table.schema.properties, table.columns) {
            guard let column, let type = property.field as? any DynamicFieldType.Type,
                existing == nil || !property.isPrimaryKey
            else { continue }
            var binding = ObjectBinding(table.control, key: key)
            _ = binding.becomeCurrent(table.control) { column }
            type.write(
                object.values[property.offset],
                PropertyPlace(binding, table.control, column: column)
            )
        }
        object.values = []
        table.bind(object, to: key)
        return key
    }

    private func existingKey(
        of object: DynamicObject,
        in table: BoundTable,
        _ context: AddingContext
    ) throws(Realm.Error) -> ObjectKey? {
        guard let primaryKey = table.plan.primaryKey else { return nil }
        let value = object.values[primaryKey.offset]
        let existing = try find(primary: value, in: table)?.key
        if existing != nil, context.policy == .error {
            throw keyExists(primaryKey, object, table)
        }
        return existing
    }
}
