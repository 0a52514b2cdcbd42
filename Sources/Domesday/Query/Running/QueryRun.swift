/// One evaluation of a query's condition, at one state of the store.
///
/// **Threads.** Its reader's.
struct QueryRun {
    let table: any QueryTable
    let source: (any KeySource)?
    let condition: BoundNode?
    let reader: TableReader

    init(_ table: any QueryTable, source: (any KeySource)?, condition: BoundNode?) {
        self.table = table
        self.source = source
        self.condition = condition
        reader = table.reader
    }

    /// Nanoseconds that looking up and testing one object costs, beside 1 for a number in a scan.
    private static let probeCost = 80.0

    private func filter() -> RowFilter? {
        condition.map { FilterCompiler.filter($0, table) }
    }

    /// The index to start from, if that is cheaper than looking at every object.
    private func probe(_ filter: RowFilter) throws(StorageError) -> IndexProbe? {
        try bestProbe().flatMap { isWorthwhile($0, filter) ? $0 : nil }
    }

    private func bestProbe() throws(StorageError) -> IndexProbe? {
        guard source == nil, let condition else { return nil }
        let probe = try IndexProbe.best(for: condition, table)
        // A look at a small class behind a link is worth it only where no index leads to few.
        if let probe, probe.estimate * 16 < reader.count { return probe }
        var hasHops = false
        condition.forEachPath { path, _ in hasHops = hasHops || !path.hops.isEmpty }
        if !hasHops { return probe }
        return try IndexProbe.best(for: condition, table, scanningSmallClasses: true)
    }

    private func isWorthwhile(_ probe: IndexProbe, _ filter: RowFilter) -> Bool {
        let scan = Double(reader.count) * max(filter.cost, 1)
        return Double(probe.estimate) * Self.probeCost < scan || probe.estimate < 64
    }

    // MARK: - Loops

    /// Calls `body` with each cluster and a mask of the rows that match. `body` returns false to
    /// stop. Only where there is neither a source nor a probe.
    private func scan(
        _ filter: RowFilter?,
        _ body: (ClusterView, RowMask) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try filter?.prepare()
        try RowMask.withTemporary(count: RowMask.capacity) { memory throws(StorageError) in
            for ordinal in 0..<reader.clusterCount {
                reader.reader.safePoint()
                let view = try reader.cluster(ordinal)
                let mask = RowMask(bytes: memory.bytes, count: view.rowCount)
                mask.setAll()
                if let filter {
                    try filter.narrow(mask, view)
                    if mask.isEmpty { continue }
                }
                if try !body(view, mask) { return }
            }
        }
    }

    /// Calls `body` with each match: ascending by key, or in the source's order.
    private func visit(
        _ candidates: [ObjectKey],
        _ filter: RowFilter?,
        _ body: (ObjectKey, ClusterView, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if candidates.count > reader.count / 4 { try filter?.prepare() }
        for (index, key) in candidates.enumerated() {
            if index & 255 == 0 { reader.reader.safePoint() }
            guard let place = try reader.locate(key) else { continue }
            let view = ClusterView(place.cluster)
            if let filter, try !filter.matches(view, place.row) { continue }
            if try !body(key, view, place.row) { return }
        }
    }

    /// Calls `body` with each match in order; it returns false to stop.
    ///
    /// `body` must hold no pointer beyond the call.
    func forEach(
        _ body: (ObjectKey, ClusterView, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let filter = filter()
        if let source { return try visit(try source.sourceKeys(), filter, body) }
        if let filter, let probe = try probe(filter) {
            return try visit(Self.unique(try probe.keys()), filter, body)
        }
        try scan(filter) { view, mask throws(StorageError) in
            for row in 0..<mask.count where mask.isSet(row) {
                if try !body(view.key(row), view, row) { return false }
            }
            return true
        }
    }

    /// Calls `body` with each cluster that has matches; false if there is no scan to be made, then
    /// nothing was called.
    func forEachCluster(
        _ body: (ClusterView, RowMask) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard source == nil else { return false }
        let filter = filter()
        if let filter, try probe(filter) != nil { return false }
        try scan(filter) { view, mask throws(StorageError) in
            try body(view, mask)
            return true
        }
        return true
    }

    private static func unique(_ keys: [ObjectKey]) -> [ObjectKey] {
        var sorted = keys.sorted()
        var last: ObjectKey?
        sorted.removeAll { key in
            defer { last = key }
            return key == last
        }
        return sorted
    }

    // MARK: - Results

    func count() throws(StorageError) -> Int {
        let probe = try bestProbe()
        // An exact one has counted already, whatever a scan would cost.
        if let probe, probe.isExact { return probe.estimate }
        guard let filter = filter() else { return try source?.sourceKeys().count ?? reader.count }
        var count = 0
        if let source {
            try visit(try source.sourceKeys(), filter) { _, _, _ throws(StorageError) in
                count += 1
                return true
            }
            return count
        }
        if let probe, isWorthwhile(probe, filter) {
            try visit(Self.unique(try probe.keys()), filter) { _, _, _ throws(StorageError) in
                count += 1
                return true
            }
            return count
        }
        try scan(filter) { _, mask throws(StorageError) in
            count += mask.setCount
            return true
        }
        return count
    }

    /// The keys of the matches, all or the first `count`.
    func keys(first count: Int? = nil) throws(StorageError) -> ContiguousArray<ObjectKey> {
        var keys: ContiguousArray<ObjectKey> = []
        if count == 0 { return keys }
        if condition == nil, source == nil {
            keys.reserveCapacity(min(reader.count, count ?? .max))
        }
        try forEach { key, _, _ throws(StorageError) in
            keys.append(key)
            return count.map { keys.count < $0 } ?? true
        }
        return keys
    }

    func firstKey() throws(StorageError) -> ObjectKey? {
        var first: ObjectKey?
        try forEach { key, _, _ throws(StorageError) in
            first = key
            return false
        }
        return first
    }

    func explain() throws(StorageError) -> [String] {
        if let source {
            return [
                "\(source.sourceDescription): \(try source.sourceKeys().count) objects"
                    + (condition == nil ? "" : ", each tested")
            ]
        }
        guard let filter = filter() else {
            return ["all \(reader.count) objects of \(table.className)"]
        }
        if let probe = try probe(filter) {
            let tested = probe.isExact ? "" : ", each tested"
            return ["\(probe.description()): \(probe.estimate) objects\(tested)"]
        }
        return ["scan of \(reader.count) objects of \(table.className)"]
    }
}
