extension PropertyPlace {
    var table: BoundTable { control.table }
    var realm: RealmState { control.realm }
    var subject: String { table.subject(key: key, column: column) }

    /// The value's bytes from a heap part that must be loaded, or from a long value's own blob.
    @usableFromInline
    @inline(never)
    var loadedBytes: UnsafeRawBufferPointer {
        storage { () throws(StorageError) in
            try table.reader.bytes(cluster, column: column, row: row)
        }
    }

    /// Runs `body` and traps with path, class, property and cause if the store fails.
    func storage<R>(_ body: () throws(StorageError) -> R) -> R {
        do throws(StorageError) { return try body() } catch { ObjectTrap.storage(error, subject) }
    }

    private func write(_ body: (RowWriter) throws(StorageError) -> Void) {
        storage { () throws(StorageError) in
            try body(table.reader.writer(of: key, at: RowLocation(cluster: cluster, row: row)))
        }
    }

    /// As `write`, after something was changed since the place was made.
    private func writeAfresh(_ body: (RowWriter) throws(StorageError) -> Void) {
        storage { () throws(StorageError) in try body(table.reader.writer(of: key)) }
    }

    func storeNil() { write { (row) throws(StorageError) in try row.setNil(column) } }
    func store(_ value: Int64) {
        write { (row) throws(StorageError) in try row.setInt(value, column) }
    }
    func store(_ value: Float) {
        write { (row) throws(StorageError) in try row.setFloat(value, column) }
    }
    func store(_ value: Double) {
        write { (row) throws(StorageError) in try row.setDouble(value, column) }
    }
    func store(bytes: UnsafeRawBufferPointer) {
        write { (row) throws(StorageError) in try row.setBytes(bytes, column) }
    }
    /// As `store(bytes:)`, after something was added since the place was made.
    func storeAfresh(bytes: UnsafeRawBufferPointer) {
        writeAfresh { (row) throws(StorageError) in try row.setBytes(bytes, column) }
    }
    /// Replaces some elements of a collection; what its embedded objects lose by it is deleted.
    func replaceElements(_ range: Range<Int>, with new: EncodedElements, deleting: [ObjectKey] = [])
    {
        writeAfresh { (row) throws(StorageError) in
            try row.replaceElements(column, range, with: new)
        }
        if deleting.isEmpty { return }
        storage { () throws(StorageError) in try target.reader.erase(deleting.sorted()) }
    }

    // MARK: links

    /// The table that this link column leads to.
    var target: BoundTable {
        guard let target = table.targets[column] else {
            fatalError("\(subject) leads to a class that the Realm does not hold.")
        }
        return target
    }

    /// The accessor of a linked object.
    func object<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T {
        // SAFETY: the schema made sure that the column leads to the table of class T.
        unsafeDowncast(target.object(key), to: type)
    }

    /// Sets a link. A replaced embedded object is deleted.
    func store(link value: ObjectBase?) {
        let target = target
        guard target.schema.isEmbedded else {
            store(linkedKey: value.map { key(ofLinked: $0) } ?? 0)
            return
        }
        let old = storedKey
        if let value, value.isRow(of: target),
            value.objectBinding.key == old
        {
            return
        }
        store(linkedKey: value.map { key(ofLinked: $0) } ?? 0)
        if old != 0 {
            storage { () throws(StorageError) in try target.reader.erase([old]) }
        }
    }

    /// Adding what is linked to may have moved this row.
    private func store(linkedKey: ObjectKey) {
        writeAfresh { (row) throws(StorageError) in try row.setInt(linkedKey, column) }
    }

    /// The link's current key, looked up afresh; 0 for none.
    private var storedKey: ObjectKey {
        storage { () throws(StorageError) in
            guard let location = try table.reader.locate(key) else { return 0 }
            return ClusterView(location.cluster).int(column, location.row)
        }
    }

    /// The key of an object to link to; an unmanaged one is added to the Realm.
    ///
    /// - Parameter collection: what it will be an element of.
    func key(
        ofLinked object: ObjectBase,
        in collection: CollectionShape = .none
    ) -> ObjectKey {
        let target = target
        if object.objectBinding.control == target.control, !target.schema.isEmbedded,
            target.control.isCurrent(object.objectBinding)
        {
            return object.objectBinding.key
        }
        if object.objectBinding.control == nil {
            return realm.adopt(object, into: target)
        }
        if object.isInvalidated {
            fatalError(
                "Adding a deleted or invalidated object to a Realm is not permitted. \(subject)."
            )
        }
        guard object.isRow(of: target) else {
            fatalError(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm. \(subject)."
            )
        }
        if target.schema.isEmbedded {
            let sentence =
                switch collection {
                case .none: "Can't set link to existing managed embedded object"
                case .list, .set: "Cannot add an existing managed embedded object to a List."
                case .map: "Cannot add an existing managed embedded object to a Dictionary."
                }
            fatalError("\(sentence) \(subject).")
        }
        return object.objectBinding.key
    }

    // MARK: traps

    /// Traps: the property is the primary key, or none that has a column.
    @inline(never)
    func refuseChange() -> Never {
        if column < Int(ObjectControl.linkingFlag), table.property(column: column) != nil {
            fatalError("Primary key can't be changed after an object is inserted. \(subject).")
        }
        fatalError("Linking objects properties are read-only. \(subject).")
    }

    @inline(never)
    func trapDamaged(_ detail: String) -> Never {
        ObjectTrap.storage(StorageError(.damaged, path: realm.path, detail: detail), subject)
    }

    @inline(never)
    func trapUnknownCase(_ raw: Any, _ type: Any.Type) -> Never {
        fatalError(unknownCaseText(raw, type))
    }

    /// What `trapUnknownCase` says, as an error.
    func unknownCase(_ raw: Any, _ type: Any.Type) -> Realm.Error {
        Realm.Error(.invalidInput, unknownCaseText(raw, type))
    }

    private func unknownCaseText(_ raw: Any, _ type: Any.Type) -> String {
        "Failed to convert persisted value '\(raw)' to type '\(type)' in a non-optional context. "
            + "\(subject)."
    }
}
