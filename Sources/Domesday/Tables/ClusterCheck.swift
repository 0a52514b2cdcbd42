/// Validates a cluster's blobs when they are loaded, so that everything behind can read unchecked.
enum ClusterCheck {
    /// nil when the fixed part makes sense, else what is wrong with it.
    static func problem(fixed buffer: BlobBuffer) -> String? {
        let byteCount = buffer.payloadByteCount
        guard byteCount >= ClusterView.headerByteCount else { return "shorter than its header" }
        let view = ClusterView(buffer.payload)
        let rows = view.rowCount
        let capacity = view.rowCapacity
        guard rows <= capacity, capacity <= ClusterShape.rowLimit else { return "too many rows" }
        let columnCount = view.columnCount
        guard
            columnCount <= byteCount / ClusterView.columnByteCount,
            ClusterView.headerByteCount + columnCount * ClusterView.columnByteCount <= byteCount
        else { return "directory leaves the blob" }
        func fits(_ offset: Int, _ count: Int) -> Bool {
            offset >= 0 && offset + count <= byteCount
        }
        guard [0, 1, 2, 4, 8].contains(view.keyWidth) else { return "unknown key width" }
        guard view.keyWidth == 0 || fits(view.keyOffset, view.keyWidth * capacity) else {
            return "keys leave the blob"
        }
        if view.keyWidth == 8, view.keyOffset % 8 != 0 { return "keys are not aligned" }
        for column in 0..<columnCount {
            guard let kind = ColumnKind(rawValue: view.entry(column).load(as: UInt8.self)) else {
                return "unknown kind of column \(column)"
            }
            let width = view.width(column)
            let allowed: Bool
            switch kind {
            case .absent, .bytes: allowed = width == 0
            case .int: allowed = [0, 1, 2, 4, 8].contains(width)
            case .float: allowed = width == 4
            case .double: allowed = width == 8
            case .fixed: allowed = width == 12 || width == 16
            }
            guard allowed else { return "width of column \(column)" }
            let offset = view.data(column) - UnsafeRawPointer(buffer.payload)
            guard width == 0 || (fits(offset, width * capacity) && offset % 8 == 0) else {
                return "column \(column) leaves the blob"
            }
            if let states = view.states(column) {
                guard fits(states - UnsafeRawPointer(buffer.payload), capacity) else {
                    return "states of column \(column) leave the blob"
                }
            }
        }
        return nil
    }

    /// nil when the heap part makes sense beside its fixed part, else what is wrong with it.
    static func problem(heap buffer: BlobBuffer, beside fixed: BlobBuffer) -> String? {
        let byteCount = buffer.payloadByteCount
        guard byteCount >= ClusterView.heapHeaderByteCount else { return "shorter than its header" }
        let view = ClusterView(fixed.payload)
        let heap = buffer.payload
        let rowCapacity = ClusterHeap.rowCapacity(heap)
        guard rowCapacity >= view.rowCount, rowCapacity <= ClusterShape.rowLimit else {
            return "row capacity"
        }
        let columnCount = ClusterHeap.columnCount(heap)
        guard columnCount == view.columnCount,
            ClusterView.heapHeaderByteCount + columnCount * ClusterView.heapColumnByteCount
                <= byteCount
        else { return "directory leaves the blob" }
        for column in 0..<columnCount where view.kind(column) == .bytes {
            let entry = heap + 16 + column * 16
            let endsOffset = Int(entry.load(as: UInt32.self))
            let dataOffset = Int(entry.load(fromByteOffset: 4, as: UInt32.self))
            let capacity = Int(entry.load(fromByteOffset: 8, as: UInt32.self))
            guard endsOffset % 4 == 0, endsOffset >= 16,
                endsOffset + (rowCapacity + 1) * 4 <= byteCount,
                dataOffset + capacity <= byteCount
            else { return "column \(column) leaves the blob" }
            let ends = ClusterHeap.ends(heap, column)
            guard ends[0] == 0 else { return "first end of column \(column)" }
            var ascending = true
            for row in 0..<view.rowCount where ends[row] > ends[row + 1] { ascending = false }
            guard ascending, Int(ends[view.rowCount]) <= capacity else {
                return "ends of column \(column)"
            }
        }
        return nil
    }
}
