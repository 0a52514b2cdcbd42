import Foundation

/// Walks over the rows of some clusters of a version, ascending by key.
struct ClusterRows {
    private let cells: [ClusterCell]
    private let version: any BlobSource
    private let columns: [ColumnDefinition]
    private let longSpace: Space
    private var position = -1
    /// Keeps what `view` and `heap` lead to.
    private var buffer: BlobBuffer?
    private var loadedHeap: UnsafeRawPointer?
    private(set) var view: ClusterView?
    private(set) var row = 0
    /// How many clusters were begun.
    var ordinal: Int { position }

    /// - Parameter version: What the cells belong to.
    init(
        _ cells: [ClusterCell],
        _ version: any BlobSource,
        _ columns: [ColumnDefinition],
        longSpace: Space
    ) {
        self.cells = cells
        self.version = version
        self.longSpace = longSpace
        self.columns = columns
    }

    /// The key of the row at hand; nil at the end.
    var key: ObjectKey? { view.map { $0.key(row) } }

    /// Goes to the first row of the next cluster that has one.
    mutating func load() throws(StorageError) {
        repeat {
            position += 1
            row = 0
            loadedHeap = nil
            guard position < cells.count else {
                view = nil
                buffer = nil
                return
            }
            let buffer = try cells[position].fixed(from: version, columns: columns)
            self.buffer = buffer
            view = ClusterView(UnsafeRawPointer(buffer.payload))
        } while view?.rowCount == 0
    }

    mutating func advance() throws(StorageError) {
        row += 1
        if row == view?.rowCount { try load() }
    }

    /// The number and the byte count of the long value that stands in a column of the row at hand.
    mutating func longReference(
        _ column: Int
    ) throws(StorageError) -> (number: Int64, byteCount: Int)? {
        LongValue.decode(ClusterView.bytes(try heap(), column, row))
    }

    /// What stands in a column of the row at hand for a long collection.
    mutating func sequenceReference(
        _ column: Int
    ) throws(StorageError) -> SequenceReference? {
        SequenceReference(ClusterView.bytes(try heap(), column, row))
    }

    /// The root of a long collection; nil if it is damaged.
    func root(
        _ reference: SequenceReference,
        _ column: Int
    ) throws(StorageError) -> SequenceRoot? {
        let blob = try longValue(reference.number)
        defer { withExtendedLifetime(blob) {} }
        return SequenceRoot(SequenceLayout(columns[column]), blob.payloadBytes)
    }

    /// A long value, a root or a leaf.
    func longValue(_ number: Int64) throws(StorageError) -> BlobBuffer {
        try version.load(BlobAddress(space: longSpace, id: number))
    }

    /// The heap part of the cluster at hand.
    mutating func heap() throws(StorageError) -> UnsafeRawPointer {
        if let loadedHeap { return loadedHeap }
        guard let buffer else { preconditionFailure("no cluster at hand") }
        let heap = UnsafeRawPointer(try cells[position].loadHeap(of: buffer, from: version).payload)
        loadedHeap = heap
        return heap
    }
}

/// Compares rows of two versions column by column.
///
/// Where two clusters begin with the same rows, columns that are the same bytes are left out at once.
struct RowComparison {
    private let columns: [ColumnDefinition]
    private var candidates: [Int] = []
    private var clusters = (-1, -1)

    init(_ columns: [ColumnDefinition]) { self.columns = columns.filter { $0.kind != .absent } }

    /// The columns in which the rows at hand differ.
    mutating func columns(
        _ before: inout ClusterRows,
        _ after: inout ClusterRows
    ) throws(StorageError) -> ColumnSet {
        var result = ColumnSet()
        guard let old = before.view, let new = after.view else { return result }
        if clusters != (before.ordinal, after.ordinal) {
            clusters = (before.ordinal, after.ordinal)
            candidates = []
            for column in columns where try !areEqual(column.id, old, new, &before, &after) {
                candidates.append(column.id)
            }
        }
        for column in candidates where try differs(column, old, new, &before, &after) {
            result.insert(column)
        }
        return result
    }

