extension Realm {
    /// Makes an unmanaged object, and all it reaches, part of the store; no copy is made.
    ///
    /// - Precondition: in a write; the primary key is new or `update` allows it: "Attempting to
    ///   create an object of type 'C' with an existing primary key value 'v'."
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        trapping { try state.add(object, update: update) }
    }

    /// As `add`, for each.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
    where S.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Makes a stored object from a dictionary, an array of values in order, or another object.
    ///
    /// - Precondition: as `add`; values fit their properties.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type,
        value: Any = [String: Any](),
        update: UpdatePolicy = .error
    ) -> T {
        let object = trapping { try state.create(type, value: value, update: update) }
        // SAFETY: `create` makes an object of the class it is given.
        return unsafeDowncast(object, to: type)
    }

    /// As `create`, for values that come from outside.
    ///
    /// - Throws: ``Realm/Error``: `.invalidInput` with class, property, value and type of what does
    ///   not fit, `.fail` for a primary key that exists. Nothing is changed then, and the write
    ///   goes on.
    @discardableResult
    public func tryCreate<T: Object>(
        _ type: T.Type,
        value: Any = [String: Any](),
        update: UpdatePolicy = .error
    ) throws -> T {
        // SAFETY: as in `create`.
        unsafeDowncast(try state.create(type, value: value, update: update), to: type)
    }

    /// Deletes an object of this Realm; links to it become nil.
    public func delete(_ object: ObjectBase) {
        trapping { try converting { () throws(StorageError) in try state.delete(object) } }
    }

    /// Deletes the objects of a sequence, which may be live, all at once; those that are gone already
    /// are passed over.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        trapping { try converting { () throws(StorageError) in try state.delete(objects) } }
    }

    /// Deletes the objects of a query.
    ///
    /// - Complexity: O(objects + links to them + clusters touched).
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
        delete(objects._query.objects)
    }

    /// Deletes the objects of a list, which is empty afterwards.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) { delete(stored: objects) }

    /// Deletes the objects of a set, which is empty afterwards.
    public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) {
        delete(stored: objects)
    }

    /// Deletes the objects that are values of a map: of linked ones the keys stay, with nil; embedded
    /// ones take their keys along.
    public func delete<Key, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        if Value.self is EmbeddedObject.Type {
            state.checkWriting()
            return map.removeAll()
        }
        delete(stored: map)
    }

    private func delete(stored collection: some StoredCollection) {
        guard collection.managingRealm != nil else {
            fatalError("Can only delete an object from the Realm it belongs to.")
        }
        delete(_QuerySource(collection).objects)
    }

    private func delete(_ base: CollectionQuery) {
        state.checkWriting()
        guard base.state === state else {
            fatalError("Can only delete an object from the Realm it belongs to.")
        }
        base.reading { () throws(StorageError) in
            try base.table.reader.delete(base.query.ascendingKeys())
        }
    }

    /// Deletes every object of every class.
    public func deleteAll() {
        state.checkWriting()
        trapping {
            for table in state.tables where !table.schema.isEmbedded {
                try converting { () throws(StorageError) in try table.reader.deleteAll() }
            }
        }
    }

    /// The object with that primary key, nil if there is none or the key is of another type.
    ///
    /// - Complexity: O(1) expected for text and identifiers, O(log n) for integers.
    public func object<T: Object, Key>(ofType type: T.Type, forPrimaryKey key: Key) -> T? {
        guard let object = find(type, key) else { return nil }
        // SAFETY: `find` makes an object of the class it is given.
        return unsafeDowncast(object, to: type)
    }

    private func find<Key>(_ type: Object.Type, _ key: Key) -> ObjectBase? {
        do { return try state.object(type, primaryKey: key) } catch { fatalError("\(error)") }
    }

    /// All objects of a class, in the order they were added.
    public func objects<T: Object>(_ type: T.Type) -> Results<T> {
        state.checkConfinement()
        return Results(CollectionQuery(state, state.requireTable(of: type)))
    }

    /// Whether no class has an object.
    public var isEmpty: Bool {
        state.checkConfinement()
        return state.tables.allSatisfy { $0.reader.count == 0 }
    }

    private func trapping<R>(_ body: () throws -> R) -> R {
        do { return try body() } catch { fatalError("\(error)") }
    }
}
