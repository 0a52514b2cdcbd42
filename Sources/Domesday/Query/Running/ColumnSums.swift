/// Sums up a column over the matches of a run: with loops over clusters where it scans.
///
/// **Threads.** Its reader's.
struct ColumnSums {
    private let path: BoundPath
    private let type: ValueType
    private(set) var sums: AggregateSums

    init(_ path: BoundPath) {
        self.path = path
        type = path.end.valueType ?? ValueType(type: .int, isOptional: false)
        sums = AggregateSums(type)
    }

    mutating func addAll(_ run: QueryRun) throws(StorageError) {
        var sums = sums
        if path.hops.isEmpty, case .value(let column, _) = path.end {
            // Without loops of their own: decimals, and values of any type.
            let hasLoop = type.type != .decimal && type.type != .mixed
            let scanned =
                hasLoop
                ? try run.forEachCluster { view, mask throws(StorageError) in
                    sums.add(view, column, mask)
                } : false
            if !scanned {
                try run.forEach { _, view, row throws(StorageError) in
                    sums.add(try run.reader.value(view, column, row, type))
                    return true
                }
            }
        } else {
            let reader = PathReader(path) { FilterCompiler.filter($0, $1, $2) }
            try run.forEach { _, view, row throws(StorageError) in
                sums.add(try reader.value(view, row))
                return true
            }
        }
        self.sums = sums
    }
}

extension AggregateSums {
    /// Adds the wanted rows of a numeric column.
    mutating func add(_ view: ClusterView, _ column: Int, _ mask: RowMask) {
        switch view.kind(column) {
        case .int: addInts(view, column, mask)
        case .double:
            // SAFETY: the column's section holds a Double for each row.
            let values = view.data(column).assumingMemoryBound(to: Double.self)
            addDoubles(view, column, mask) { values[$0] }
        case .float:
            // SAFETY: the column's section holds a Float for each row.
            let values = view.data(column).assumingMemoryBound(to: Float.self)
            addDoubles(view, column, mask) { Double(values[$0]) }
        case .absent, .fixed, .bytes: break
        }
    }

    private mutating func addInts(_ view: ClusterView, _ column: Int, _ mask: RowMask) {
        let data = view.data(column)
        let base = view.base(column)
        let wanted = Wanted(view, column, mask)
        switch view.width(column) {
        case 0: addInts(wanted, base) { _ in 0 }
        case 1:
            let values = data.assumingMemoryBound(to: UInt8.self)
            addInts(wanted, base) { Int64(values[$0]) }
        case 2:
            let values = data.assumingMemoryBound(to: UInt16.self)
            addInts(wanted, base) { Int64(values[$0]) }
        case 4:
            let values = data.assumingMemoryBound(to: UInt32.self)
            addInts(wanted, base) { Int64(values[$0]) }
        default:
            for row in 0..<mask.count where wanted[row] { add(.int(view.int(column, row))) }
        }
    }

    /// - Parameter offset: Below 2^32, so that 256 of them cannot overflow.
    @inline(__always)
    private mutating func addInts(_ wanted: Wanted, _ base: Int64, _ offset: (Int) -> Int64) {
        var sum: Int64 = 0
        var count: Int64 = 0
        var least = Int64.max
        var greatest = Int64.min
        if wanted.isEveryRow {
            for row in 0..<wanted.count {
                let value = offset(row)
                sum &+= value
                least = min(least, value)
                greatest = max(greatest, value)
            }
            if wanted.count == 0 { return }
            return add(
                count: wanted.count,
                base: base,
                offsets: sum,
                least: least,
                greatest: greatest
            )
        }
        for row in 0..<wanted.count {
            let value = offset(row)
            let flag = wanted.flag(row)
            sum &+= value & -flag
            count &+= flag
            least = min(least, flag == 0 ? least : value)
            greatest = max(greatest, flag == 0 ? greatest : value)
        }
        guard count > 0 else { return }
        add(count: Int(count), base: base, offsets: sum, least: least, greatest: greatest)
    }

    @inline(__always)
    private mutating func addDoubles(
        _ view: ClusterView,
        _ column: Int,
        _ mask: RowMask,
        _ value: (Int) -> Double
    ) {
        let wanted = Wanted(view, column, mask)
        // Four at a time: each addition would wait for the one before.
        var sums = SIMD4<Double>.zero
        var least = SIMD4<Double>(repeating: .infinity)
        var greatest = SIMD4<Double>(repeating: -.infinity)
        var count = 0
        var row = 0
        if wanted.isEveryRow {
            while row + 4 <= wanted.count {
                let four = SIMD4(value(row), value(row + 1), value(row + 2), value(row + 3))
                sums += four
                // A comparison with NaN is false: it has no place in an order.
                least.replace(with: four, where: four .<= least)
                greatest.replace(with: four, where: four .>= greatest)
                row += 4
            }
            count = row
        }
        while row < wanted.count {
            if wanted[row] {
                let one = value(row)
                sums[0] += one
                if one <= least[0] { least[0] = one }
                if one >= greatest[0] { greatest[0] = one }
                count += 1
            }
            row += 1
        }
        guard count > 0 else { return }
        let (low, high) = (least.min(), greatest.max())
        add(count: count, sum: sums.sum(), bounds: low <= high ? (low, high) : nil)
    }

    /// The rows that are wanted and have a value.
    private struct Wanted {
        let mask: RowMask
        let states: UnsafeRawPointer?
        let count: Int

        init(_ view: ClusterView, _ column: Int, _ mask: RowMask) {
            self.mask = mask
            states = view.states(column)
            count = mask.count
        }

        /// Whether none is left out.
        var isEveryRow: Bool { states == nil && mask.setCount == count }

        @inline(__always)
        func flag(_ row: Int) -> Int64 {
            guard let states else { return Int64(mask.bytes[row]) }
            let isNil = states.load(fromByteOffset: row, as: UInt8.self) == 1
            return isNil ? 0 : Int64(mask.bytes[row])
        }

        @inline(__always)
        subscript(row: Int) -> Bool { flag(row) != 0 }
    }
}
