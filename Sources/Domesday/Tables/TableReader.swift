import CRuntime
import Synchronization

/// An object that a look-up has found, and where it lies at the moment.
struct FoundRow {
    let key: ObjectKey
    let location: RowLocation
}

/// Where an object lies at the moment.
struct RowLocation {
    /// The cluster's payload, for ``ClusterView``.
    let cluster: UnsafeRawPointer
    let row: Int
}

/// One table as one Realm sees it: the version's clusters, and while it writes, its own changes.
///
/// Pointers it returns are valid until its ``StoreReader`` reports a new epoch.
/// **Threads.** As its reader's.
final class TableReader {
    @exclusivity(unchecked) private(set) var base: TableSnapshot
    // SAFETY: a reader owns its tables; nobody uses a table once its reader is gone.
    unowned(unsafe) let reader: StoreReader
    /// Of the hashes in the store's indexes.
    let seed: UInt64
    /// By column: what messages call it, if that is another name. Set before others know the table.
    var propertyNames: [String: String] = [:]
    /// By column id: the indexes of `base`.
    @exclusivity(unchecked) private(set) var storedIndexes: ContiguousArray<IndexSnapshot?> = []
    /// The open write transaction's changes.
    @exclusivity(unchecked) var pending: PendingTable? {
        didSet { unretainedPending = pending.map { .passUnretained($0) } }
    }
    /// As `pending`, which retains it: to insert a row counts no reference.
    @exclusivity(unchecked) private(set) var unretainedPending: Unmanaged<PendingTable>?
    /// By ordinal: remembered payloads.
    @exclusivity(unchecked) private var pointers: UnsafeMutablePointer<UnsafeRawPointer?>
    private var pointerCapacity: Int
    /// All of `pointers` outside these ordinals are nil.
    @exclusivity(unchecked) private var lowestPointer = Int.max
    @exclusivity(unchecked) private var highestPointer = -1
    /// Keep alive what `pointers` lead to.
    @exclusivity(unchecked) private var pins: [BlobBuffer] = []
    @exclusivity(unchecked) private var longPins: [Int64: BlobBuffer] = [:]
    /// By the root's number: long collections of which something was read.
    var trees: [Int64: SequenceTree] = [:]
    /// Why a leaf could not be read, for who is told only that a collection is damaged.
    var sequenceFailure: StorageError?
    /// By column id: remembered leaves of `storedIndexes`.
    @exclusivity(unchecked) private var leafMemos: ContiguousArray<LeafMemo?> = []
    /// What is known of where the objects of `base` lie.
    @exclusivity(unchecked) private var density = Density.unknown

    /// Whether all clusters of a version but the last are full and no key is missing.
    private enum Density {
        case unknown
        case gaps
        /// None: positions are distances from this key.
        case dense(first: ObjectKey)
    }

    /// `density` of a frozen table, for all threads: 0 unknown, -1 gaps, else the first key.
    private let frozenDensity = Atomic<ObjectKey>(0)
    var isFrozen: Bool { reader.isFrozen }

    let changeCounts: ChangeCounts

    init(_ base: TableSnapshot, in reader: StoreReader) {
        self.base = base
        self.reader = reader
        changeCounts = reader.changeCounts(of: base.definition.id)
        seed = reader.store.seed
        pointerCapacity = base.directory.count + 16
        pointers = .allocate(capacity: pointerCapacity)
        pointers.initialize(repeating: nil, count: pointerCapacity)
        noteIndexes()
        if isFrozen {
            // Made now, because nothing may be put into the array later.
            leafMemos = ContiguousArray(storedIndexes.map { $0.map { LeafMemo($0) } })
        }
    }

    private func noteIndexes() {
        let count = base.definition.columns.count
        if storedIndexes.count != count {
            storedIndexes = ContiguousArray(repeating: nil, count: count)
        }
        // Most are those of the version before, after a small commit.
        for column in 0..<count {
            let index = base.indexes[column]
            if storedIndexes[column] !== index { storedIndexes[column] = index }
        }
        leafMemos.removeAll(keepingCapacity: true)
    }

    /// What is remembered of a stored index.
    @inline(__always)
    func leafMemo(_ column: Int, _ index: IndexSnapshot) -> LeafMemo {
        if column < leafMemos.count, let memo = leafMemos[column] { return memo }
        return makeLeafMemo(column, index)
    }

    @inline(never)
    private func makeLeafMemo(_ column: Int, _ index: IndexSnapshot) -> LeafMemo {
        let memo = LeafMemo(index)
        while leafMemos.count <= column { leafMemos.append(nil) }
        leafMemos[column] = memo
        return memo
    }

    deinit { pointers.deallocate() }

    var definition: TableDefinition { pending?.definition ?? base.definition }
    func propertyName(ofColumn column: Int) -> String {
        let name = definition.columns[column].name
        return propertyNames[name] ?? name
    }

