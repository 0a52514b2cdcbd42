extension TableReader {
    /// Deletes objects: links to them become nil, list entries with them go, embedded children go
    /// with their owners.
    ///
    /// - Parameter keys: ascending, each once; keys without an object are passed over.
    /// - Complexity: O(keys + links to them + clusters touched).
    func delete(_ keys: [ObjectKey]) throws(StorageError) {
        var children: [TableID: Set<ObjectKey>] = [:]
        try nullifyLinks(to: keys)
        let changes = changes()
        let columns = changes.definition.columns.filter {
            $0.entersIndex || $0.isLink || $0.kind == .bytes
        }
        var position = 0
        while position < keys.count {
            let ordinal = ordinal(of: keys[position])
            guard ordinal >= 0 else {
                position += 1
                continue
            }
            if let write = reader.write, write.isOverMemoryLimit { try write.flush() }
            let cluster = try mutable(ordinal)
            var rows: [Int] = []
            while position < keys.count, self.ordinal(of: keys[position]) == ordinal {
                let row = cluster.view.row(of: keys[position])
                position += 1
                if row >= 0 { rows.append(row) }
            }
            for row in rows {
                try leave(cluster, row, columns, &children)
            }
            guard !rows.isEmpty else { continue }
            cluster.remove(rows: rows)
            changes.count -= rows.count
            changes.shrunk.insert(ordinal)
        }
        for (table, keys) in children.sorted(by: { $0.key < $1.key }) {
            try reader.table(table)?.delete(keys.sorted())
        }
    }

    /// Takes an object out of indexes and back-links, notes its embedded children and long values.
    private func leave(
        _ cluster: MutableCluster,
        _ row: Int,
        _ columns: [ColumnDefinition],
        _ children: inout [TableID: Set<ObjectKey>]
    ) throws(StorageError) {
        let changes = changes()
        let view = cluster.view
        let key = view.key(row)
        for column in columns {
            if column.entersIndex {
                changes.overlay(column.id)?.remove(
                    value: try indexValue(column.id, view, row),
                    key: UInt64(key)
                )
            }
            if column.isLink {
                let targets = try targets(of: column, view, row)
                let owns =
                    column.target.flatMap { reader.table($0)?.definition.isEmbedded } ?? false
                for target in targets {
                    changes.overlay(column.id)?.remove(
                        value: UInt64(target),
                        key: UInt64(key)
                    )
                    if owns, let table = column.target {
                        children[table, default: []].insert(target)
                    }
                }
            }
            if column.kind == .bytes, view.state(column.id, row) == 2,
                let (number, _) = LongValue.decode(
                    ClusterView.bytes(try heap(view), column.id, row)
                )
            {
                if changes.longValues.removeValue(forKey: number) == nil {
                    changes.droppedLongValues.append(number)
                }
            }
        }
    }

    /// Where an object's link column leads: none, one, or a list's targets in order.
    func targets(
        of column: ColumnDefinition,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [ObjectKey] {
        if column.shape == .none {
            let target = view.int(column.id, row)
            return target == 0 ? [] : [target]
        }
        return RowWriter.links(try bytes(view.payload, column: column.id, row: row))
    }

    /// Ends all links that lead to objects of this table.
    private func nullifyLinks(to keys: [ObjectKey]) throws(StorageError) {
        let id = definition.id
        for source in reader.tables.compactMap({ $0 }) {
            for column in source.definition.columns where column.isLink && column.target == id {
                for key in keys {
                    let sources = try source.sources(of: key, through: column.id)
                    var previous: ObjectKey?
                    for from in sources where from != previous {
                        previous = from
                        try source.unlink(from, column, to: key)
                    }
                }
            }
        }
    }

    private func unlink(
        _ key: ObjectKey,
        _ column: ColumnDefinition,
        to target: ObjectKey
    ) throws(StorageError) {
        let writer = try writer(of: key)
        if column.shape == .none { return try writer.setInt(0, column.id) }
        let stored = RowWriter.links(
            try bytes(writer.cluster.view.payload, column: column.id, row: writer.row)
        )
        for position in stored.indices.reversed() where stored[position] == target {
            try writer.splice(
                column.id,
                at: position * 8,
                removing: 8,
                inserting: UnsafeRawBufferPointer(start: nil, count: 0)
            )
        }
    }

    /// Deletes every object.
    func deleteAll() throws(StorageError) {
        try delete(try allKeys())
    }

    /// The keys of all objects, ascending.
    func allKeys() throws(StorageError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for ordinal in 0..<clusterCount {
            reader.safePoint()
            let view = try cluster(ordinal)
            for row in 0..<view.rowCount { keys.append(view.key(row)) }
        }
        return keys
    }
}
