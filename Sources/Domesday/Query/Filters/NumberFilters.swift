/// Rows whose number satisfies something; what a row without a value gives is the same for all.
///
/// Subclasses override `valueMatches` and `narrowValues`, which need not look at states: such rows
/// hold any number, and their states decide here.
class NumberFilter: RowFilter {
    let column: Int
    /// What a row without a value gives.
    let nilMatches: Bool

    init(_ table: TableReader, _ column: Int, nilMatches: Bool) {
        self.column = column
        self.nilMatches = nilMatches
        super.init(table)
    }

    /// Whether the number of a row that has one matches.
    func valueMatches(_ view: ClusterView, _ row: Int) -> Bool {
        fatalError("a filter must override valueMatches")
    }

    /// As `narrow`, for rows that have a value.
    func narrowValues(_ mask: RowMask, _ view: ClusterView) {
        fatalError("a filter must override narrowValues")
    }

    final override func matches(_ view: ClusterView, _ row: Int) -> Bool {
        view.state(column, row) == 1 ? nilMatches : valueMatches(view, row)
    }

    final override func narrow(_ mask: RowMask, _ view: ClusterView) {
        let states = view.states(column)
        if let states, nilMatches {
            RowMask.withStates(mask, states) { narrowValues(mask, view) }
            return
        }
        narrowValues(mask, view)
        guard let states else { return }
        for row in 0..<mask.count {
            mask.bytes[row] &= states.load(fromByteOffset: row, as: UInt8.self) == 1 ? 0 : 1
        }
    }
}

/// Rows whose integer, Bool or link lies in a range, or outside it.
final class IntRangeFilter: NumberFilter {
    let range: ClosedRange<Int64>?
    let isInverted: Bool

    init(
        _ table: TableReader,
        _ column: Int,
        _ range: ClosedRange<Int64>?,
        isInverted: Bool = false,
        nilMatches: Bool
    ) {
        self.range = range
        self.isInverted = isInverted
        super.init(table, column, nilMatches: nilMatches)
    }

    override func valueMatches(_ view: ClusterView, _ row: Int) -> Bool {
        guard let range else { return isInverted }
        return range.contains(view.int(column, row)) != isInverted
    }

    override func narrowValues(_ mask: RowMask, _ view: ClusterView) {
        guard let range else { return isInverted ? () : mask.clearAll() }
        let base = view.base(column)
        let data = view.data(column)
        let flip: UInt8 = isInverted ? 1 : 0
        switch view.width(column) {
        case 1: run(mask, data, UInt8.self, base, range, flip)
        case 2: run(mask, data, UInt16.self, base, range, flip)
        case 4: run(mask, data, UInt32.self, base, range, flip)
        case 8:
            let low = UInt64(bitPattern: range.lowerBound &- base)
            let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
            // SAFETY: the column's section holds a number of eight bytes for each row.
            let values = data.assumingMemoryBound(to: UInt64.self)
            for row in 0..<mask.count {
                mask.bytes[row] &= (values[row] &- low <= span ? 1 : 0) ^ flip
            }
        default:
            if range.contains(base) == isInverted { mask.clearAll() }
        }
    }

    @inline(__always)
    private func run<T: FixedWidthInteger & UnsignedInteger>(
        _ mask: RowMask,
        _ data: UnsafeRawPointer,
        _ type: T.Type,
        _ base: Int64,
        _ range: ClosedRange<Int64>,
        _ flip: UInt8
    ) {
        // The range in terms of stored offsets, cut to what the width can hold.
        let (top, overflows) = base.addingReportingOverflow(Int64(T.max))
        let low = max(range.lowerBound, base)
        let high = overflows ? range.upperBound : min(range.upperBound, top)
        if low > high {
            if flip == 0 { mask.clearAll() }
            return
        }
        let first = T(truncatingIfNeeded: low &- base)
        let span = T(truncatingIfNeeded: high &- low)
        // SAFETY: the column's section holds a T for each row, aligned to eight bytes.
        let values = data.assumingMemoryBound(to: T.self)
        let bytes = mask.bytes
        for row in 0..<mask.count {
            bytes[row] &= (values[row] &- first <= span ? 1 : 0) ^ flip
        }
    }
}