    /// A column as messages call it: `Class.property`.
    func title(ofColumn column: Int) -> String {
        "\(definition.name).\(propertyName(ofColumn: column))"
    }

    var spaces: TableSpaces { pending?.spaces ?? base.spaces }
    var count: Int { pending?.count ?? base.count }
    var clusterCount: Int { pending?.clusterCount ?? base.directory.count }

    /// Another version of the same table; the caller resets the epoch.
    func move(to next: TableSnapshot) {
        if next === base { return }
        base = next
        density = .unknown
        noteIndexes()
        reserve(next.directory.count)
    }

    func forgetPointers() {
        if lowestPointer <= highestPointer {
            (pointers + lowestPointer)
                .update(repeating: nil, count: highestPointer - lowestPointer + 1)
        }
        lowestPointer = .max
        highestPointer = -1
        if !pins.isEmpty { pins.removeAll(keepingCapacity: true) }
        if !longPins.isEmpty { longPins.removeAll() }
        if !trees.isEmpty { trees.removeAll() }
        if !leafMemos.isEmpty { leafMemos.removeAll(keepingCapacity: true) }
    }

    private func reserve(_ count: Int) {
        guard count > pointerCapacity else { return }
        let capacity = max(count, pointerCapacity * 2)
        let new = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: capacity)
        new.initialize(repeating: nil, count: capacity)
        new.update(from: pointers, count: pointerCapacity)
        pointers.deallocate()
        pointers = new
        pointerCapacity = capacity
    }

    /// Where the cluster that holds a key lies, if it is remembered.
    func rememberedPayload(of key: ObjectKey) -> UnsafeRawPointer? {
        let ordinal = ordinal(of: key)
        return ordinal < 0 ? nil : remembered(ordinal)
    }

    /// The payload of a cluster if it is remembered.
    ///
    /// A plain load on most machines; a frozen table's may be stored by another thread just now.
    @inline(__always)
    private func remembered(_ ordinal: Int) -> UnsafeRawPointer? {
        UnsafeRawPointer(bitPattern: UInt(domesday_load_acquire(pointers + ordinal)))
    }

    /// Remembers where a cluster lies now.
    func setPointer(_ payload: UnsafeRawPointer?, _ ordinal: Int) {
        reserve(ordinal + 1)
        pointers[ordinal] = payload
        lowestPointer = min(lowestPointer, ordinal)
        highestPointer = max(highestPointer, ordinal)
    }

    // MARK: - Clusters

    /// The cluster at an ordinal, loaded.
    @inline(__always)
    func cluster(_ ordinal: Int) throws(StorageError) -> ClusterView {
        if let payload = remembered(ordinal) { return ClusterView(payload) }
        return try loadCluster(ordinal)
    }

    @inline(never)
    private func loadCluster(_ ordinal: Int) throws(StorageError) -> ClusterView {
        if let dirty = pending?.dirty[ordinal] {
            setPointer(UnsafeRawPointer(dirty.fixed.payload), ordinal)
            return dirty.view
        }
        let buffer = try cell(ordinal).fixed(from: self, columns: definition.columns)
        if isFrozen { return publish(buffer, ordinal) }
        pins.append(buffer)
        reader.notePinned(buffer.byteCount)
        setPointer(UnsafeRawPointer(buffer.payload), ordinal)
        return ClusterView(buffer.payload)
    }

    /// Remembers a frozen table's cluster for all threads; what another one remembered first stays.
    private func publish(_ buffer: BlobBuffer, _ ordinal: Int) -> ClusterView {
        reader.growth.withLock { _ in
            if let payload = remembered(ordinal) { return ClusterView(payload) }
            pins.append(buffer)
            domesday_store_release(pointers + ordinal, UInt64(UInt(bitPattern: buffer.payload)))
            return ClusterView(buffer.payload)
        }
    }

    /// - Precondition: the cluster is not dirty, or lacks its heap part: that is still the cell's.
    func cell(_ ordinal: Int) -> ClusterCell {
        pending?.flushed[ordinal] ?? base.directory.cell(ordinal)
    }

    /// The heap part of a loaded cluster, loaded when first needed.
    @inline(__always)
    func heap(_ cluster: ClusterView) throws(StorageError) -> UnsafeRawPointer {
        if let heap = cluster.heap { return heap }
        return try loadHeap(cluster)
    }

    @inline(never)
    private func loadHeap(_ cluster: ClusterView) throws(StorageError) -> UnsafeRawPointer {
        if let changed = MutableCluster.owner(of: cluster.payload) {
            try loadHeap(of: changed)
            if let heap = cluster.heap { return heap }
        }
        let ordinal = ordinal(of: cluster.firstKey)
        let heap = try cell(ordinal).loadHeap(of: .holding(cluster.payload), from: self)
        reader.notePinned(heap.byteCount)
        return UnsafeRawPointer(heap.payload)
    }

    /// The ordinal of the cluster that holds a key if any does, or -1.
    func ordinal(of key: ObjectKey) -> Int {
        if let pending, let first = pending.appended.first, key >= first {
            var low = 0
            var high = pending.appended.count
            while high - low > 1 {
                let middle = (low + high) >> 1
                if pending.appended[middle] <= key { low = middle } else { high = middle }
            }
            return base.directory.count + low
        }
        return base.directory.ordinal(of: key)
    }

    /// The cluster and row of the object at a position in the order of keys.
    ///
    /// - Complexity: O(clusters before it); one step where all of them are full.
    func place(at position: Int) throws(StorageError) -> (ordinal: Int, row: Int)? {
        guard position < count else { return nil }
        // Without gaps positions are distances of keys.
        let guess = position / ClusterShape.rowLimit
        if guess < clusterCount,
            try cluster(guess).firstKey == cluster(0).firstKey
                + Int64(guess * ClusterShape.rowLimit),
            try hasNoGaps()
        {
            return (guess, position % ClusterShape.rowLimit)
        }
        var rest = position
        for ordinal in 0..<clusterCount {
            let rows = try cluster(ordinal).rowCount
            if rest < rows { return (ordinal, rest) }
            rest -= rows
        }
        return nil
    }

    /// Whether nothing was ever deleted between the first object and the last.
    ///
    /// - Precondition: there is a cluster.
    private func hasNoGaps() throws(StorageError) -> Bool {
        let first = try cluster(0)
        let last = try cluster(clusterCount - 1)
        guard last.rowCount > 0 else { return false }
        return last.key(last.rowCount - 1) - first.firstKey + 1 == Int64(count)
            && first.key(0) == first.firstKey
    }

    // MARK: - Objects

    /// The object at a position in the order of keys.
    ///
    /// - Complexity: as `place(at:)`; no cluster is looked into if the version has no gaps.
    @inline(__always)
    func object(at position: Int) throws(StorageError) -> FoundRow? {
        // Inserts leave the objects of the version where they are; deletes are noted.
        if case .dense(let first) = density, position < base.count,
            pending?.shrunk.isEmpty ?? true
        {
            let cluster = try cluster(position / ClusterShape.rowLimit)
            return FoundRow(
                key: first &+ Int64(position),
                location: RowLocation(
                    cluster: cluster.payload,
                    row: position % ClusterShape.rowLimit
                )
            )
        }
        return try searchedObject(at: position)
    }

    @inline(never)
    private func searchedObject(at position: Int) throws(StorageError) -> FoundRow? {
        if isFrozen {
            if let found = try frozenObject(at: position) { return found }
        } else if case .unknown = density, pending == nil {
            density = try measuredDensity()
        }
        guard let (ordinal, row) = try place(at: position) else { return nil }
        let view = try cluster(ordinal)
        return FoundRow(
            key: view.key(row),
            location: RowLocation(cluster: view.payload, row: row)
        )
    }

    /// The object at a position of a frozen table without gaps.
    private func frozenObject(at position: Int) throws(StorageError) -> FoundRow? {
        var first = frozenDensity.load(ordering: .relaxed)
        if first == 0 {
            // Whichever thread comes first: all find the same.
            if case .dense(let key) = try measuredDensity() { first = key } else { first = -1 }
            frozenDensity.store(first, ordering: .relaxed)
        }
        guard first > 0, position < base.count else { return nil }
        let cluster = try cluster(position / ClusterShape.rowLimit)
        return FoundRow(
            key: first &+ Int64(position),
            location: RowLocation(cluster: cluster.payload, row: position % ClusterShape.rowLimit)
        )
    }

    /// - Precondition: nothing is pending.
    /// - Complexity: O(clusters); loads the last one.
    private func measuredDensity() throws(StorageError) -> Density {
        let directory = base.directory
        guard directory.count > 0 else { return .gaps }
        let lastOrdinal = directory.count - 1
        let last = try cluster(lastOrdinal)
        let rowLimit = ClusterShape.rowLimit
        // No cluster has more rows than the limit: all in front of the last are full if the sum says
        // so, and a full one has no gap if the next begins right behind it.
        guard last.rowCount > 0, base.count == lastOrdinal * rowLimit + last.rowCount,
            last.key(last.rowCount - 1) == last.firstKey + Int64(last.rowCount - 1)
        else { return .gaps }
        var expected = directory.firstKey(0)
        let first = expected
        for chunk in directory.chunks {
            for key in chunk.firstKeys {
                if key != expected { return .gaps }
                expected += Int64(rowLimit)
            }
        }
        return .dense(first: first)
    }

    /// Where an object lies; nil if there is none of that key.
    ///
    /// - Complexity: O(1) in a table without gaps, else O(log n).
    func locate(_ key: ObjectKey) throws(StorageError) -> RowLocation? {
        let ordinal = ordinal(of: key)
        guard ordinal >= 0 else { return nil }
        let view = try cluster(ordinal)
        let row = view.row(of: key)
        return row < 0 ? nil : RowLocation(cluster: view.payload, row: row)
    }

    /// As `locate`, for an object that nobody used for long: asks for its memory as early as can be.
    @inline(__always)
    func locateAfar(
        _ key: ObjectKey,
        _ columnCount: Int
    ) throws(StorageError) -> RowLocation? {
        let ordinal = ordinal(of: key)
        guard ordinal >= 0 else { return nil }
        if let payload = remembered(ordinal) {
            ClusterView.prefetchDirectory(payload, columnCount: columnCount)
        }
        let view = try cluster(ordinal)
        let row = view.row(of: key)
        if row < 0 { return nil }
        view.prefetchValues(row)
        return RowLocation(cluster: view.payload, row: row)
    }

    /// Loads and verifies all that a row holds, so that reading it afterwards cannot fail.
    ///
    /// What it links to is not looked at.
    func loadValues(at place: RowLocation) throws(StorageError) {
        let view = ClusterView(place.cluster)
        for column in 0..<view.columnCount where view.kind(column) == .bytes {
            if view.state(column, place.row) == 3 {
                try sequence(column, view, place.row).tree?.loadAll()
            } else {
                _ = try bytes(place.cluster, column: column, row: place.row)
            }
        }
    }

    /// The bytes of a text, data or short collection, wherever they are kept.
    func bytes(
        _ cluster: UnsafeRawPointer,
        column: Int,
        row: Int
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        let view = ClusterView(cluster)
        let bytes = ClusterView.bytes(try heap(view), column, row)
        let state = view.state(column, row)
        precondition(state != 3, "a long collection is no byte string")
        guard state == 2 else { return bytes }
        return try longBytes(bytes, at: view)
    }

    /// A value kept in a blob of its own; `reference` is its number and its byte count.
    private func longBytes(
        _ reference: UnsafeRawBufferPointer,
        at view: ClusterView
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let (number, byteCount) = LongValue.decode(reference) else {
            throw reader.snapshot.damaged(
                BlobAddress(space: spaces.heap, id: view.firstKey),
                "reference to a long value"
            )
        }
        if let value = pending?.longValues[number] {
            // The array lives in the transaction and is replaced, never changed in place, while
            // pointers of this epoch exist; `pinLong` keeps a copy for the reader.
            return pinLong(number, value)
        }
        let buffer = try pinnedLongValue(number)
        guard buffer.payloadByteCount == byteCount else {
            let address = BlobAddress(space: spaces.long, id: number)
            throw reader.snapshot.damaged(address, "length of a long value")
        }
        return buffer.payloadBytes
    }

    /// A stored long value, root or leaf, kept as long as its pointers are valid.
    func pinnedLongValue(_ number: Int64) throws(StorageError) -> BlobBuffer {
        if let known = pinnedInMemory(number) { return known }
        let buffer = try load(BlobAddress(space: spaces.long, id: number))
        if isFrozen {
            // The first one stays: others may have pointers into it.
            return reader.growth.withLock { _ in
                let kept = longPins[number] ?? buffer
                longPins[number] = kept
                return kept
            }
        }
        longPins[number] = buffer
        reader.noteOwned(buffer.byteCount)
        return buffer
    }

    /// As `pinnedLongValue`, nil if it has not been read.
    func pinnedInMemory(_ number: Int64) -> BlobBuffer? {
        isFrozen ? reader.growth.withLock { _ in longPins[number] } : longPins[number]
    }

    private func pinLong(_ number: Int64, _ value: [UInt8]) -> UnsafeRawBufferPointer {
        let buffer = BlobBuffer(payloadByteCount: value.count)
        value.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: buffer.payload, count: $0.count).copyMemory(
                from: $0
            )
        }
        longPins[-number - 1] = buffer
        reader.noteOwned(buffer.byteCount)
        return buffer.payloadBytes
    }
}

extension TableReader: BlobSource {
    var path: String { reader.store.path }

    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer {
        try reader.load(address)
    }
}

/// The 16 bytes that stand in a heap for a value kept in a blob of its own.
enum LongValue {
    /// Values above this many bytes are long.
    static let threshold = 8192

    static func encode(number: Int64, byteCount: Int) -> [UInt8] {
        withUnsafeBytes(of: (number.littleEndian, Int64(byteCount).littleEndian)) { Array($0) }
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> (number: Int64, byteCount: Int)? {
        guard bytes.count == 16 else { return nil }
        let number = Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
        let count = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
        return count >= 0 ? (number, Int(count)) : nil
    }
}
