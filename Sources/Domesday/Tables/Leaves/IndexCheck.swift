/// Verifies an index blob by blob, with decoding of its own: no code is shared with snapshots, so
/// that a mistake there is found here.
///
/// **Threads.** A value used by one thread.
struct IndexCheck {
    private let place: (leaves: Space, groups: Space)
    private let root: IndexRoot
    private let read: (BlobAddress) throws(StorageError) -> BlobBuffer?

    private(set) var findings: [String] = []
    private var leafIds = Set<Int64>()
    private var groupIds = Set<Int64>()
    private var previous: (value: UInt64, key: UInt64)?

    /// Checks one index of one version.
    ///
    /// - Parameter read: The blob at an address of that version; `nil` if there is none.
    /// - Returns: What is wrong, in words for a report; empty if nothing is. A blob that cannot be
    ///   read is a finding, not an error.
    /// - Throws: Errors of the store other than `.damaged`.
    /// - Complexity: Reads every blob, and every id that a leaf or group has ever had.
    static func findings(
        _ root: IndexRoot,
        leaves: Space,
        groups: Space,
        reading read: @escaping (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> [String] {
        var check = IndexCheck(place: (leaves, groups), root: root, read: read)
        for i in root.groups.indices { try check.checkGroup(i) }
        try check.findOrphans(in: leaves, "leaf", below: root.nextLeafId, except: check.leafIds)
        try check.findOrphans(in: groups, "group", below: root.nextGroupId, except: check.groupIds)
        return check.findings
    }

    private init(
        place: (leaves: Space, groups: Space),
        root: IndexRoot,
        read: @escaping (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) {
        self.place = place
        self.root = root
        self.read = read
    }

    private struct Leaf {
        let id: UInt64
        let entryCount: UInt64
        let fence: (value: UInt64, key: UInt64)
    }

    private mutating func checkGroup(_ index: Int) throws(StorageError) {
        let expected = root.groups[index]
        let name = "index group \(expected.id)"
        if !groupIds.insert(expected.id).inserted { report("\(name): named twice") }
        if expected.id < 0 || expected.id >= root.nextGroupId {
            report("\(name): id was never given")
        }
        guard let bytes = try payload(BlobAddress(space: place.groups, id: expected.id), name)
        else { return }
        guard let leaves = Self.leaves(bytes) else { return report("\(name): does not decode") }
        if let first = leaves.first, first.fence != (expected.fence.value, expected.fence.key) {
            report("\(name): begins at another fence than the root says")
        }
        let sum = leaves.reduce(UInt64(0)) { $0 &+ $1.entryCount }
        if sum != UInt64(expected.entryCount) {
            report("\(name): holds another number of entries than the root says")
        }
        for (i, leaf) in leaves.enumerated() {
            var end: (value: UInt64, key: UInt64)?
            if i + 1 < leaves.count {
                end = leaves[i + 1].fence
            } else if index + 1 < root.groups.count {
                let fence = root.groups[index + 1].fence
                end = (fence.value, fence.key)
            }
            if let end, leaf.fence >= end { report("\(name): fences do not ascend at leaf \(i)") }
            try check(leaf, end)
        }
    }

    private mutating func check(
        _ leaf: Leaf,
        _ end: (value: UInt64, key: UInt64)?
    ) throws(StorageError) {
        let name = "index leaf \(leaf.id)"
        guard let id = Int64(exactly: leaf.id), id < root.nextLeafId else {
            return report("\(name): id was never given")
        }
        if !leafIds.insert(id).inserted { report("\(name): named twice") }
        guard let bytes = try payload(BlobAddress(space: place.leaves, id: id), name) else {
            return
        }
        guard let runs = Self.runs(bytes) else { return report("\(name): does not decode") }
        let stored = bytes.number(at: 24, width: 8)
        let sum = runs.reduce(UInt64(0)) { $0 &+ $1.copies }
        if sum != leaf.entryCount || stored != sum {
            report("\(name): holds another number of entries than its group says")
        }
        var isOrdered = true
        var isFenced = true
        for run in runs {
            let pair = (value: run.value, key: run.key)
            if let previous, previous >= pair { isOrdered = false }
            if pair < leaf.fence { isFenced = false }
            if let end, pair >= end { isFenced = false }
            previous = pair
        }
        if !isOrdered { report("\(name): entries do not ascend") }
        if !isFenced { report("\(name): entries lie outside its fences") }
    }

    private mutating func findOrphans(
        in space: Space,
        _ kind: String,
        below end: Int64,
        except known: Set<Int64>
    ) throws(StorageError) {
        for id in 0..<max(0, end) where !known.contains(id) {
            let name = "index \(kind) \(id)"
            if try blob(BlobAddress(space: space, id: id), name) != nil {
                report("\(name): belongs to nothing")
            }
        }
    }

    // MARK: Bytes

    private mutating func report(_ finding: String) { findings.append(finding) }

    private mutating func blob(
        _ address: BlobAddress,
        _ name: String
    ) throws(StorageError) -> BlobBuffer? {
        do {
            return try read(address)
        } catch  where error.code == .damaged {
            report("\(name): \(error.detail)")
            return nil
        }
    }

    private mutating func payload(
        _ address: BlobAddress,
        _ name: String
    ) throws(StorageError) -> Bytes? {
        let countBefore = findings.count
        guard let buffer = try blob(address, name) else {
            if findings.count == countBefore { report("\(name): missing") }
            return nil
        }
        guard buffer.byteCount >= BlobBuffer.headerByteCount,
            buffer.payloadByteCount <= buffer.payloadCapacity
        else {
            report("\(name): too short")
            return nil
        }
        // SAFETY: the payload's length was compared with the buffer's; the bytes are copied.
        let payload = UnsafeRawBufferPointer(
            start: buffer.payload,
            count: buffer.payloadByteCount
        )
        return Bytes(bytes: Array(payload))
    }

    private struct Bytes {
        let bytes: [UInt8]

        /// The unsigned number at an offset that the caller has checked.
        func number(at offset: Int, width: Int) -> UInt64 {
            (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
        }

        /// Reads columns of `count` numbers behind a header, each padded to 8 bytes; `nil` if a
        /// width is none or they reach beyond the end.
        func columns(from start: Int, widths: [Int], count: Int) -> [[UInt64]]? {
            var offset = start
            var result: [[UInt64]] = []
            for width in widths {
                guard [0, 1, 2, 4, 8].contains(width), offset + width * count <= bytes.count
                else { return nil }
                result.append((0..<count).map { number(at: offset + $0 * width, width: width) })
                offset += (width * count + 7) / 8 * 8
            }
            return result
        }
    }

    private static func leaves(_ bytes: Bytes) -> [Leaf]? {
        guard bytes.bytes.count >= 16 else { return nil }
        let count = Int(bytes.number(at: 0, width: 4))
        let widths = [Int(bytes.bytes[4]), Int(bytes.bytes[5]), 8, 8]
        guard count >= 1, count <= 512,
            let columns = bytes.columns(from: 16, widths: widths, count: count)
        else { return nil }
        let idBase = bytes.number(at: 8, width: 8)
        return (0..<count).map {
            Leaf(
                id: idBase &+ columns[1][$0],
                entryCount: columns[0][$0],
                fence: (columns[2][$0], columns[3][$0])
            )
        }
    }

    private static func runs(
        _ bytes: Bytes
    ) -> [(value: UInt64, key: UInt64, copies: UInt64)]? {
        guard bytes.bytes.count >= 32 else { return nil }
        let count = Int(bytes.number(at: 0, width: 4))
        let widths = (4..<7).map { Int(bytes.bytes[$0]) }
        guard count >= 1, count <= 512,
            let columns = bytes.columns(from: 32, widths: widths, count: count)
        else { return nil }
        let valueBase = bytes.number(at: 8, width: 8)
        let keyBase = bytes.number(at: 16, width: 8)
        return (0..<count).map {
            (valueBase &+ columns[0][$0], keyBase &+ columns[1][$0], 1 &+ columns[2][$0])
        }
    }
}