    /// Whether the column is the same bytes in all rows that both clusters begin with.
    private func areEqual(
        _ column: Int,
        _ old: ClusterView,
        _ new: ClusterView,
        _ before: inout ClusterRows,
        _ after: inout ClusterRows
    ) throws(StorageError) -> Bool {
        guard old.keyWidth == 0, new.keyWidth == 0, old.firstKey == new.firstKey,
            old.rowCount <= new.rowCount, old.kind(column) == new.kind(column)
        else { return false }
        let count = old.rowCount
        switch (old.states(column), new.states(column)) {
        case (nil, nil): break
        case (let a?, let b?): if memcmp(a, b, count) != 0 { return false }
        default: return false
        }
        switch old.kind(column) {
        case .absent: return true
        case .int:
            let width = old.width(column)
            return width == new.width(column) && old.base(column) == new.base(column)
                && memcmp(old.data(column), new.data(column), width * count) == 0
        case .float: return memcmp(old.data(column), new.data(column), 4 * count) == 0
        case .double: return memcmp(old.data(column), new.data(column), 8 * count) == 0
        case .fixed:
            return memcmp(old.data(column), new.data(column), old.width(column) * count) == 0
        case .bytes:
            let (a, b) = (try before.heap(), try after.heap())
            for row in 0..<count where !Self.same(a, b, column, row) { return false }
            return true
        }
    }

    private static func same(
        _ a: UnsafeRawPointer,
        _ b: UnsafeRawPointer,
        _ column: Int,
        _ row: Int,
        _ otherRow: Int? = nil
    ) -> Bool {
        let left = ClusterView.bytes(a, column, row)
        let right = ClusterView.bytes(b, column, otherRow ?? row)
        guard left.count == right.count else { return false }
        guard let left = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(left, other, right.count) == 0
    }

    /// A long value has another number whenever it was set, also to what it was.
    private func differsInLongValue(
        _ column: Int,
        _ before: inout ClusterRows,
        _ after: inout ClusterRows
    ) throws(StorageError) -> Bool {
        guard let old = try before.longReference(column), let new = try after.longReference(column)
        else { return true }
        if old.number == new.number { return false }
        if old.byteCount != new.byteCount { return true }
        let (a, b) = (try before.longValue(old.number), try after.longValue(new.number))
        let (left, right) = (a.payloadBytes, b.payloadBytes)
        guard left.count == right.count, let left = left.baseAddress, let other = right.baseAddress
        else { return true }
        return memcmp(left, other, right.count) != 0
    }

    /// Leaves are compared one by one. Where elements moved from one leaf to another it counts as a
    /// difference, also if all are the same in the end.
    private func differsInLeaves(
        _ column: Int,
        _ before: inout ClusterRows,
        _ after: inout ClusterRows
    ) throws(StorageError) -> Bool {
        guard let old = try before.sequenceReference(column),
            let new = try after.sequenceReference(column)
        else { return true }
        if old == new { return false }
        guard let oldRoot = try before.root(old, column),
            let newRoot = try after.root(new, column),
            oldRoot.leaves.count == newRoot.leaves.count
        else { return true }
        let pairs = zip(oldRoot.leaves, newRoot.leaves)
        if pairs.contains(where: { $0.count != $1.count || $0.byteCount != $1.byteCount }) {
            return true
        }
        for (old, new) in pairs where old != new {
            let (a, b) = (try before.longValue(old.number), try after.longValue(new.number))
            defer { withExtendedLifetime((a, b)) {} }
            if !a.payloadBytes.elementsEqual(b.payloadBytes) { return true }
        }
        return false
    }

    private func differs(
        _ column: Int,
        _ old: ClusterView,
        _ new: ClusterView,
        _ before: inout ClusterRows,
        _ after: inout ClusterRows
    ) throws(StorageError) -> Bool {
        let (oldRow, newRow) = (before.row, after.row)
        let state = old.state(column, oldRow)
        if state != new.state(column, newRow) { return true }
        if state == 1 { return false }
        if state == 2 { return try differsInLongValue(column, &before, &after) }
        if state == 3 { return try differsInLeaves(column, &before, &after) }
        switch new.kind(column) {
        case .absent: return false
        case .int: return old.int(column, oldRow) != new.int(column, newRow)
        case .float:
            return old.float(column, oldRow).bitPattern != new.float(column, newRow).bitPattern
        case .double:
            return old.double(column, oldRow).bitPattern != new.double(column, newRow).bitPattern
        case .fixed:
            let (a, b) = (old.fixed(column, oldRow), new.fixed(column, newRow))
            guard let a = a.baseAddress, let other = b.baseAddress else { return false }
            return memcmp(a, other, b.count) != 0
        case .bytes:
            return !Self.same(try before.heap(), try after.heap(), column, oldRow, newRow)
        }
    }
}
