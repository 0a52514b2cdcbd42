/// Rows from which one hop leads to an object that matches: a semi-join.
///
/// Over whole clusters the matching objects are computed once, as a set of keys; for single rows
/// the objects themselves are asked.
final class HopFilter: RowFilter {
    let hop: BoundHop
    /// Over the hop's target.
    let inner: RowFilter
    /// What a link that leads nowhere gives; an empty collection gives nothing.
    let nilMatches: Bool
    private var targets: MatchSet?
    /// For back-links: the objects of this table that matching origins lead to.
    private var reached: MatchSet?

    init(_ table: TableReader, _ hop: BoundHop, _ inner: RowFilter, nilMatches: Bool) {
        self.hop = hop
        self.inner = inner
        self.nilMatches = nilMatches
        super.init(table)
    }

    override var cost: Double {
        if case .link = hop { return 3 + inner.cost }
        return 20 + inner.cost
    }

    override func prepare() throws(StorageError) {
        if try hasFewLinks() { return }
        if case .backlinks(_, let column) = hop {
            if reached == nil { reached = try reachedSet(column) }
        } else if targets == nil {
            targets = try MatchSet(of: inner.table, where: inner)
        }
    }

    /// Whether so few links lead to so many objects that asking those costs less than asking all.
    private func hasFewLinks() throws(StorageError) -> Bool {
        let most = inner.table.count / 8
        let count: Int?
        switch hop {
        case .entry: return true
        case .link(let column, _), .links(let column, _):
            count = try table.index(column)?.count(in: 0...UInt64.max, from: table)
        case .backlinks(_, let column):
            if table.count >= most { return false }
            count = try inner.table.index(column)?.count(in: 0...UInt64.max, from: inner.table)
        }
        return count.map { $0 < most } ?? false
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        switch hop {
        case .link(let column, _):
            guard let targets else { break }
            return narrow(mask, view, column, targets)
        case .links(let column, _):
            guard let set = targets else { break }
            let layout = SequenceLayout(table.definition.columns[column])
            for row in 0..<mask.count where mask.isSet(row) {
                let links = try table.linkList(column, view, row, layout: layout)
                mask.bytes[row] = links.contains(where: set.contains) ? 1 : 0
            }
            return
        case .backlinks:
            guard let set = reached else { break }
            for row in 0..<mask.count where mask.isSet(row) {
                mask.bytes[row] = set.contains(view.key(row)) ? 1 : 0
            }
            return
        // Such paths are read row by row.
        case .entry: break
        }
        try super.narrow(mask, view)
    }

