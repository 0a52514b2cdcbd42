import Foundation

/// Adding and removing rows.
extension MutableCluster {
    /// Adds an object behind all others: zero, empty, or nil where the column is optional.
    ///
    /// - Precondition: fewer rows than the limit; `key` above all keys here.
    @inline(__always)
    func append(key: ObjectKey) -> Int {
        let row = rowCount
        precondition(row < ClusterShape.rowLimit, "cluster is full")
        if row == view.rowCapacity || !keyFits(key, row) { makeRoom(for: key) }
        if view.keyWidth != 0 { writeKey(key, row) }
        payload.storeBytes(of: UInt32(row + 1), as: UInt32.self)
        if !ownsHeap { _ = ownedHeap() }
        if heapPayload != nil { noteHeapChange() }
        for step in steps {
            if step.kind == .bytes, let heapPayload {
                let ends = ClusterHeap.ends(heapPayload, step.column)
                ends[row + 1] = ends[row]
            } else if step.kind == .int, view.base(step.column) != 0 {
                // Zero is no zero byte where a base is added.
                setInt(step.column, row, 0)
            }
            if step.isNil { setState(step.column, row, 1) }
        }
        return row
    }

    @inline(__always)
    private func keyFits(_ key: ObjectKey, _ row: Int) -> Bool {
        let view = view
        let offset = UInt64(bitPattern: key &- view.firstKey)
        if view.keyWidth == 0 { return offset == UInt64(row) }
        return offset <= ClusterShape.limit(width: view.keyWidth)
    }

    func writeKey(_ key: ObjectKey, _ row: Int) {
        let view = view
        let keys = payload + view.keyOffset
        let offset = key &- view.firstKey
        switch view.keyWidth {
        case 1: keys.storeBytes(of: UInt8(offset), toByteOffset: row, as: UInt8.self)
        case 2: keys.storeBytes(of: UInt16(offset), toByteOffset: row * 2, as: UInt16.self)
        case 4: keys.storeBytes(of: UInt32(offset), toByteOffset: row * 4, as: UInt32.self)
        case 8: keys.storeBytes(of: offset, toByteOffset: row * 8, as: Int64.self)
        default: break
        }
    }

    /// Room for all rows a cluster may have and for the distance to `key`.
    private func makeRoom(for key: ObjectKey) {
        var shape = view.shape
        shape.rowCapacity = ClusterShape.rowLimit
        let dense = view.keyWidth == 0 && key &- view.firstKey == Int64(rowCount)
        let distance = UInt64(bitPattern: key &- view.firstKey)
        shape.keyWidth =
            dense
            ? 0
            : max(
                view.keyWidth,
                [1, 2, 4].first { distance <= ClusterShape.limit(width: $0) } ?? 8
            )
        for index in shape.columns.indices where columns[index].hasNilState {
            shape.columns[index].hasStates = true
        }
        rebuild(shape, rows: Array(0..<rowCount))
        if let heap, ClusterHeap.rowCapacity(heap.payload) < ClusterShape.rowLimit {
            rebuildHeap(rowCapacity: ClusterShape.rowLimit, rows: Array(0..<rowCount), spare: true)
        }
    }

    /// Removes rows; the others move together.
    ///
    /// - Parameter rows: ascending.
    func remove(rows: [Int]) {
        guard !rows.isEmpty else { return }
        var keep: [Int] = []
        keep.reserveCapacity(rowCount - rows.count)
        var next = 0
        for row in 0..<rowCount {
            if next < rows.count, rows[next] == row { next += 1 } else { keep.append(row) }
        }
        pack(keeping: keep)
    }

    /// Narrows every column to what its values need and drops spare capacity.
    func seal() { pack(keeping: Array(0..<rowCount)) }

    private func pack(keeping rows: [Int]) {
        let view = view
        var shape = view.shape
        shape.rowCapacity = max(rows.count, 1)
        let last = rows.last.map { view.key($0) &- view.firstKey } ?? 0
        let dense = last == Int64(rows.count - 1) || rows.isEmpty
        let distance = UInt64(bitPattern: last)
        shape.keyWidth =
            dense ? 0 : [1, 2, 4].first { distance <= ClusterShape.limit(width: $0) } ?? 8
        for id in shape.columns.indices {
            if shape.columns[id].kind == .int, columns[id].type != .bool {
                let (low, high) = view.bounds(ofInt: id, rows: rows)
                (shape.columns[id].width, shape.columns[id].base) = ClusterShape.packing(
                    low: low,
                    high: high
                )
            }
            if let states = view.states(id) {
                shape.columns[id].hasStates = rows.contains {
                    states.load(fromByteOffset: $0, as: UInt8.self) != 0
                }
            }
        }
        if heap != nil { rebuildHeap(rowCapacity: shape.rowCapacity, rows: rows, spare: false) }
        rebuild(shape, rows: rows)
    }

    /// Adds the rows of a later cluster behind these.
    func absorb(_ other: MutableCluster) {
        let source = other.view
        for row in 0..<source.rowCount {
            let new = append(key: source.key(row))
            for column in columns {
                let id = column.id
                switch column.kind {
                case .absent: continue
                case .int: setInt(id, new, source.int(id, row))
                case .float: setFloat(id, new, source.float(id, row))
                case .double: setDouble(id, new, source.double(id, row))
                case .fixed: setFixed(id, new, source.fixed(id, row))
                case .bytes:
                    if let heap = other.heap {
                        setBytes(id, new, ClusterView.bytes(heap.payload, id, row))
                    }
                }
                setState(id, new, source.state(id, row))
            }
        }
    }

    /// How this cluster looks, as a guess for the next.
    var pattern: Pattern {
        Pattern(
            columns: view.shape.columns,
            heapByteCounts: columns.map { column in
                guard column.kind == .bytes, let heap else { return 0 }
                return Int(ClusterHeap.ends(heap.payload, column.id)[rowCount])
            }
        )
    }
}
