import Foundation

/// One cluster while a write transaction changes it: a private copy in the same layout as stored,
/// so readers and kernels of the transaction need no second code path.
///
/// **Threads.** The writer's thread. Pointers to `fixed` and `heap` stay valid until the next call
/// that returns or reports a move; the owner is told through `moved`.
final class MutableCluster {
    /// The number of the cluster's blobs: the first key it was made for.
    let id: ObjectKey
    private(set) var fixed: BlobBuffer
    /// nil when no column has bytes.
    private(set) var heap: BlobBuffer?
    private var ownsHeap: Bool
    private(set) var columns: [ColumnDefinition] {
        didSet { sort() }
    }
    /// What a new row needs that is not zero already.
    private var steps = UnsafeMutableBufferPointer<AppendStep>(start: nil, count: 0)
    /// Whether blobs of this id are in the page store already.
    let isStored: Bool
    /// Whether the heap part must be written.
    private(set) var heapChanged: Bool
    /// Called after the fixed part has moved in memory.
    var moved: (MutableCluster) -> Void = { _ in }

    /// The payloads of `fixed` and `heap`, without a reference to follow.
    @exclusivity(unchecked) private(set) var payload: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var heapPayload: UnsafeMutableRawPointer?

    var view: ClusterView { ClusterView(payload) }
    var rowCount: Int { view.rowCount }
    var byteCount: Int { fixed.byteCount + (heap?.byteCount ?? 0) }

    /// An empty cluster for new objects.
    ///
    /// - Parameter pattern: a full cluster of the table, whose widths are a good guess.
    init(columns: [ColumnDefinition], firstKey: ObjectKey, pattern: Pattern?) {
        id = firstKey
        self.columns = columns
        isStored = false
        var shape = ClusterShape.wide(columns, firstKey: firstKey)
        if let pattern, pattern.columns.count == columns.count {
            for index in shape.columns.indices where shape.columns[index].kind == .int {
                shape.columns[index].width = max(pattern.columns[index].width, 1)
                shape.columns[index].base = pattern.columns[index].base
                if pattern.columns[index].width == 0 { shape.columns[index].base = 0 }
            }
        }
        fixed = shape.makeFixed()
        if columns.contains(where: { $0.kind == .bytes }) {
            heap = ClusterHeap.make(
                rowCapacity: ClusterShape.rowLimit,
                capacities: columns.map { column in
                    guard column.kind == .bytes else { return nil }
                    let usual = pattern?.heapByteCounts[safe: column.id] ?? 1024
                    return usual + usual / 8
                }
            )
        }
        ownsHeap = true
        heapChanged = heap != nil
        payload = fixed.payload
        sort()
        publish()
    }

    /// A private copy of a stored cluster.
    init(
        id: ObjectKey,
        copying fixed: BlobBuffer,
        heap: BlobBuffer?,
        columns: [ColumnDefinition],
        isStored: Bool
    ) {
        self.id = id
        self.columns = columns
        self.isStored = isStored
        self.fixed = BlobBuffer(
            copying: UnsafeRawBufferPointer(start: fixed.base, count: fixed.byteCount)
        )
        self.heap = heap
        ownsHeap = false
        heapChanged = false
        payload = self.fixed.payload
        sort()
        publish()
    }

    private struct AppendStep {
        let column: Int
        let kind: ColumnKind
        let isNil: Bool
    }

    deinit { steps.deallocate() }

    private func sort() {
        let needed = columns.compactMap { column -> AppendStep? in
            let isNil = column.hasNilState
            guard isNil || column.kind == .bytes || column.kind == .int else { return nil }
            return AppendStep(column: column.id, kind: column.kind, isNil: isNil)
        }
        steps.deallocate()
        steps = .allocate(capacity: needed.count)
        _ = steps.initialize(from: needed)
    }

    /// What a full cluster looked like; a guess for the next.
    struct Pattern {
        var columns: [ClusterShape.Column]
        var heapByteCounts: [Int]
    }

    /// Notes heap and owner in front of the fixed part, where readers look.
    private func publish() {
        payload = fixed.payload
        heapPayload = heap?.payload
        let heapAddress = heapPayload.map { UInt64(UInt(bitPattern: $0)) } ?? 0
        (fixed.payload - 48).storeBytes(of: heapAddress, as: UInt64.self)
        let owner = UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
        (fixed.payload - 40).storeBytes(of: owner, as: UInt64.self)
    }

    /// The mutable cluster behind a payload, if a writer owns it.
    @inline(__always)
    static func owner(of payload: UnsafeRawPointer) -> MutableCluster? {
        let word = (payload - 40).load(as: UInt64.self)
        guard word != 0, let pointer = UnsafeRawPointer(bitPattern: UInt(word)) else { return nil }
        // SAFETY: set by `publish`, cleared by `release`; the writer retains the cluster meanwhile.
        return Unmanaged<MutableCluster>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Gives the buffers up to be read by everybody: clears the writer's note.
    func release() -> (fixed: BlobBuffer, heap: BlobBuffer?) {
        (fixed.payload - 40).storeBytes(of: 0, as: UInt64.self)
        fixed.companion = heap
        return (fixed, heap)
    }

    // MARK: - Values

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
    private func widen(_ column: Int, _ row: Int, _ value: Int64) {
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
    private func addStates(_ column: Int, _ row: Int, _ state: UInt8) {
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
        heapChanged = true
        setState(column, row, 0)
        return true
    }

    private func ownedHeap() -> BlobBuffer? {
        guard let heap else { return nil }
        if !ownsHeap {
            self.heap = BlobBuffer(
                copying: UnsafeRawBufferPointer(start: heap.base, count: heap.byteCount)
            )
            ownsHeap = true
            publish()
        }
        heapChanged = true
        return self.heap
    }

    private func growHeap(_ column: Int, to needed: Int) {
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
        heap = new
        publish()
    }

    // MARK: - Rows

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
        if heapPayload != nil { heapChanged = true }
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

    private func writeKey(_ key: ObjectKey, _ row: Int) {
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

    // MARK: - Rebuilding

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
        columns = new
        let rows = Array(0..<rowCount)
        if new.contains(where: { $0.kind == .bytes }) {
            rebuildHeap(rowCapacity: shape.rowCapacity, rows: rows, spare: false)
        } else {
            heap = nil
        }
        rebuild(shape, rows: rows)
        for column in new[min(oldCount, new.count)...] where column.hasNilState {
            for row in rows { setState(column.id, row, 1) }
        }
    }

    private func rebuild(_ shape: ClusterShape, rows: [Int]) {
        let old = view
        let oldCount = old.columnCount
        let previous = fixed
        fixed = shape.makeFixed()
        payload = fixed.payload
        payload.storeBytes(of: UInt32(rows.count), as: UInt32.self)
        if shape.keyWidth != 0 {
            for (new, row) in rows.enumerated() { writeKey(old.key(row), new) }
        }
        let contiguous = rows.count == old.rowCount
        for (id, column) in shape.columns.enumerated() where id < oldCount {
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
        publish()
        withExtendedLifetime(previous) { moved(self) }
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

    private func rebuildHeap(rowCapacity: Int, rows: [Int], spare: Bool) {
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
        heap = new
        ownsHeap = true
        heapChanged = true
        publish()
    }

    private static func hasEnds(_ heap: UnsafeRawPointer, _ column: Int) -> Bool {
        (heap + (16 &+ column &* 16)).load(as: UInt32.self) != 0
    }
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
