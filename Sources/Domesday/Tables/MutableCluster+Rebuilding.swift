import Foundation

/// Laying the values out anew: other widths, other capacities, other columns.
extension MutableCluster {
    /// Brings a cluster written under an older schema to `columns`.
    func convert(to new: [ColumnDefinition]) {
        let view = view
        let oldCount = view.columnCount
        var shape = view.shape
        for column in new[min(oldCount, new.count)...] {
            let width = column.kind == .int ? 0 : column.wideWidth
            shape.columns.append(
                .init(kind: column.kind, width: width, base: 0, hasStates: column.hasNilState)
            )
        }
        for column in new where column.isRemoved && shape.columns[column.id].kind != .absent {
            shape.columns[column.id] = .init(kind: .absent, width: 0, base: 0, hasStates: false)
        }
        adopt(columns: new)
        let rows = Array(0..<rowCount)
        if new.contains(where: { $0.kind == .bytes }) {
            rebuildHeap(rowCapacity: shape.rowCapacity, rows: rows, spare: false)
        } else {
            adopt(heap: nil)
        }
        rebuild(shape, rows: rows)
        for column in new[min(oldCount, new.count)...] where column.hasNilState {
            for row in rows { setState(column.id, row, 1) }
        }
    }

    func rebuild(_ shape: ClusterShape, rows: [Int]) {
        let old = view
        adopt(fixed: shape.makeFixed()) { fill(shape, from: old, rows: rows) }
    }

    private func fill(_ shape: ClusterShape, from old: ClusterView, rows: [Int]) {
        payload.storeBytes(of: UInt32(rows.count), as: UInt32.self)
        if shape.keyWidth != 0 {
            for (new, row) in rows.enumerated() { writeKey(old.key(row), new) }
        }
        let contiguous = rows.count == old.rowCount
        for (id, column) in shape.columns.enumerated() where id < old.columnCount {
            copyColumn(id, column, from: old, rows: rows, contiguous: contiguous)
            if column.hasStates, let states = old.states(id), let target = view.states(id) {
                let target = UnsafeMutableRawPointer(mutating: target)
                if contiguous {
                    memcpy(target, states, rows.count)
                    continue
                }
                for (new, row) in rows.enumerated() {
                    target.storeBytes(
                        of: states.load(fromByteOffset: row, as: UInt8.self),
                        toByteOffset: new,
                        as: UInt8.self
                    )
                }
            }
        }
    }

    private func copyColumn(
        _ id: Int,
        _ column: ClusterShape.Column,
        from old: ClusterView,
        rows: [Int],
        contiguous: Bool
    ) {
        guard column.width > 0 else { return }
        let same = old.width(id) == column.width && old.base(id) == column.base
        let target = UnsafeMutableRawPointer(mutating: view.data(id))
        let source = old.data(id)
        if contiguous && same {
            memcpy(target, source, rows.count * column.width)
        } else if column.kind == .int && !same {
            for (new, row) in rows.enumerated() {
                let offset = UInt64(bitPattern: old.int(id, row) &- column.base)
                switch column.width {
                case 1:
                    target.storeBytes(
                        of: UInt8(truncatingIfNeeded: offset),
                        toByteOffset: new,
                        as: UInt8.self
                    )
                case 2:
                    target.storeBytes(
                        of: UInt16(truncatingIfNeeded: offset),
                        toByteOffset: new * 2,
                        as: UInt16.self
                    )
                case 4:
                    target.storeBytes(
                        of: UInt32(truncatingIfNeeded: offset),
                        toByteOffset: new * 4,
                        as: UInt32.self
                    )
                default: target.storeBytes(of: offset, toByteOffset: new * 8, as: UInt64.self)
                }
            }
        } else {
            let width = column.width
            for (new, row) in rows.enumerated() {
                memcpy(target + new * width, source + row * width, width)
            }
        }
    }

    func rebuildHeap(rowCapacity: Int, rows: [Int], spare: Bool) {
        let old = heap
        let oldCount = old.map { ClusterHeap.columnCount($0.payload) } ?? 0
        let keepsAll = rows.count == rowCount
        func used(_ id: Int) -> Int {
            guard let old, id < oldCount, Self.hasEnds(old.payload, id) else { return 0 }
            if keepsAll { return Int(ClusterHeap.ends(old.payload, id)[rows.count]) }
            return rows.reduce(0) { $0 + ClusterView.bytes(old.payload, id, $1).count }
        }
        let new = ClusterHeap.make(
            rowCapacity: rowCapacity,
            capacities: columns.map { column in
                guard column.kind == .bytes else { return nil }
                let byteCount = used(column.id)
                return spare ? byteCount + byteCount / 2 + 64 : byteCount
            }
        )
        for column in columns where column.kind == .bytes {
            let ends = ClusterHeap.ends(new.payload, column.id)
            guard let old, column.id < oldCount, Self.hasEnds(old.payload, column.id) else {
                continue
            }
            let data = ClusterHeap.data(new.payload, column.id)
            if keepsAll {
                let oldEnds = ClusterHeap.ends(old.payload, column.id)
                memcpy(ends, oldEnds, (rows.count + 1) * 4)
                memcpy(
                    data,
                    ClusterHeap.data(old.payload, column.id),
                    Int(oldEnds[rows.count])
                )
                continue
            }
            var end = 0
            for (position, row) in rows.enumerated() {
                let bytes = ClusterView.bytes(old.payload, column.id, row)
                if let source = bytes.baseAddress { memcpy(data + end, source, bytes.count) }
                end += bytes.count
                ends[position + 1] = UInt32(end)
            }
        }
        adopt(heap: new)
    }

    private static func hasEnds(_ heap: UnsafeRawPointer, _ column: Int) -> Bool {
        (heap + (16 &+ column &* 16)).load(as: UInt32.self) != 0
    }
}
