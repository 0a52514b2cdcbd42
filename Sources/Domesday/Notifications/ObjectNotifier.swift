/// What happened to one property of an observed object.
struct ObservedPropertyChange {
    let name: String
    /// nil for collections, and where only something that is linked to changed.
    let oldValue: Any?
    let newValue: Any?
}

/// Observes one object.
///
/// **Threads.** Its Realm's.
final class ObjectNotifier: Notifier {
    private let table: BoundTable
    private let key: ObjectKey
    /// What counts as a change; nil for the object's own properties.
    private let paths: [ObservedPath]?
    /// Called with nil once the object is gone, and never after that.
    private let report: ([ObservedPropertyChange]?) -> Void

    init(
        _ state: RealmState,
        _ table: BoundTable,
        _ key: ObjectKey,
        keyPaths: [String]?,
        from base: HeldSnapshot,
        report: @escaping ([ObservedPropertyChange]?) -> Void
    ) {
        self.table = table
        self.key = key
        self.report = report
        paths = keyPaths.flatMap { $0.isEmpty ? nil : KeyPathFilter.paths($0, from: table) }
        super.init(state, from: base)
    }

    override func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        let change = try affected.difference.table(table.id)
        if change.deleted.position(of: key) != nil {
            return { [self] in
                // Before the call, which may let go of everything.
                stop()
                report(nil)
            }
        }
        let columns = change.modified[key] ?? ColumnSet()
        var names = try changedNames(columns, affected)
        if names.isEmpty { return nil }
        names.sort { position($0) < position($1) }
        let changes = try names.map { name throws(StorageError) in
            try propertyChange(name, columns, affected.difference)
        }
        return { [report] in report(changes) }
    }

    private func position(_ name: String) -> Int {
        table.schema.properties.firstIndex { $0.name == name } ?? 0
    }

    private func changedNames(
        _ columns: ColumnSet,
        _ affected: AffectedObjects
    ) throws(StorageError) -> [String] {
        guard let paths else {
            return zip(table.schema.properties, table.columns).compactMap { property, column in
                column.map { columns.contains($0) } ?? false ? property.name : nil
            }
        }
        var names: [String] = []
        for path in paths where !names.contains(path.property) {
            if try affected.objects(along: path).contains(key) { names.append(path.property) }
        }
        return names
    }

    private func propertyChange(
        _ name: String,
        _ columns: ColumnSet,
        _ difference: VersionDifference
    ) throws(StorageError) -> ObservedPropertyChange {
        guard let property = table.schema.property(named: name), property.isStored,
            property.shape.collection == .none,
            let column = table.columns[position(name)], columns.contains(column)
        else { return ObservedPropertyChange(name: name, oldValue: nil, newValue: nil) }
        let frozen = OpenRealms.frozen(state, at: difference.old.snapshot)
        let before = frozen.requireTable(like: table)
        var oldValue: Any?
        if let place = try before.reader.locate(key) {
            oldValue = before.object(key, cluster: place.cluster, row: place.row)
                .value(forKey: name)
            if let link = oldValue as? any Relocatable {
                oldValue = try link.relocated(to: state)
            }
        }
        return ObservedPropertyChange(
            name: name,
            oldValue: oldValue,
            newValue: table.object(key).value(forKey: name)
        )
    }
}
