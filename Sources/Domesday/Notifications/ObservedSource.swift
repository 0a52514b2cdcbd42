/// The elements of an observed collection at one version.
///
/// **Threads.** Its notifier's.
final class KnownElements {
    enum Content {
        /// Objects by key.
        case objects(ContiguousArray<ObjectKey>)
        /// Values in stored form.
        case values(ContiguousArray<[UInt8]>)
    }

    let content: Content
    /// Whether the keys ascend, each once.
    let isAscending: Bool

    init(_ content: Content, isAscending: Bool = false) {
        self.content = content
        self.isAscending = isAscending
    }

    static var none: KnownElements { KnownElements(.objects([]), isAscending: true) }

    var keys: ContiguousArray<ObjectKey> {
        if case .objects(let keys) = content { return keys }
        return []
    }

    /// The keys in ascending order.
    lazy var ascendingKeys: ContiguousArray<ObjectKey> =
        isAscending ? keys : ContiguousArray(keys.sorted())

    func contains(_ key: ObjectKey) -> Bool { ascendingKeys.position(of: key) != nil }

    /// The positions of all elements that are in a set, ascending.
    ///
    /// - Complexity: O(set * log *n*) if none is there or keys ascend, else O(*n*).
    func positions(of set: Set<ObjectKey>) -> [Int] {
        if set.isEmpty || keys.isEmpty { return [] }
        if set.count < keys.count / 8 {
            if isAscending { return set.compactMap { keys.position(of: $0) }.sorted() }
            if !set.contains(where: { contains($0) }) { return [] }
        }
        return keys.indices.filter { set.contains(keys[$0]) }
    }

    /// How these became `next`.
    func difference(to next: KnownElements, pairsReplacements: Bool) -> SequenceDifference {
        switch (content, next.content) {
        case (.objects(let old), .objects(let new)):
            SequenceDifference(from: old, to: new, pairsReplacements: pairsReplacements)
        case (.values(let old), .values(let new)):
            SequenceDifference(from: old, to: new, pairsReplacements: pairsReplacements)
        case (.values(let old), .objects): SequenceDifference(from: old, to: [])
        case (.objects, .values(let new)): SequenceDifference(from: [], to: new)
        }
    }
}

extension ContiguousArray<ObjectKey> {
    /// The position of a key in an ascending array.
    func position(of key: ObjectKey) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if self[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == key ? low : nil
    }
}

/// Where an observed collection's elements come from.
///
/// **Threads.** Its Realm's, outside writes.
protocol ObservedSource: AnyObject {
    /// The class of the elements; nil for values.
    var elementTable: BoundTable? { get }
    /// Whether elements can be set, so that another one at the same place is a modification.
    var hasSettableElements: Bool { get }
    /// All elements now; none if the object they belong to is gone.
    func elements() throws(StorageError) -> KnownElements
    /// The elements at the newer version; nil if they are the same as before.
    func elements(
        after known: KnownElements,
        _ affected: AffectedObjects
    ) throws(StorageError) -> KnownElements?
}

/// The objects that link to one object.
final class ObservedLinks: ObservedSource {
    private let source: LinkingSource
    var elementTable: BoundTable? { source.originTable }
    var hasSettableElements: Bool { false }

    init(_ source: LinkingSource) { self.source = source }

    func elements() throws(StorageError) -> KnownElements {
        let key = source.binding.key
        guard try source.control.table.reader.locate(key) != nil else { return .none }
        let origin = source.origin
        let keys = try origin.table.reader.sources(of: key, through: origin.column)
        return KnownElements(.objects(ContiguousArray(keys)))
    }

    func elements(
        after known: KnownElements,
        _ affected: AffectedObjects
    ) throws(StorageError) -> KnownElements? {
        let change = try affected.difference.table(source.origin.table.id)
        let changed = change.changesObjects || change.columns.contains(source.origin.column)
        return changed ? try elements() : nil
    }
}

