import Foundation

/// The history of a store. Not in RealmSwift.
extension Realm {
    /// Where this Realm stands in the history of its store; within a write, where it stood before.
    ///
    /// Take one together with what you read: then ask what has changed since, in this process or
    /// another one, now or after a restart.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration.defaultConfiguration
    /// configuration.historyRetention = .time(.seconds(30 * 86_400))
    /// let realm = try Realm(configuration: configuration)
    /// for change in try realm.history(since: token).changes { ... }
    /// ```
    ///
    /// - Throws: ``Realm/Error`` `.historyNotKept` if the store keeps none, or kept none yet when this
    ///   Realm's version was made: set ``Configuration/historyRetention``, or refresh; the store's
    ///   errors.
    /// - Complexity: reads one blob.
    public var historyToken: HistoryToken {
        get throws {
            state.checkConfinement()
            let point = try converting { () throws(StorageError) in
                try state.reader.historyPoint()
            }
            guard let point else { throw historyNotKept }
            return HistoryToken(point)
        }
    }

    /// What has become of the objects since a token, up to the version that this Realm shows; within a
    /// write, up to the version before it.
    ///
    /// A Realm that is older than the token is refreshed first, unless it is frozen or in a write.
    ///
    /// - Parameters:
    ///   - token: Of this store, of whichever process and time.
    ///   - authors: Whose commits are left out, by their ``transactionAuthor``: who writes what it got
    ///     from elsewhere does not want to hear of it again. What others changed before or after is
    ///     told; an object that one of these deleted is told in no way.
    /// - Returns: What differs, object by object: ``History/changes`` says what is put together.
    /// - Throws: ``Realm/Error``: `.historyTokenExpired` if the token is older than what is kept, or the
    ///   store is not the one it was taken from, or was put back to an older state since: read
    ///   everything anew, and go on from ``historyToken``. `.historyNotKept` if the store keeps none;
    ///   `.invalidInput` if the token is newer than a Realm that is frozen or in a write; the store's
    ///   errors.
    /// - Complexity: reads one blob for each commit, and the primary keys of the objects that are named.
    public func history(
        since token: HistoryToken,
        leavingOut authors: Set<String> = []
    ) throws -> History {
        state.checkConfinement()
        let reader = state.reader
        if reader.snapshot.version < token.point.version {
            if !reader.isFrozen, !reader.isWriting { refresh() }
            if reader.snapshot.version < token.point.version, reader.isFrozen || reader.isWriting {
                throw Error(
                    .invalidInput,
                    "The history token is of version \(token.point.version), which this Realm, at "
                        + "version \(reader.snapshot.version), has not reached. Realm at path "
                        + "'\(state.path)'."
                )
            }
        }
        return try converting { () throws(StorageError) -> Result<History, Error> in
            switch try reader.history(since: token.point) {
            case .records(let records, let end):
                return .success(try history(records, upTo: end, authors))
            case .notKept: return .failure(historyNotKept)
            case .expired(let oldest):
                return .failure(
                    expired(token, "the history is kept from version \(oldest) on")
                )
            case .unknown:
                return .failure(
                    expired(
                        token,
                        "the store is another one, or was put back to an older state since"
                    )
                )
            }
        }.get()
    }

    /// Who is said to have made the commits of this Realm, for ``history(since:leavingOut:)``; nil
    /// for nobody, as at first.
    ///
    /// A commit is that of who is set when it is made. Not in RealmSwift.
    public var transactionAuthor: String? {
        get {
            state.checkConfinement()
            return state.reader.author.isEmpty ? nil : state.reader.author
        }
        nonmutating set {
            state.checkConfinement()
            state.reader.author = newValue ?? ""
        }
    }

    /// The object that a change names; nil if it is gone, or of another class.
    ///
    /// - Precondition: the Realm holds the class.
    public func object<T: ObjectBase>(ofType type: T.Type, for change: History.Change) -> T? {
        let table = state.requireTable(of: type)
        guard table.schema.name == change.className, change.kind != .deleted else { return nil }
        // SAFETY: the table's class is T: `requireTable` found it by type.
        return object(change, in: table).map { unsafeDowncast($0, to: type) }
    }

