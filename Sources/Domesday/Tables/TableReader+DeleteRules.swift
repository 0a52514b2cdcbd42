// Deletes that go on over links, or are refused because of them.

extension TableReader {
    /// As `StoreReader.delete`, of objects of this table.
    func delete(_ keys: [ObjectKey]) throws(StorageError) { try reader.delete([(self, keys)]) }
}

extension StoreReader {
    /// Deletes objects and, over links whose rule says so, others with them; once all that goes is
    /// known, so that cycles end and nothing is deleted if a rule forbids it.
    ///
    /// - Parameter objects: Of each table the keys, ascending, each once; keys without an object are
    ///   passed over.
    /// - Throws: `.refused` that says which link forbids it, with nothing changed.
    /// - Complexity: As `erase`, of all that goes; without any rule in the store that of `objects`.
    func delete(_ objects: [(table: TableReader, keys: [ObjectKey])]) throws(StorageError) {
        guard hasLinkRules else {
            for (table, keys) in objects { try table.erase(keys) }
            return
        }
        var deletion = Deletion(self)
        for (table, keys) in objects { try deletion.gather(table, keys) }
        try deletion.check()
        // Owners take their embedded objects along: those go last, if they are still there.
        for isEmbedded in [false, true] {
            for (id, keys) in deletion.keys.sorted(by: { $0.key < $1.key }) {
                guard let table = table(id), table.definition.isEmbedded == isEmbedded else {
                    continue
                }
                try table.erase(keys.sorted())
            }
        }
    }

    /// Whether a delete may go on over links.
    fileprivate var hasLinkRules: Bool {
        tables.contains { table in
            table?.definition.columns.contains { column in
                column.isLink && (column.rule != .nullify || column.backwardRule != .nullify)
            } ?? false
        }
    }
}

/// All that a delete takes along.
private struct Deletion {
    /// An object and the link that forbids its deletion if what is at the other end stays.
    private struct Objection {
        let table: TableReader
        let key: ObjectKey
        /// Where the link is a column of.
        let source: TableReader
        let column: ColumnDefinition
        let others: [ObjectKey]
        var isBackward: Bool
    }

    private let reader: StoreReader
    private(set) var keys: [TableID: Set<ObjectKey>] = [:]
    private var queue: [(table: TableReader, key: ObjectKey)] = []
    private var objections: [Objection] = []

    init(_ reader: StoreReader) { self.reader = reader }

    mutating func gather(_ table: TableReader, _ keys: [ObjectKey]) throws(StorageError) {
        add(table, keys)
        while let (table, key) = queue.popLast() {
            reader.safePoint()
            try followLinks(of: table, key)
            try followLinks(to: table, key)
        }
    }

    private mutating func add(_ table: TableReader, _ keys: some Sequence<ObjectKey>) {
        for key in keys where self.keys[table.definition.id, default: []].insert(key).inserted {
            queue.append((table, key))
        }
    }

    private mutating func followLinks(
        of table: TableReader,
        _ key: ObjectKey
    ) throws(StorageError) {
        guard let place = try table.locate(key) else { return }
        let view = ClusterView(place.cluster)
        for column in table.definition.columns where column.isLink {
            guard let target = column.target.flatMap({ reader.table($0) }) else { continue }
            if column.rule == .nullify, !target.definition.isEmbedded { continue }
            let others = try table.targets(of: column, view, place.row)
            if column.rule == .deny, !others.isEmpty {
                objections.append(
                    Objection(
                        table: table,
                        key: key,
                        source: table,
                        column: column,
                        others: others,
                        isBackward: false
                    )
                )
            } else {
                add(target, others)
            }
        }
    }

    private mutating func followLinks(
        to table: TableReader,
        _ key: ObjectKey
    ) throws(StorageError) {
        for case let source? in reader.tables {
            for column in source.definition.columns
            where column.isLink && column.target == table.definition.id
                && column.backwardRule != .nullify
            {
                let others = try source.sources(of: key, through: column.id)
                if column.backwardRule == .cascade {
                    add(source, others)
                } else if !others.isEmpty {
                    objections.append(
                        Objection(
                            table: table,
                            key: key,
                            source: source,
                            column: column,
                            others: others,
                            isBackward: true
                        )
                    )
                }
            }
        }
    }

    /// Finds a link that forbids what was gathered: one that leads to, or comes from, what stays.
    func check() throws(StorageError) {
        for objection in objections {
            let other =
                objection.isBackward ? objection.source.definition.id : objection.column.target ?? 0
            let gone = keys[other] ?? []
            let staying = Set(objection.others).subtracting(gone)
            if !staying.isEmpty { throw try refusal(objection, staying.sorted()) }
        }
    }

    private func refusal(
        _ objection: Objection,
        _ staying: [ObjectKey]
    ) throws(StorageError) -> StorageError {
        let name = objection.table.definition.name
        let property = "'\(objection.source.title(ofColumn: objection.column.id))'"
        let other =
            objection.isBackward ? objection.source : objection.column.target.flatMap(reader.table)
        var names: [String] = []
        for key in staying.prefix(3) {
            names.append(
                try other.map { (table) throws(StorageError) in try title(table, key) } ?? ""
            )
        }
        let all = names.joined(separator: ", ") + (staying.count > 3 ? ", ..." : "")
        let object = try title(objection.table, objection.key)
        let count = "\(staying.count) object\(staying.count == 1 ? "" : "s")"
        let reason =
            objection.isBackward
            ? "\(count) of class '\(other?.definition.name ?? "?")' still link to it through "
                + "\(property), which denies that: \(all)."
            : "\(property), whose delete rule is 'deny', still leads to \(count) of class "
                + "'\(other?.definition.name ?? "?")': \(all)."
        return StorageError(
            .refused,
            path: reader.store.path,
            detail: "Cannot delete the object of class '\(name)' with the \(object): \(reason)"
        )
    }

    private func title(_ table: TableReader, _ key: ObjectKey) throws(StorageError) -> String {
        guard let column = table.definition.primaryKey else { return "key \(key)" }
        return "primary key \(try table.valueText(column.id, of: key))"
    }
}
