/// What several commits have changed together, object by object.
///
/// An object that was made and deleted meanwhile is not in it; one that was made and changed is new;
/// one that was changed more than once has all columns that any commit changed.
///
/// **Threads.** A value.
struct NetChanges: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        case inserted
        case modified(ColumnSet)
        /// With its primary key, if the class has one.
        case deleted(MixedValue?)
    }

    private(set) var tables: [TableID: [ObjectKey: Change]] = [:]

    /// Goes on with the next commit.
    ///
    /// - Parameter isLeftOut: Whether what it made, changed and deleted is not to be told. What it
    ///   deleted is not there any more, so it is taken out.
    mutating func add(_ record: HistoryRecord, isLeftOut: Bool = false) {
        for table in record.tables {
            var changes = tables[table.id] ?? [:]
            tables[table.id] = nil
            if !isLeftOut {
                table.inserted.forEach { changes[$0] = .inserted }
                for (columns, keys) in table.modified {
                    keys.forEach { Self.modify(&changes[$0], columns) }
                }
            }
            var position = 0
            table.deleted.forEach { key in
                let value = table.primaryKeys?[position]
                position += 1
                let isNew = changes[key] == .inserted
                changes[key] = isLeftOut || isNew ? nil : .deleted(value)
            }
            tables[table.id] = changes
        }
    }

    private static func modify(_ change: inout Change?, _ columns: ColumnSet) {
        switch change {
        case .modified(var known):
            known.formUnion(columns)
            change = .modified(known)
        case .inserted, .deleted: break
        case nil: change = .modified(columns)
        }
    }
}
