/// A collection in a column of one object, or one inside the value of any type that stands there.
///
/// What is here of elements is for lists and sets; ``MapNotifier`` reads maps.
final class ObservedColumn: ObservedSource {
    private let table: BoundTable
    private let key: ObjectKey
    private let column: Int
    private let layout: SequenceLayout
    private let path: [NestedStep]
    let elementTable: BoundTable?
    /// An element of a set cannot be set: another one is deleted and inserted.
    var hasSettableElements: Bool { layout.shape == .list }

    /// - Parameters:
    ///   - layout: How the elements lie.
    ///   - path: The way to the collection inside a value of any type, else empty.
    init(
        _ table: BoundTable,
        _ key: ObjectKey,
        _ column: Int,
        _ layout: SequenceLayout,
        path: [NestedStep]
    ) {
        self.path = path
        self.table = table
        self.key = key
        self.column = column
        self.layout = layout
        elementTable = layout.type == .link ? table.targets[column] : nil
    }

    func elements() throws(StorageError) -> KnownElements {
        guard let sequence = try sequence() else { return .none }
        if layout.type == .link {
            guard let links = LinkList(sequence) else { throw damaged }
            let keys = ContiguousArray(links.keys)
            return KnownElements(.objects(keys), isAscending: layout.shape == .set)
        }
        var values: ContiguousArray<[UInt8]> = []
        let isWhole = sequence.forEach {
            values.append(Array($0))
            return true
        }
        if !isWhole { throw damaged }
        return KnownElements(.values(values))
    }

    /// What is stored now; nil if the object, or the collection in a value of it, is gone.
    func sequence() throws(StorageError) -> StoredSequence? {
        guard let place = try table.place(of: key, column: column) else { return nil }
        let view = ClusterView(place.cluster)
        if path.isEmpty {
            return try table.reader.sequence(column, view, place.row, layout: layout)
        }
        // Loaded here: reading the place traps where this throws.
        if view.state(column, place.row) == 3 {
            try table.reader.sequence(column, view, place.row).tree?.loadAll()
        } else {
            _ = try table.reader.bytes(place.cluster, column: column, row: place.row)
        }
        return path.nestedSequence(in: place, layout)
    }

    var damaged: StorageError {
        if let error = table.reader.takeSequenceFailure() { return error }
        return StorageError(.damaged, path: table.realm.path, detail: "a collection is damaged")
    }

    func elements(
        after known: KnownElements,
        _ affected: AffectedObjects
    ) throws(StorageError) -> KnownElements? {
        try mayHaveChanged(affected) ? try elements() : nil
    }

    /// Whether the column was written or the object deleted.
    func mayHaveChanged(_ affected: AffectedObjects) throws(StorageError) -> Bool {
        let change = try affected.difference.table(table.id)
        if change.modified[key]?.contains(column) ?? false { return true }
        return change.deleted.position(of: key) != nil
    }
}

/// The results of a query of values.
final class ObservedValues: ObservedSource {
    private let query: any ElementQuerying
    private let column: ObservedColumn
    var elementTable: BoundTable? { nil }
    var hasSettableElements: Bool { false }

    /// - Parameter column: What the values come from.
    init(_ query: any ElementQuerying, from column: ObservedColumn) {
        self.query = query
        self.column = column
    }

    func elements() throws(StorageError) -> KnownElements {
        // Asked of a collection that is gone, the query would trap.
        guard try column.sequence() != nil else { return .none }
        return KnownElements(.values(query.storedElements()))
    }

    func elements(
        after known: KnownElements,
        _ affected: AffectedObjects
    ) throws(StorageError) -> KnownElements? {
        try column.mayHaveChanged(affected) ? try elements() : nil
    }
}
