/// Finds the objects that changes elsewhere count for, by following links back from what changed.
///
/// **Threads.** Its Realm's, which stands at the newer version, outside a write.
struct AffectedObjects {
    let difference: VersionDifference

    /// How many links deep a change is looked for without key paths.
    static let depth = 4

    // MARK: - Along paths

    /// The objects at the paths' beginning for which something on one of them changed.
    ///
    /// - Complexity: O(what changed on the paths + the links that lead there).
    func objects(along paths: [ObservedPath]) throws(StorageError) -> Set<ObjectKey> {
        var result: Set<ObjectKey> = []
        for path in paths { result.formUnion(try objects(along: path)) }
        return result
    }

    func objects(along path: ObservedPath) throws(StorageError) -> Set<ObjectKey> {
        var set: Set<ObjectKey> = []
        if case .column(let table, let column) = path.end {
            set = try modified(column, in: table.tableID)
        }
        for step in path.steps.reversed() {
            switch step {
            case .link(let source, let column):
                var sources = try modified(column, in: source.tableID)
                for key in set {
                    sources.formUnion(try source.reader.sources(of: key, through: column))
                }
                set = sources
            case .backlink(let origin, let column):
                set = try targets(of: set, in: origin, column)
            }
        }
        return set
    }

    private func modified(_ column: Int, in table: TableID) throws(StorageError) -> Set<ObjectKey> {
        let difference = try difference.table(table)
        guard difference.columns.contains(column) else { return [] }
        var result: Set<ObjectKey> = []
        for (key, columns) in difference.modified where columns.contains(column) {
            result.insert(key)
        }
        return result
    }

    /// What the objects of `set` link to, and what those that came, went or were changed linked to
    /// or link to.
    private func targets(
        of set: Set<ObjectKey>,
        in origin: any QueryTable,
        _ column: Int
    ) throws(StorageError) -> Set<ObjectKey> {
        let change = try difference.table(origin.tableID)
        let relinked = try modified(column, in: origin.tableID)
        var result: Set<ObjectKey> = []
        for key in set.union(relinked).union(change.inserted) {
            result.formUnion(try origin.reader.targets(of: key, column))
        }
        if !relinked.isEmpty || !change.deleted.isEmpty,
            let old = difference.oldTable(origin.tableID)
        {
            for key in relinked.union(change.deleted) {
                result.formUnion(try old.targets(of: key, column))
            }
        }
        return result
    }

    // MARK: - Without paths

    /// The objects of a class in which a property changed, or in an object up to four links away.
    ///
    /// - Complexity: O(what changed + the links that lead there), once for each class and difference.
    func deeplyModified(_ root: BoundTable) throws(StorageError) -> Set<ObjectKey> {
        if let known = difference.deeplyModified[root.id] { return known }
        let tables = Self.tables(from: root)
        var visited: [TableID: Set<ObjectKey>] = [:]
        for table in tables {
            let keys = try difference.table(table.id).modified.keys
            if !keys.isEmpty { visited[table.id] = Set(keys) }
        }
        var frontier = visited
        for _ in 0..<Self.depth where !frontier.isEmpty {
            var next: [TableID: Set<ObjectKey>] = [:]
            for source in tables {
                for (column, target) in source.targets.enumerated() {
                    guard let target, let changed = frontier[target.id] else { continue }
                    for key in changed {
                        for found in try source.reader.sources(of: key, through: column)
                        where visited[source.id, default: []].insert(found).inserted {
                            next[source.id, default: []].insert(found)
                        }
                    }
                }
            }
            frontier = next
        }
        let result = visited[root.id] ?? []
        difference.deeplyModified[root.id] = result
        return result
    }

    /// The classes that links from a class lead to, itself included.
    static func tables(from root: BoundTable) -> [BoundTable] {
        var result = [root]
        var last = [root]
        for _ in 0..<depth {
            var next: [BoundTable] = []
            for table in last {
                for case let target? in table.targets
                where !result.contains(where: { $0 === target }) {
                    result.append(target)
                    next.append(target)
                }
            }
            last = next
        }
        return result
    }
}

extension TableReader {
    /// The objects that a link column of an object leads to, in order; none if there is no such
    /// object.
    func targets(of key: ObjectKey, _ column: Int) throws(StorageError) -> [ObjectKey] {
        guard let place = try locate(key) else { return [] }
        let view = ClusterView(place.cluster)
        guard definition.columns[column].shape == .none else {
            return try linkList(column, view, place.row).keys.filter { $0 != 0 }
        }
        let target = view.int(column, place.row)
        return target == 0 ? [] : [target]
    }
}
