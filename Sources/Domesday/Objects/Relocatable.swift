/// What one Realm manages and another Realm of the same store can find again: a frozen one, the live
/// one of a frozen one, the one of another thread.
///
/// Every public collection conforms; then it can be frozen, thawed and handed over.
///
/// **Threads.** As the conforming type; the target Realm's as well.
protocol Relocatable {
    /// The Realm that manages it; nil if none does. Asking checks nothing.
    var managingState: RealmState? { get }
    /// The same object, property or query in another Realm of the store.
    ///
    /// - Returns: nil if the object it belongs to is not there.
    func relocated(to realm: RealmState) throws(StorageError) -> Self?
}

extension ObjectBase: Relocatable {
    var managingState: RealmState? {
        guard let control = objectBinding.control, control.pointee.state != nil else { return nil }
        return control.realm
    }

    func relocated(to realm: RealmState) throws(StorageError) -> Self? {
        guard let control = objectBinding.control else { return nil }
        let table = realm.requireTable(like: control.table)
        guard let found = try table.reader.locate(objectBinding.key) else { return nil }
        let object = table.object(objectBinding.key, cluster: found.cluster, row: found.row)
        // SAFETY: a table of one store has one class, whichever Realm it is bound in; the cast is
        // checked because two Realms may bind two classes of one name.
        guard let object = object as? Self else {
            fatalError(
                "Object type '\(type(of: self))' is not managed by the Realm at path "
                    + "'\(realm.path)', which holds '\(table.schema.type)' under its name."
            )
        }
        return object
    }
}

// A list, set or map: the same property of the same object.
extension StoredCollection {
    var managingState: RealmState? { binding.control?.realm }

    func relocated(to realm: RealmState) throws(StorageError) -> Self? {
        guard let control = binding.control,
            let place = try realm.requireTable(like: control.table)
                .place(of: binding.key, column: column)
        else { return nil }
        return view(of: place)
    }
}
