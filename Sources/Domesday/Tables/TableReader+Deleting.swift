extension TableReader {
    /// Deletes objects, whatever the rules of links: links to them become nil, in maps too, elements
    /// of lists and sets with them go, embedded children go with their owners.
    ///
    /// - Parameter keys: ascending, each once; keys without an object are passed over.
    /// - Complexity: O(keys + links to them + clusters touched).
    func erase(_ keys: [ObjectKey]) throws(StorageError) {
        var children: [TableID: Set<ObjectKey>] = [:]
        try nullifyLinks(to: keys)
        let changes = changes()
        // Compound indexes come first: they read values that the columns after them let go.
        let all = changes.definition.columns
        let columns =
            all.filter { $0.isCompound && !$0.isRemoved }
            + all.filter {
                !$0.isCompound && ($0.entersIndex || $0.isLink || $0.kind == .bytes)
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
            guard !rows.isEmpty else { continue }
            for column in columns { try leave(cluster, rows, column, &children) }
            cluster.remove(rows: rows)
            changeCounts.noteObjects()
            changes.count -= rows.count
            changes.shrunk.insert(ordinal)
        }
        for (table, keys) in children.sorted(by: { $0.key < $1.key }) {
            try reader.table(table)?.erase(keys.sorted())
        }
    }

    /// Takes objects out of one column's index and back-links, notes their embedded children and
    /// long values.
    private func leave(
        _ cluster: MutableCluster,
        _ rows: [Int],
        _ column: ColumnDefinition,
        _ children: inout [TableID: Set<ObjectKey>]
    ) throws(StorageError) {
        let changes = changes()
        let view = cluster.view
        let overlay = changes.overlay(column.id)
        if column.entersIndex, let overlay {
            for row in rows {
                let value = try indexValue(column.id, view, row)
                overlay.remove(value: value, key: UInt64(view.key(row)))
            }
        }
        if column.entersWords, let overlay {
            for row in rows {
                for image in try wordImages(column.id, view, row) {
                    overlay.remove(value: image, key: UInt64(view.key(row)))
                }
            }
        }
        if column.isLink {
            let owns = column.target.flatMap { reader.table($0)?.definition.isEmbedded } ?? false
            for row in rows {
                for target in try targets(of: column, view, row) {
                    overlay?.remove(value: UInt64(target), key: UInt64(view.key(row)))
                    if owns, let table = column.target {
                        children[table, default: []].insert(target)
                    }
                }
            }
        }
        if column.isMixed, let overlay {
            for row in rows {
                for link in try mixedLinks(of: column, view, row) {
                    overlay.remove(value: link.image, key: UInt64(view.key(row)))
                }
            }
        }
        guard column.kind == .bytes, view.states(column.id) != nil else { return }
        for row in rows { _ = try dropLongValues(column.id, view, row) }
    }

    /// Gives up what a row keeps outside its cluster: a long value, or a collection's root and leaves.
    ///
    /// - Returns: whether there was anything.
    func dropLongValues(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> Bool {
        let state = view.state(column, row)
        guard state >= 2 else { return false }
        let reference = ClusterView.bytes(try heap(view), column, row)
        if state == 3 {
            let tree = try tree(reference, SequenceLayout(definition.columns[column]), view)
            for leaf in tree.root.leaves { changes().dropLong(leaf.number) }
            changes().dropLong(tree.number)
        } else if let (number, _) = LongValue.decode(reference) {
            changes().dropLong(number)
        }
        return true
    }

    /// Gives up what the rows of a column that is about to go keep outside their clusters: embedded
    /// objects, long values, collections.
    func dropContents(ofColumn id: Int) throws(StorageError) {
        let column = definition.columns[id]
        guard !column.isRemoved else { return }
        if let owned = column.target.flatMap({ reader.table($0) }), owned.definition.isEmbedded {
            var children: [ObjectKey] = []
            try forEachRow { view, row throws(StorageError) in
                children += try targets(of: column, view, row)
            }
            try owned.erase(children.sorted())
        }
        guard column.kind == .bytes else { return }
        try forEachRow { view, row throws(StorageError) in _ = try dropLongValues(id, view, row) }
    }

    private func forEachRow(
        _ body: (ClusterView, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        for ordinal in 0..<clusterCount {
            reader.safePoint()
            let view = try cluster(ordinal)
            for row in 0..<view.rowCount { try body(view, row) }
        }
    }

    /// Where an object's link column leads: none, one, or a collection's targets in order.
    func targets(
        of column: ColumnDefinition,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [ObjectKey] {
        if column.shape == .none {
            let target = view.int(column.id, row)
            return target == 0 ? [] : [target]
        }
        return try linkList(column.id, view, row).keys.filter { $0 != 0 }
    }

    /// Ends all links that lead to objects of this table.
    private func nullifyLinks(to keys: [ObjectKey]) throws(StorageError) {
        let id = definition.id
        let targets = KeySet(keys)
        try endMixedLinks(to: keys)
        for source in reader.tables.compactMap({ $0 }) {
            for column in source.definition.columns where column.isLink && column.target == id {
                // Many: a pass over the source costs less than a search for each.
                if let targets, keys.count > 64, keys.count > source.count / 32 {
                    try source.unlink(column, toAll: targets)
                    continue
                }
                for key in keys {
                    let sources = try source.sources(of: key, through: column.id)
                    var previous: ObjectKey?
                    for from in sources where from != previous {
                        previous = from
                        try source.unlink(from, column) { $0 == key }
                    }
                }
            }
        }
    }

    /// Ends the links of a column that lead to any of some objects, in one pass over the table.
    ///
    /// - Complexity: O(objects of the table).
    private func unlink(
        _ column: ColumnDefinition,
        toAll deleted: KeySet
    ) throws(StorageError) {
        var rows: [(row: Int, target: ObjectKey)] = []
        let layout = SequenceLayout(column)
        for ordinal in 0..<clusterCount {
            reader.safePoint()
            rows.removeAll(keepingCapacity: true)
            let view = try cluster(ordinal)
            for row in 0..<view.rowCount {
                if column.shape == .none {
                    let target = view.int(column.id, row)
                    if deleted.contains(target) { rows.append((row, target)) }
                } else if try linkList(column.id, view, row, layout: layout)
                    .contains(where: deleted.contains)
                {
                    rows.append((row, 0))
                }
            }
            if rows.isEmpty { continue }
            if let write = reader.write, write.isOverMemoryLimit { try write.flush() }
            let cluster = try mutable(ordinal)
            changeCounts.noteChange(column.id)
            if column.shape == .none {
                let overlay = changes().overlay(column.id)
                for (row, target) in rows {
                    cluster.setInt(column.id, row, 0)
                    let key = UInt64(cluster.view.key(row))
                    overlay?.remove(value: UInt64(target), key: key)
                }
            } else {
                for (row, _) in rows {
                    try unlink(cluster.view.key(row), column, where: deleted.contains)
                }
            }
        }
    }

    /// Ends the links of one object that lead to objects for which `isGone` holds.
    ///
    /// - Complexity: O(links), however many go.
    private func unlink(
        _ key: ObjectKey,
        _ column: ColumnDefinition,
        where isGone: (ObjectKey) -> Bool
    ) throws(StorageError) {
        let writer = try writer(of: key)
        if column.shape == .none { return try writer.setInt(0, column.id) }
        let layout = SequenceLayout(column)
        let view = writer.cluster.view
        let links = try linkList(column.id, view, writer.row, layout: layout).keys
        let gone = links.indices.filter { links[$0] != 0 && isGone(links[$0]) }
        let sequence = try sequence(column.id, view, writer.row, layout: layout)
        guard gone.count <= 4 else {
            guard let leaves = sequence.leafPositions else { throw damagedSequence(view) }
            return try unlink(writer, column.id, at: gone, leaves)
        }
        // Changed from the end: positions before a change stay.
        for position in gone.reversed() {
            let range = position..<(position + 1)
            let now = try self.sequence(column.id, writer.cluster.view, writer.row, layout: layout)
            guard let rest = now.withoutLinks(at: [position], in: range) else {
                throw damagedSequence(view)
            }
            try writer.replaceElements(column.id, range, with: rest)
        }
    }

    /// Ends the links at some positions of a collection, leaf by leaf.
    ///
    /// - Parameter leaves: the positions of each leaf.
    private func unlink(
        _ writer: RowWriter,
        _ column: Int,
        at gone: [Int],
        _ leaves: [Range<Int>]
    ) throws(StorageError) {
        var rest = gone[...]
        // From the end: positions before a change stay.
        for leaf in leaves.reversed() {
            let start = rest.firstIndex { $0 >= leaf.lowerBound } ?? rest.endIndex
            let inside = Array(rest[start...])
            rest = rest[..<start]
            if inside.isEmpty { continue }
            let view = writer.cluster.view
            let elements = try sequence(column, view, writer.row)
                .withoutLinks(at: inside, in: leaf)
            guard let elements else { throw damagedSequence(view) }
            try writer.replaceElements(column, leaf, with: elements)
        }
    }

    /// Deletes every object, whatever the rules of links.
    func deleteAll() throws(StorageError) {
        try erase(try allKeys())
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

/// Keys to look for, as bits; only for keys that lie close enough together.
private struct KeySet {
    private let first: ObjectKey
    private let words: [UInt64]

    /// - Parameter keys: ascending.
    /// - Returns: nil if they are spread so widely that the bits would take too much memory.
    init?(_ keys: [ObjectKey]) {
        guard let first = keys.first, let last = keys.last,
            last - first < Int64(keys.count) * 1024
        else { return nil }
        var words = [UInt64](repeating: 0, count: Int(last - first) / 64 + 1)
        for key in keys {
            let bit = Int(key - first)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
        }
        self.first = first
        self.words = words
    }

    func contains(_ key: ObjectKey) -> Bool {
        let bit = Int(key &- first)
        guard bit >= 0, bit >> 6 < words.count else { return false }
        return words[bit >> 6] >> UInt64(bit & 63) & 1 == 1
    }
}
