extension IndexGroup {
    private static let headerByteCount = 16

    /// Reads a group; `nil` if the bytes are none.
    ///
    /// - Complexity: O(*leaves*).
    convenience init?(decoding buffer: BlobBuffer, in place: IndexPlace) {
        guard buffer.byteCount >= BlobBuffer.headerByteCount,
            buffer.payloadByteCount <= buffer.payloadCapacity,
            buffer.payloadByteCount >= Self.headerByteCount
        else { return nil }
        // SAFETY: the payload holds a header, checked above; columns are checked before use.
        let payload = UnsafeRawPointer(buffer.payload)
        let count = Int(payload.load(as: UInt32.self).littleEndian)
        let widths = [4, 5].map { Int(payload.load(fromByteOffset: $0, as: UInt8.self)) } + [8, 8]
        let idBase = payload.load(fromByteOffset: 8, as: UInt64.self).littleEndian
        guard count > 0, count <= Self.storedLimit, widths.allSatisfy(PackedColumn.isWidth)
        else { return nil }
        var end = Self.headerByteCount
        var columns: [PackedColumn] = []
        for width in widths {
            columns.append(PackedColumn(start: payload + end, width: width))
            end += PackedColumn.byteCount(width: width, count: count)
        }
        guard end <= buffer.payloadByteCount else { return nil }

        var leaves: [Leaf] = []
        leaves.reserveCapacity(count)
        var total = 0
        for i in 0..<count {
            let fence = IndexEntry(value: columns[2][i], key: columns[3][i])
            let id = idBase &+ columns[1][i]
            guard let entryCount = Int(exactly: columns[0][i]), entryCount > 0,
                id <= UInt64(Int64.max), i == 0 || leaves[i - 1].fence < fence
            else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(entryCount)
            if overflow { return nil }
            total = sum
            let address = BlobAddress(space: place.leaves, id: Int64(id))
            leaves.append(
                Leaf(
                    fence: fence,
                    entryCount: entryCount,
                    cell: Cell(address, cache: place.cache)
                )
            )
        }
        self.init(leaves)
    }

    /// The group's blob. Its size depends on the number of leaves, almost never on their content.
    func encode(version: UInt64) -> BlobBuffer {
        let ids = leaves.map { UInt64($0.cell.address.id) }
        let idBase = ids.min() ?? 0
        let mostEntries = leaves.reduce(0) { max($0, $1.entryCount) }
        let widths = [
            // At least two bytes, so that a growing leaf does not widen the column.
            max(2, PackedColumn.width(for: UInt64(mostEntries))),
            PackedColumn.width(for: (ids.max() ?? 0) - idBase),
        ]
        let count = leaves.count
        let sizes = (widths + [8, 8]).map { PackedColumn.byteCount(width: $0, count: count) }
        let buffer = BlobBuffer(payloadByteCount: Self.headerByteCount + sizes.reduce(0, +))
        buffer.version = version

        // SAFETY: the buffer was allocated for a header and these four columns.
        let payload = buffer.payload
        payload.storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
        payload.storeBytes(of: UInt8(widths[0]), toByteOffset: 4, as: UInt8.self)
        payload.storeBytes(of: UInt8(widths[1]), toByteOffset: 5, as: UInt8.self)
        payload.storeBytes(of: idBase.littleEndian, toByteOffset: 8, as: UInt64.self)
        var start = payload + Self.headerByteCount
        PackedColumn.store(to: start, width: widths[0], count: count) {
            UInt64(leaves[$0].entryCount)
        }
        start += sizes[0]
        PackedColumn.store(to: start, width: widths[1], count: count) { ids[$0] &- idBase }
        start += sizes[1]
        PackedColumn.store(to: start, width: 8, count: count) { leaves[$0].fence.value }
        start += sizes[2]
        PackedColumn.store(to: start, width: 8, count: count) { leaves[$0].fence.key }
        return buffer
    }
}
