/// What differs between two versions of the store, table by table, found when it is asked for.
///
/// **Threads.** One at a time.
final class VersionDifference {
    let old: HeldSnapshot
    let new: HeldSnapshot
    /// By table id.
    private var tables: [TableDifference?] = []
    private var modified: [QueryDependencies.Column: Set<ObjectKey>] = [:]
    private var reader: StoreReader?
    /// By root class: what `AffectedObjects` found to be modified, links included.
    var deeplyModified: [TableID: Set<ObjectKey>] = [:]

    init(from old: HeldSnapshot, to new: HeldSnapshot) {
        self.old = old
        self.new = new
    }

    var isEmpty: Bool { old.snapshot.version == new.snapshot.version }

    func table(_ id: TableID) throws(StorageError) -> TableDifference {
        if let known = tables[safe: id] ?? nil { return known }
        var difference = TableDifference()
        if !isEmpty, let new = self.new.snapshot.tables[safe: id] ?? nil {
            difference = try TableDifference(
                from: (old.snapshot.tables[safe: id] ?? nil) ?? TableSnapshot(before: new),
                at: self.old.snapshot,
                to: new,
                at: self.new.snapshot
            )
        }
        while tables.count <= id { tables.append(nil) }
        tables[id] = difference
        return difference
    }

    /// The objects in which a column was modified; found once.
    func modified(_ column: Int, in id: TableID) throws(StorageError) -> Set<ObjectKey> {
        let difference = try table(id)
        guard difference.columns.contains(column) else { return [] }
        let place = QueryDependencies.Column(table: id, column: column)
        if let known = modified[place] { return known }
        var result: Set<ObjectKey> = []
        for (key, columns) in difference.modified where columns.contains(column) {
            result.insert(key)
        }
        modified[place] = result
        return result
    }

    /// The old version's table; nil if it had none of that id.
    func oldTable(_ id: TableID) -> TableReader? {
        let reader = reader ?? StoreReader(store: old.snapshot.store, at: old.snapshot)
        self.reader = reader
        return reader.table(id)
    }
}

/// A version that is kept as long as somebody refers to it here.
///
/// **Threads.** Any.
final class HeldSnapshot: Sendable {
    let snapshot: Snapshot
    // Kept: a snapshot does not keep its store.
    private let store: Store

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        store = snapshot.store
        store.retain(snapshot)
    }

    deinit { store.release(snapshot) }
}
