/// A condition ready to run over the rows of one table: the executable form of a bound node.
///
/// Subclasses override `narrow` with loops over columns. A filter is made for one evaluation at one
/// version and may remember what it computed.
///
/// **Threads.** Its reader's.
class RowFilter {
    let table: TableReader

    init(_ table: TableReader) { self.table = table }

    /// What running it costs per row, for the order of conjunctions: 1 is a numeric column.
    var cost: Double { 1 }

    /// Computes what depends on other tables. Called once before a loop of `narrow` over clusters,
    /// with no pointer into a cluster held: it may give memory back.
    func prepare() throws(StorageError) {}

    /// Takes away the wanted rows that do not match.
    func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        for row in 0..<mask.count where mask.isSet(row) {
            mask.bytes[row] = try matches(view, row) ? 1 : 0
        }
    }

    /// Whether one row matches.
    func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        fatalError("a filter must override matches")
    }
}

/// Matches every row or none.
final class ConstantFilter: RowFilter {
    let value: Bool

    init(_ table: TableReader, _ value: Bool) {
        self.value = value
        super.init(table)
    }

    override var cost: Double { 0 }

    override func narrow(_ mask: RowMask, _ view: ClusterView) {
        if !value { mask.clearAll() }
    }

    override func matches(_ view: ClusterView, _ row: Int) -> Bool { value }
}

/// Matches what all its parts match; the cheapest part runs first.
final class AndFilter: RowFilter {
    let parts: [RowFilter]

    init(_ table: TableReader, _ parts: [RowFilter]) {
        self.parts = parts.enumerated()
            .sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
            .map(\.element)
        super.init(table)
    }

    override var cost: Double { parts.reduce(0) { $0 + $1.cost } }

    override func prepare() throws(StorageError) {
        for part in parts { try part.prepare() }
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        for (index, part) in parts.enumerated() {
            if index > 0, part.cost > 1, mask.isEmpty { return }
            try part.narrow(mask, view)
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        for part in parts where try !part.matches(view, row) { return false }
        return true
    }
}

/// Matches what one of its parts matches.
final class OrFilter: RowFilter {
    let parts: [RowFilter]

    init(_ table: TableReader, _ parts: [RowFilter]) {
        self.parts = parts
        super.init(table)
    }

    override var cost: Double { parts.reduce(0) { $0 + $1.cost } }

    override func prepare() throws(StorageError) {
        for part in parts { try part.prepare() }
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        try RowMask.withTemporary(count: mask.count) { found throws(StorageError) in
            found.clearAll()
            try RowMask.withTemporary(count: mask.count) { part throws(StorageError) in
                for filter in parts {
                    part.copy(from: mask)
                    // What one part has found the others need not look at.
                    part.subtract(found)
                    try filter.narrow(part, view)
                    found.formUnion(part)
                }
            }
            mask.copy(from: found)
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        for part in parts where try part.matches(view, row) { return true }
        return false
    }
}

final class NotFilter: RowFilter {
    let part: RowFilter

    init(_ part: RowFilter) {
        self.part = part
        super.init(part.table)
    }

    override var cost: Double { part.cost }

    override func prepare() throws(StorageError) { try part.prepare() }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        try RowMask.withTemporary(count: mask.count) { found throws(StorageError) in
            found.copy(from: mask)
            try part.narrow(found, view)
            mask.subtract(found)
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        try !part.matches(view, row)
    }
}