    /// The object that a change names; nil if it is gone.
    ///
    /// - Precondition: the Realm holds the class.
    public func dynamicObject(for change: History.Change) -> DynamicObject? {
        let table = state.requireDynamicTable(named: change.className)
        if change.kind == .deleted { return nil }
        return object(change, in: table) as? DynamicObject
    }

    private func object(_ change: History.Change, in table: BoundTable) -> ObjectBase? {
        state.checkConfinement()
        return Freezing.reading("'\(change.className)'") { () throws(StorageError) in
            state.reader.safePoint()
            guard let place = try table.reader.locate(change.objectNumber) else { return nil }
            return table.object(change.objectNumber, cluster: place.cluster, row: place.row)
        }
    }

    private var historyNotKept: Error {
        Error(
            .historyNotKept,
            "The store keeps no history: set Realm.Configuration.historyRetention. Realm at path "
                + "'\(state.path)', version \(state.reader.snapshot.version)."
        )
    }

    private func expired(_ token: HistoryToken, _ reason: String) -> Error {
        Error(
            .historyTokenExpired,
            "The history since version \(token.point.version) cannot be told: \(reason). Read all "
                + "objects anew. Realm at path '\(state.path)', version "
                + "\(state.reader.snapshot.version)."
        )
    }

    private func history(
        _ records: [HistoryRecord],
        upTo end: HistoryPoint,
        _ authors: Set<String>
    ) throws(StorageError) -> History {
        var net = NetChanges()
        for record in records {
            net.add(record, isLeftOut: authors.contains(record.head.author))
        }
        var lister = HistoryLister(state)
        try lister.list(net)
        return History(
            token: HistoryToken(end),
            commits: records.map {
                History.Commit(
                    date: Date(timeIntervalSinceReferenceDate: $0.head.date),
                    author: $0.head.author.isEmpty ? nil : $0.head.author,
                    changesSchema: $0.head.changesSchema
                )
            },
            changes: lister.deleted + lister.inserted + lister.modified
        )
    }
}

/// Gives changes the names that users know.
private struct HistoryLister {
    private let state: RealmState
    /// Reads the version that the history ends at.
    private let reader: StoreReader
    private(set) var deleted: [Realm.History.Change] = []
    private(set) var inserted: [Realm.History.Change] = []
    private(set) var modified: [Realm.History.Change] = []

    init(_ state: RealmState) {
        self.state = state
        let reader = state.reader
        self.reader =
            reader.isWriting ? StoreReader(store: reader.store, at: reader.snapshot) : reader
    }

    mutating func list(_ net: NetChanges) throws(StorageError) {
        let tables = net.tables.keys.compactMap { reader.table($0) }
            .sorted { $0.definition.name < $1.definition.name }
        for table in tables {
            let changes = net.tables[table.definition.id] ?? [:]
            for key in changes.keys.sorted() {
                if let change = changes[key] { try add(change, key, table) }
            }
        }
    }

    private mutating func add(
        _ change: NetChanges.Change,
        _ key: ObjectKey,
        _ table: TableReader
    ) throws(StorageError) {
        switch change {
        case .deleted(let value): deleted.append(named(.deleted, key, table, value))
        case .inserted:
            inserted.append(named(.inserted, key, table, try reader.primaryKey(key, of: table)))
        case .modified(let columns):
            let value = try reader.primaryKey(key, of: table)
            let names = properties(columns, of: table)
            modified.append(named(.modified(names), key, table, value))
        }
    }

    private func named(
        _ kind: Realm.History.Change.Kind,
        _ key: ObjectKey,
        _ table: TableReader,
        _ primaryKey: MixedValue?
    ) -> Realm.History.Change {
        Realm.History.Change(
            className: table.definition.name,
            kind: kind,
            primaryKey: primaryKey.map { Realm.History.PrimaryKey($0) },
            objectNumber: key
        )
    }

    private func properties(_ columns: ColumnSet, of table: TableReader) -> [String] {
        let bound = state.tables.first { $0.id == table.definition.id }
        let names = columns.ids.compactMap { id -> (position: Int, name: String)? in
            guard let column = table.definition.columns[safe: id], !column.isRemoved else {
                return nil
            }
            let property = bound?.schema.properties.firstIndex { $0.columnName == column.name }
            guard let bound, let property else { return (id, column.name) }
            return (property, bound.schema.properties[property].name)
        }
        return names.sorted { $0.position < $1.position }.map(\.name)
    }
}