    private func narrow(_ mask: RowMask, _ view: ClusterView, _ column: Int, _ set: MatchSet) {
        let nilByte: UInt8 = nilMatches ? 1 : 0
        let used: Void? = set.withBits { base, bitCount, words in
            for row in 0..<mask.count {
                let key = view.int(column, row)
                let bit = UInt64(bitPattern: key &- base)
                var found: UInt8 = key == 0 ? nilByte : 0
                if bit < bitCount, key != 0 {
                    found = UInt8(truncatingIfNeeded: words[Int(bit >> 6)] >> (bit & 63) & 1)
                }
                mask.bytes[row] &= found
            }
        }
        if used == nil {
            for row in 0..<mask.count {
                mask.bytes[row] &= view.int(column, row) == 0 ? nilByte : 0
            }
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if case .link(let column, _) = hop, view.int(column, row) == 0 { return nilMatches }
        if let targets, case .link(let column, _) = hop {
            return targets.contains(view.int(column, row))
        }
        for key in try table.keys(through: hop, inner.table, view, row) {
            guard let place = try inner.table.locate(key) else { continue }
            if try inner.matches(ClusterView(place.cluster), place.row) { return true }
        }
        return false
    }

    private func reachedSet(_ column: Int) throws(StorageError) -> MatchSet {
        try inner.prepare()
        let origins = inner.table
        let layout = SequenceLayout(origins.definition.columns[column])
        var set = try MatchSet(of: table)
        try RowMask.withTemporary(count: RowMask.capacity) { memory throws(StorageError) in
            for ordinal in 0..<origins.clusterCount {
                origins.reader.safePoint()
                let view = try origins.cluster(ordinal)
                let mask = RowMask(bytes: memory.bytes, count: view.rowCount)
                mask.setAll()
                try inner.narrow(mask, view)
                for row in 0..<mask.count where mask.isSet(row) {
                    if layout.shape != .none {
                        try origins.linkList(column, view, row, layout: layout).forEach {
                            set.insert($0)
                        }
                    } else {
                        set.insert(view.int(column, row))
                    }
                }
            }
        }
        return set
    }
}

extension TableReader {
    /// Where one hop from a row leads, in order, with multiplicity; 0 for a nil in a map.
    func keys(
        through hop: BoundHop,
        _ target: TableReader,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [ObjectKey] {
        switch hop {
        case .link(let column, _):
            let key = view.int(column, row)
            return key == 0 ? [] : [key]
        case .links(let column, _):
            return try linkList(column, view, row).keys
        case .backlinks(_, let column):
            return try target.sources(of: view.key(row), through: column)
        case .entry(let column, let step, _):
            let key = try link(view, column, row, at: step)
            return key == 0 ? [] : [key]
        }
    }
}

/// Rows whose collection has a number of elements that lies in a range.
final class CountFilter: RowFilter {
    let hop: BoundHop
    /// Counts only members that match it.
    let inner: RowFilter?
    let range: ClosedRange<Int64>?
    let isInverted: Bool
    private let target: TableReader
    private var members: MatchSet?
    /// For back-links: by key, counted in one pass over their origins.
    private var counts: [ObjectKey: Int]?

    init(
        _ table: TableReader,
        _ hop: BoundHop,
        _ target: TableReader,
        _ inner: RowFilter?,
        _ range: ClosedRange<Int64>?,
        isInverted: Bool
    ) {
        self.hop = hop
        self.target = target
        self.inner = inner
        self.range = range
        self.isInverted = isInverted
        super.init(table)
    }

    override var cost: Double {
        if case .backlinks = hop { return 100 }
        return 5 + (inner?.cost ?? 0)
    }

    override func prepare() throws(StorageError) {
        if let inner, members == nil { members = try MatchSet(of: target, where: inner) }
        if case .backlinks(_, let column) = hop, counts == nil { counts = try countAll(column) }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        let count = Int64(try count(view, row))
        return (range?.contains(count) ?? false) != isInverted
    }

    private func count(_ view: ClusterView, _ row: Int) throws(StorageError) -> Int {
        if case .backlinks(_, let column) = hop {
            if let counts { return counts[view.key(row), default: 0] }
            if inner == nil { return try target.sourceCount(of: view.key(row), through: column) }
        } else if case .links(let column, _) = hop, inner == nil {
            return try table.elementCount(view, column, row)
        }
        var count = 0
        for key in try table.keys(through: hop, target, view, row) {
            count += try isMember(key) ? 1 : 0
        }
        return count
    }

    private func isMember(_ key: ObjectKey) throws(StorageError) -> Bool {
        if let members { return members.contains(key) }
        guard let place = try target.locate(key) else { return false }
        return try inner?.matches(ClusterView(place.cluster), place.row) ?? true
    }

    /// The counts of all objects that are led to, in one pass over the origins.
    private func countAll(_ column: Int) throws(StorageError) -> [ObjectKey: Int] {
        var counts: [ObjectKey: Int] = [:]
        let layout = SequenceLayout(target.definition.columns[column])
        for ordinal in 0..<target.clusterCount {
            target.reader.safePoint()
            let view = try target.cluster(ordinal)
            for row in 0..<view.rowCount {
                if let members, !members.contains(view.key(row)) { continue }
                if layout.shape != .none {
                    try target.linkList(column, view, row, layout: layout)
                        .forEach { counts[$0, default: 0] += 1 }
                } else {
                    let key = view.int(column, row)
                    if key != 0 { counts[key, default: 0] += 1 }
                }
            }
        }
        return counts
    }
}
