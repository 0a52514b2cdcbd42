import Foundation

/// Setting the values of rows that are there.
extension MutableCluster {
    @inline(__always)
    func setInt(_ column: Int, _ row: Int, _ value: Int64) {
        let view = view
        let width = view.width(column)
        let data = UnsafeMutableRawPointer(mutating: view.data(column))
        if width == 8 {
            data.storeBytes(of: value, toByteOffset: row &* 8, as: Int64.self)
            return
        }
        let offset = UInt64(bitPattern: value &- view.base(column))
        if offset > ClusterShape.limit(width: width) || value < view.base(column) {
            return widen(column, row, value)
        }
        switch width {
        case 1:
            data.storeBytes(
                of: UInt8(truncatingIfNeeded: offset),
                toByteOffset: row,
                as: UInt8.self
            )
        case 2:
            data.storeBytes(
                of: UInt16(truncatingIfNeeded: offset),
                toByteOffset: row &* 2,
                as: UInt16.self
            )
        case 4:
            data.storeBytes(
                of: UInt32(truncatingIfNeeded: offset),
                toByteOffset: row &* 4,
                as: UInt32.self
            )
        default: break
        }
    }

    @inline(never)
    func widen(_ column: Int, _ row: Int, _ value: Int64) {
        var (low, high) = view.bounds(ofInt: column, rows: 0..<rowCount)
        low = min(low, value)
        high = max(high, value)
        var shape = view.shape
        let packing = ClusterShape.packing(low: low, high: high)
        shape.columns[column].width = packing.width
        shape.columns[column].base = packing.base
        rebuild(shape, rows: Array(0..<rowCount))
        setInt(column, row, value)
    }

    func setFloat(_ column: Int, _ row: Int, _ value: Float) {
        UnsafeMutableRawPointer(mutating: view.data(column))
            .storeBytes(of: value, toByteOffset: row &* 4, as: Float.self)
    }

    func setDouble(_ column: Int, _ row: Int, _ value: Double) {
        UnsafeMutableRawPointer(mutating: view.data(column))
            .storeBytes(of: value, toByteOffset: row &* 8, as: Double.self)
    }

    /// - Precondition: `bytes` has the column's width.
    func setFixed(_ column: Int, _ row: Int, _ bytes: UnsafeRawBufferPointer) {
        let width = view.width(column)
        precondition(bytes.count == width, "a fixed column takes \(width) bytes")
        if let source = bytes.baseAddress {
            memcpy(
                UnsafeMutableRawPointer(mutating: view.data(column)) + row * width,
                source,
                width
            )
        }
    }

    /// 0 a value, 1 nil, 2 long.
    @inline(__always)
    func setState(_ column: Int, _ row: Int, _ state: UInt8) {
        if let states = view.states(column) {
            UnsafeMutableRawPointer(mutating: states)
                .storeBytes(of: state, toByteOffset: row, as: UInt8.self)
        } else if state != 0 {
            addStates(column, row, state)
        }
    }

    @inline(never)
    func addStates(_ column: Int, _ row: Int, _ state: UInt8) {
        var shape = view.shape
        shape.columns[column].hasStates = true
        rebuild(shape, rows: Array(0..<rowCount))
        setState(column, row, state)
    }

    /// Replaces part of a row's bytes.
    func splice(
        _ column: Int,
        _ row: Int,
        at byteOffset: Int,
        removing removedCount: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) {
        guard var heap = ownedHeap() else { preconditionFailure("no column has bytes") }
        var payload = heap.payload
        var ends = ClusterHeap.ends(payload, column)
        let used = Int(ends[rowCount])
        let growth = bytes.count - removedCount
        if used + growth > ClusterHeap.capacity(payload, column) {
            growHeap(column, to: used + growth)
            heap = self.heap ?? heap
            payload = heap.payload
            ends = ClusterHeap.ends(payload, column)
        }
        let start = Int(ends[row]) + byteOffset
        precondition(start + removedCount <= Int(ends[row + 1]), "splice leaves the value")
        let data = ClusterHeap.data(payload, column)
        if growth != 0 {
            let tail = start + removedCount
            memmove(data + start + bytes.count, data + tail, used - tail)
            for later in (row + 1)...rowCount {
                ends[later] = UInt32(truncatingIfNeeded: Int(ends[later]) + growth)
            }
            if growth < 0 { memset(data + used + growth, 0, -growth) }
        }
        if let source = bytes.baseAddress, bytes.count > 0 {
            memcpy(data + start, source, bytes.count)
        }
    }

    /// Replaces all of a row's bytes.
    @inline(__always)
    func setBytes(_ column: Int, _ row: Int, _ bytes: UnsafeRawBufferPointer) {
        let count = heap.map { ClusterView.bytes($0.payload, column, row).count } ?? 0
        splice(column, row, at: 0, removing: count, inserting: bytes)
    }

    /// Gives the last row its first bytes. False, and nothing done, unless it has none yet, they are
    /// not long, and there is room.
    @inline(__always)
    func appendBytes(_ bytes: UnsafeRawBufferPointer, _ column: Int, _ row: Int) -> Bool {
        guard ownsHeap, let heapPayload, bytes.count <= LongValue.threshold else { return false }
        let ends = ClusterHeap.ends(heapPayload, column)
        let start = Int(ends[row])
        let end = start &+ bytes.count
        guard row &+ 1 == rowCount, Int(ends[row &+ 1]) == start,
            end <= ClusterHeap.capacity(heapPayload, column)
        else { return false }
        if let source = bytes.baseAddress {
            memcpy(ClusterHeap.data(heapPayload, column) + start, source, bytes.count)
        }
        ends[row &+ 1] = UInt32(truncatingIfNeeded: end)
        noteHeapChange()
        setState(column, row, 0)
        return true
    }

    func growHeap(_ column: Int, to needed: Int) {
        guard let old = heap else { return }
        let count = ClusterHeap.columnCount(old.payload)
        let capacities = (0..<count).map { id -> Int? in
            guard columns[id].kind == .bytes else { return nil }
            let capacity = ClusterHeap.capacity(old.payload, id)
            return id == column ? max(needed + needed / 4, capacity * 2, 64) : capacity
        }
        let rowCapacity = ClusterHeap.rowCapacity(old.payload)
        let new = ClusterHeap.make(rowCapacity: rowCapacity, capacities: capacities)
        for id in 0..<count where columns[id].kind == .bytes {
            let ends = ClusterHeap.ends(old.payload, id)
            memcpy(ClusterHeap.ends(new.payload, id), ends, (rowCapacity + 1) * 4)
            memcpy(
                ClusterHeap.data(new.payload, id),
                ClusterHeap.data(old.payload, id),
                Int(ends[rowCount])
            )
        }
        adopt(heap: new)
    }
}