extension RowMask {
    /// Runs `body` over the rows that have a value; those without one stay wanted.
    fileprivate static func withStates(
        _ mask: RowMask,
        _ states: UnsafeRawPointer,
        _ body: () -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { kept in
            for row in 0..<mask.count {
                let isNil = states.load(fromByteOffset: row, as: UInt8.self) == 1
                kept[row] = mask.bytes[row] & (isNil ? 1 : 0)
            }
            body()
            for row in 0..<mask.count {
                let isNil = states.load(fromByteOffset: row, as: UInt8.self) == 1
                mask.bytes[row] = isNil ? kept[row] : mask.bytes[row]
            }
        }
    }
}

/// Rows whose Float, Double or Date compares so to a number.
final class DoubleFilter: NumberFilter {
    let comparison: BoundOrder
    let value: Double

    init(
        _ table: TableReader,
        _ column: Int,
        _ comparison: BoundOrder,
        _ value: Double,
        nilMatches: Bool
    ) {
        self.comparison = comparison
        self.value = value
        super.init(table, column, nilMatches: nilMatches)
    }

    override func valueMatches(_ view: ClusterView, _ row: Int) -> Bool {
        let stored =
            view.kind(column) == .float
            ? Double(view.float(column, row)) : view.double(column, row)
        switch comparison {
        case .equal: return stored == value
        case .notEqual: return stored != value
        case .less: return stored < value
        case .lessOrEqual: return stored <= value
        case .greater: return stored > value
        case .greaterOrEqual: return stored >= value
        }
    }

    override func narrowValues(_ mask: RowMask, _ view: ClusterView) {
        let data = view.data(column)
        // SAFETY: the column's section holds a number of its kind for each row.
        if view.kind(column) == .float {
            compare(mask, data.assumingMemoryBound(to: Float.self)) { Double($0) }
        } else {
            compare(mask, data.assumingMemoryBound(to: Double.self)) { $0 }
        }
    }

    @inline(__always)
    private func compare<T>(
        _ mask: RowMask,
        _ values: UnsafePointer<T>,
        _ number: (T) -> Double
    ) {
        let value = value
        switch comparison {
        case .equal: run(mask, values) { number($0) == value }
        case .notEqual: run(mask, values) { number($0) != value }
        case .less: run(mask, values) { number($0) < value }
        case .lessOrEqual: run(mask, values) { number($0) <= value }
        case .greater: run(mask, values) { number($0) > value }
        case .greaterOrEqual: run(mask, values) { number($0) >= value }
        }
    }

    @inline(__always)
    private func run<T>(
        _ mask: RowMask,
        _ values: UnsafePointer<T>,
        _ holds: (T) -> Bool
    ) {
        let bytes = mask.bytes
        for row in 0..<mask.count { bytes[row] &= holds(values[row]) ? 1 : 0 }
    }
}

/// Rows without a value, or with one.
final class NilFilter: RowFilter {
    let column: Int
    let wantsNil: Bool

    init(_ table: TableReader, _ column: Int, wantsNil: Bool) {
        self.column = column
        self.wantsNil = wantsNil
        super.init(table)
    }

    override func matches(_ view: ClusterView, _ row: Int) -> Bool {
        (view.state(column, row) == 1) == wantsNil
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) {
        guard let states = view.states(column) else {
            if wantsNil { mask.clearAll() }
            return
        }
        let flip: UInt8 = wantsNil ? 0 : 1
        for row in 0..<mask.count {
            let isNil: UInt8 = states.load(fromByteOffset: row, as: UInt8.self) == 1 ? 1 : 0
            mask.bytes[row] &= isNil ^ flip
        }
    }
}
