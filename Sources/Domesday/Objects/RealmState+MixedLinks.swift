// Objects inside values of any type.
extension RealmState {
    /// The accessor of what a link leads to; nil if the object is gone.
    ///
    /// Traps if the Realm does not hold its class.
    func object(at link: MixedLink) -> Object? {
        guard let table = tables.first(where: { $0.id == link.table }) else {
            let name = reader.tables[link.table]?.definition.name ?? "?"
            fatalError(
                "A value leads to an object of class '\(name)', which the Realm at path '\(path)' "
                    + "does not hold: add it to `objectTypes`."
            )
        }
        return table.object(link.key) as? Object
    }

    /// The link to an object; an unmanaged one is added.
    func link(to object: Object, from place: PropertyPlace) -> MixedLink {
        guard let control = object.objectBinding.control else {
            let table = requireTable(of: type(of: object))
            return MixedLink(table: table.id, key: adopt(object, into: table))
        }
        if object.isInvalidated {
            fatalError(
                "Adding a deleted or invalidated object to a Realm is not permitted. "
                    + "\(place.subject)."
            )
        }
        // By the table and not by the type: a dynamic object is one of some class, too.
        guard control.pointee.state?.takeUnretainedValue() === self,
            let table = control.pointee.table?.takeUnretainedValue()
        else {
            fatalError(
                "Object is already managed by another Realm. Use create instead to copy it into "
                    + "this Realm. \(place.subject)."
            )
        }
        return MixedLink(table: table.id, key: object.objectBinding.key)
    }
}
