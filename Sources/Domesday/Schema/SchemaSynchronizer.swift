/// Brings a store's tables up to the classes of a schema.
///
/// New classes, and changes of what is indexed, need no new schema version; new and removed
/// properties do, and are then made by themselves: a new property reads zero, empty or nil in
/// objects that were there. A changed property is removed and added anew.
///
/// **Threads.** The reader's.
struct SchemaSynchronizer {
    let reader: StoreReader
    let schemas: [ClassSchema]
    let version: UInt64

    /// - Throws: ``Realm/Error`` `.schemaMismatch` that lists the properties which need a migration,
    ///   with the store untouched; `.alreadyOpen` naming the other processes that have the store open if
    ///   what they use would change; the store's errors.
    func run(isReadOnly: Bool) throws {
        // Who commits in between may have made what is missing.
        while let change = try neededChange(isReadOnly: isReadOnly) {
            if try !reader.beginWrite(unlessOutdated: true) {
                try reader.refresh()
                continue
            }
            do {
                try make(change)
                return
            } catch {
                if reader.isWriting { reader.cancelWrite() }
                throw error
            }
        }
    }

    private enum Change {
        /// A new store's tables.
        case creation
        /// Tables and indexes that nobody uses yet.
        case addition
        /// Another version, or other properties of a class.
        case migration
    }

    private func neededChange(isReadOnly: Bool) throws -> Change? {
        let isNew = reader.store.newestVersion == 0
        let stored = reader.store.userVersion
        if !isNew, version < stored {
            throw Realm.Error(
                .fail,
                "Provided schema version \(version) is less than last set version \(stored)."
            )
        }
        let reasons = differences()
        if !reasons.isEmpty, isReadOnly || version == stored {
            throw Realm.Error(
                .schemaMismatch,
                "Migration is required due to the following errors:\n"
                    + reasons.map { "- \($0)" }.joined(separator: "\n")
            )
        }
        guard isNew || version != stored || needsChange else { return nil }
        if isReadOnly {
            throw Realm.Error(
                .schemaMismatch,
                "Can't perform transactions on read-only Realms: the store at "
                    + "'\(reader.store.path)' lacks classes or indexes of the schema."
            )
        }
        if isNew { return .creation }
        return version == stored && reasons.isEmpty ? .addition : .migration
    }

    private func make(_ change: Change) throws(StorageError) {
        let pages = reader.store.pages
        if change == .migration { try pages.keepOthersOut() }
        defer { if change == .migration { pages.letOthersIn() } }
        try apply()
        try reader.commitWrite()
    }

    /// The columns a class needs, by name.
    private func wanted(_ schema: ClassSchema) -> [ColumnDefinition] {
        schema.tableDefinition(id: 0) { reader.table(named: $0)?.definition.id }.columns
    }

    private func isSame(_ a: ColumnDefinition, _ b: ColumnDefinition) -> Bool {
        a.type == b.type && a.shape == b.shape && a.isOptional == b.isOptional
            && (a.target == b.target || a.target == nil || b.target == nil)
            && a.isPrimaryKey == b.isPrimaryKey
    }

    /// What needs a migration, in RealmSwift's words.
    private func differences() -> [String] {
        schemas.flatMap { schema -> [String] in
            guard let table = reader.table(named: schema.name) else { return [] }
            let wanted = wanted(schema)
            var reasons: [String] = []
            for column in wanted {
                let title = "'\(schema.name).\(column.name)'"
                guard let old = table.definition.column(named: column.name) else {
                    reasons.append("Property \(title) has been added.")
                    continue
                }
                if isSame(old, column) { continue }
                if old.isPrimaryKey != column.isPrimaryKey {
                    let change = column.isPrimaryKey ? "added" : "removed"
                    reasons.append("Primary Key for class '\(schema.name)' has been \(change).")
                } else if old.type == column.type, old.shape == column.shape {
                    let change = column.isOptional ? "optional" : "required"
                    reasons.append("Property \(title) has been made \(change).")
                } else {
                    reasons.append(
                        "Property \(title) has been changed from '\(old.typeText)' to "
                            + "'\(column.typeText)'."
                    )
                }
            }
            let names = Set(wanted.map(\.name))
            for old in table.definition.columns where !old.isRemoved && !names.contains(old.name) {
                reasons.append("Property '\(schema.name).\(old.name)' has been removed.")
            }
            return reasons
        }
    }

    /// Whether something is missing that needs no migration.
    private var needsChange: Bool {
        schemas.contains { schema in
            guard let table = reader.table(named: schema.name) else { return true }
            return wanted(schema).contains { column in
                let old = table.definition.column(named: column.name)
                return old.map { !$0.isIndexed(as: column) } ?? true
            }
        }
    }

    private func apply() throws(StorageError) {
        guard let write = reader.write else { return }
        for schema in schemas where reader.table(named: schema.name) == nil {
            _ = write.addTable(named: schema.name, isEmbedded: schema.isEmbedded)
        }
        for schema in schemas {
            guard let table = reader.table(named: schema.name) else { continue }
            let wanted = wanted(schema)
            let names = Set(wanted.map(\.name))
            for old in table.definition.columns where !old.isRemoved && !names.contains(old.name) {
                try write.removeColumn(old.id, from: table)
            }
            for column in wanted {
                guard let old = table.definition.column(named: column.name) else {
                    try write.addColumn(column, to: table)
                    continue
                }
                if !isSame(old, column) {
                    try write.removeColumn(old.id, from: table)
                    try write.addColumn(column, to: table)
                } else if !old.isIndexed(as: column) {
                    try write.changeColumn(old.id, of: table) {
                        $0.isIndexed = column.isIndexed
                        $0.isFullText = column.isFullText
                    }
                }
            }
        }
        write.setUserVersion(version)
    }
}

extension ColumnDefinition {
    fileprivate func isIndexed(as other: ColumnDefinition) -> Bool {
        isIndexed == other.isIndexed && isFullText == other.isFullText
    }

    /// The type as messages show it: `int`, `array<int>`, `dictionary<string, int>`.
    fileprivate var typeText: String {
        switch shape {
        case .none: "\(type)"
        case .list: "array<\(type)>"
        case .set: "set<\(type)>"
        case .map: "dictionary<string, \(type)>"
        }
    }
}
