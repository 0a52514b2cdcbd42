/// Brings a store's tables up to the classes of a schema.
///
/// New classes, and changes of what is indexed or unique and of delete rules, need no new schema
/// version; new and removed
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
        let columns = schema.tableDefinition(id: 0) { reader.table(named: $0)?.definition.id }
            .columns
        let stored = schema.properties.filter(\.isStored)
        return zip(columns, stored).map { column, property in
            var column = column
            column.backwardRule = backwardRule(of: property, in: schema)
            return column
        }
    }

    /// What the linking objects of a relation are declared to do; what the store says where the class
    /// that would declare them is not among the schemas.
    private func backwardRule(of property: PropertySchema, in schema: ClassSchema) -> LinkRule {
        guard let target = property.targetName else { return .nullify }
        if property.backwardRule != .nullify { return property.backwardRule }
        let other = schemas.first { $0.name == target }
        let linking = other?.properties.first {
            $0.shape.type == .linkingObjects && $0.origin == property.name
                && $0.targetName == schema.name
        }
        if let linking { return linking.rule }
        if let other, !other.isDynamic { return .nullify }
        return reader.table(named: schema.name)?.definition
            .column(named: property.columnName)?.backwardRule ?? .nullify
    }

    /// The compound indexes of a class; what the store has where nobody can declare them.
    private func compounds(_ schema: ClassSchema, _ table: TableReader) -> [CompoundIndex] {
        schema.isDynamic && schema.compounds.isEmpty ? table.definition.compounds : schema.compounds
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
            for old in table.definition.columns
            where !old.isRemoved && !old.isCompound && !names.contains(old.name) {
                reasons.append("Property '\(schema.name).\(old.name)' has been removed.")
            }
            return reasons
        }
    }

    /// Whether something is missing that needs no migration.
    private var needsChange: Bool {
        schemas.contains { schema in
            guard let table = reader.table(named: schema.name) else { return true }
            if Set(table.definition.compounds) != Set(compounds(schema, table)) { return true }
            return wanted(schema).contains { column in
                let old = table.definition.column(named: column.name)
                return old.map { !$0.hasTraits(of: column) } ?? true
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
            try removeCompounds(of: table, schema, wanted, write)
            for old in table.definition.columns
            where !old.isRemoved && !old.isCompound && !names.contains(old.name) {
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
                } else if !old.hasTraits(of: column) {
                    try write.changeColumn(old.id, of: table) { $0.takeTraits(of: column) }
                }
            }
            try addCompounds(to: table, schema, write)
        }
        write.setUserVersion(version)
        for schema in schemas {
            reader.table(named: schema.name)?.propertyNames = schema.mappedNames
        }
        try reader.checkUnique()
    }

    /// Removes the compound indexes that are not wanted, or of which a column goes or changes.
    private func removeCompounds(
        of table: TableReader,
        _ schema: ClassSchema,
        _ wanted: [ColumnDefinition],
        _ write: WriteTransaction
    ) throws(StorageError) {
        for old in table.definition.columns where old.isCompound && !old.isRemoved {
            let stays = old.components.allSatisfy { id in
                let column = table.definition.columns[id]
                return wanted.first { $0.name == column.name }.map { isSame(column, $0) } ?? false
            }
            if stays, compounds(schema, table).contains(table.definition.compound(old)) {
                continue
            }
            try write.removeColumn(old.id, from: table)
        }
    }

    private func addCompounds(
        to table: TableReader,
        _ schema: ClassSchema,
        _ write: WriteTransaction
    ) throws(StorageError) {
        let present = table.definition.compounds
        for compound in schema.compounds where !present.contains(compound) {
            let components = compound.columns.compactMap {
                table.definition.column(named: $0)?.id
            }
            try write.addColumn(
                ColumnDefinition(
                    id: 0,
                    name: compound.name,
                    type: .int,
                    shape: .none,
                    isOptional: false,
                    isIndexed: true,
                    isPrimaryKey: false,
                    isRemoved: false,
                    target: nil,
                    isUnique: compound.isUnique,
                    components: components
                ),
                to: table
            )
        }
    }
}

extension TableDefinition {
    /// The compound indexes.
    var compounds: [CompoundIndex] {
        columns.filter { $0.isCompound && !$0.isRemoved }.map(compound)
    }

    fileprivate func compound(_ column: ColumnDefinition) -> CompoundIndex {
        CompoundIndex(
            columns: column.components.map { columns[$0].name },
            isUnique: column.isUnique
        )
    }
}

extension ColumnDefinition {
    /// What may change without a migration.
    fileprivate func hasTraits(of other: ColumnDefinition) -> Bool {
        isIndexed == other.isIndexed && isFullText == other.isFullText
            && isUnique == other.isUnique && rule == other.rule
            && backwardRule == other.backwardRule
    }

    fileprivate mutating func takeTraits(of other: ColumnDefinition) {
        isIndexed = other.isIndexed
        isFullText = other.isFullText
        isUnique = other.isUnique
        rule = other.rule
        backwardRule = other.backwardRule
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
