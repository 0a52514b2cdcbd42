// How collections are found again in another Realm; lists do it beside what they are stored by.

extension Results: Relocatable {
    var managingState: RealmState? { base.state }

    func relocated(to realm: RealmState) throws(StorageError) -> Results? {
        try base.moved(to: realm).map { Results($0) }
    }
}

extension LinkingObjects: Relocatable {
    var managingState: RealmState? { source?.control.realm }

    func relocated(to realm: RealmState) throws(StorageError) -> LinkingObjects? {
        guard let source else { return nil }
        let table = realm.requireTable(source.control.table.id)
        return try source.moved(to: table).map { LinkingObjects(source: $0) }
    }
}