/// The objects of a query.
final class ObservedQuery: ObservedSource {
    private let base: CollectionQuery
    private var query: ObjectQuery { base.query }
    private let dependencies: QueryDependencies
    private let conditionPaths: [ObservedPath]
    private let orderPaths: [ObservedPath]
    var elementTable: BoundTable? { base.table }
    var hasSettableElements: Bool { false }

    init(_ base: CollectionQuery) {
        self.base = base
        dependencies = QueryDependencies(of: base.query)
        (conditionPaths, orderPaths) = ObservedPath.paths(of: base.query)
    }

    private var isAscending: Bool { query.source == nil && query.steps.isEmpty }
    /// Whether what is there depends on each object by itself.
    private var isOneByOne: Bool {
        query.source == nil && query.steps.allSatisfy { !$0.dependsOnOthers }
    }

    func elements() throws(StorageError) -> KnownElements {
        if let source = query.source {
            // nil when the object whose collection it is was deleted.
            let isDynamic = base.table.schema.isDynamic
            let here = try source.moved { base.state.requireTable($0, isDynamic: isDynamic) }
            if here == nil { return .none }
        }
        return KnownElements(.objects(try query.keys()), isAscending: isAscending)
    }

    func elements(
        after known: KnownElements,
        _ affected: AffectedObjects
    ) throws(StorageError) -> KnownElements? {
        let difference = affected.difference
        guard isOneByOne else { return try mayHaveChanged(difference) ? try elements() : nil }
        let own = try difference.table(base.table.id)
        var candidates = try affected.objects(along: conditionPaths)
        // Positions among the others may change without a change of what is there.
        let reordered = try affected.objects(along: orderPaths)
        if own.inserted.isEmpty, own.deleted.isEmpty, candidates.isEmpty, reordered.isEmpty {
            return nil
        }
        candidates.formUnion(own.inserted)
        if candidates.count > max(base.table.reader.count / 4, 64) { return try elements() }
        var added: [ObjectKey] = []
        var removed = Set(own.deleted.lazy.filter { known.contains($0) })
        // Compiled only for something to test: it costs more than the rest.
        let filter =
            candidates.isEmpty
            ? nil : query.condition.map { FilterCompiler.filter($0, base.table) }
        for key in candidates {
            let matches = try self.matches(key, filter)
            let wasThere = known.contains(key)
            if matches, !wasThere { added.append(key) }
            if !matches, wasThere { removed.insert(key) }
        }
        if added.isEmpty, removed.isEmpty, !reordered.contains(where: { known.contains($0) }) {
            return nil
        }
        let keys = Self.merged(known.ascendingKeys, removed, added.sorted())
        if query.steps.isEmpty { return KnownElements(.objects(keys), isAscending: true) }
        let sorted = ObjectQuery(
            base.table,
            source: KnownKeys(base.table, keys),
            steps: query.steps
        )
        return KnownElements(.objects(try sorted.keys()))
    }

    private func matches(_ key: ObjectKey, _ filter: RowFilter?) throws(StorageError) -> Bool {
        guard let place = try base.table.reader.locate(key) else { return false }
        return try filter?.matches(ClusterView(place.cluster), place.row) ?? true
    }

    private func mayHaveChanged(_ difference: VersionDifference) throws(StorageError) -> Bool {
        for table in dependencies.tables where try difference.table(table).changesObjects {
            return true
        }
        for column in dependencies.columns
        where try difference.table(column.table).columns.contains(column.column) {
            return true
        }
        return false
    }

    private static func merged(
        _ keys: ContiguousArray<ObjectKey>,
        _ removed: Set<ObjectKey>,
        _ added: [ObjectKey]
    ) -> ContiguousArray<ObjectKey> {
        var result: ContiguousArray<ObjectKey> = []
        result.reserveCapacity(keys.count + added.count)
        var next = 0
        for key in keys {
            while next < added.count, added[next] < key {
                result.append(added[next])
                next += 1
            }
            if removed.isEmpty || !removed.contains(key) { result.append(key) }
        }
        result.append(contentsOf: added[next...])
        return result
    }
}
