// How collections are found again in another Realm; lists, sets and maps do it beside what they are stored by.

extension Results: Relocatable {
    var managingState: RealmState? { source.state }

    func relocated(to realm: RealmState) throws(StorageError) -> Results? {
        try source.moved(to: realm).map { Results($0) }
    }
}

extension LinkingObjects: Relocatable {
    var managingState: RealmState? { source?.control.realm }

    func relocated(to realm: RealmState) throws(StorageError) -> LinkingObjects? {
        guard let source else { return nil }
        let table = realm.requireTable(like: source.control.table)
        return try source.moved(to: table).map { LinkingObjects(source: $0) }
    }
}

extension AnyRealmCollection: Relocatable {
    var managingState: RealmState? { relocatable?.managingState }

    func relocated(to realm: RealmState) throws(StorageError) -> AnyRealmCollection? {
        try relocatedBase(to: realm)
    }
}

extension SectionedResults: Relocatable {
    var managingState: RealmState? { state.results.managingState }

    func relocated(to realm: RealmState) throws(StorageError) -> SectionedResults? {
        try state.relocated(to: realm).map { SectionedResults(state: $0) }
    }
}

extension ResultsSection: Relocatable {
    var managingState: RealmState? { state.results.managingState }

    func relocated(to realm: RealmState) throws(StorageError) -> ResultsSection? {
        try state.relocated(to: realm).map { ResultsSection(state: $0, key: key) }
    }
}

extension Projection: Relocatable {
    var managingState: RealmState? { rootObject.managingState }

    func relocated(to realm: RealmState) throws(StorageError) -> Self? {
        try rootObject.relocated(to: realm).map { Self(projecting: $0) }
    }
}

/// A list in it stays where it is.
extension AnyRealmValue: Relocatable {
    var managingState: RealmState? {
        switch self {
        case .object(let object): object.managingState
        case .list(let list): list.managingState
        default: nil
        }
    }

    func relocated(to realm: RealmState) throws(StorageError) -> AnyRealmValue? {
        guard case .object(let object) = self else { return self }
        return try object.relocated(to: realm).map { .object($0) }
    }
}
