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
    /// nil when no column has bytes, or `lacksHeap`.
    private(set) var heap: BlobBuffer?
    /// Whether the heap part has not been loaded, since nothing has needed it yet: `attach` it before
    /// anything but numbers is changed.
    private(set) var lacksHeap = false
    private(set) var ownsHeap: Bool
    private(set) var columns: [ColumnDefinition] {
        didSet { sort() }
    }
    /// What a new row needs that is not zero already.
    private(set) var steps = UnsafeMutableBufferPointer<AppendStep>(start: nil, count: 0)
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
    ///
    /// - Parameter heap: nil too if it has not been loaded.
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
        lacksHeap = heap == nil && columns.contains { $0.kind == .bytes }
        ownsHeap = false
        // One that no transaction has written was made when the cluster was brought to a newer schema:
        // the stored one does not fit beside what this cluster will be stored as.
        heapChanged = heap?.version == 0
        payload = self.fixed.payload
        sort()
        publish()
    }

    struct AppendStep {
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

    // MARK: - Buffers

    /// Goes on with the stored heap part, which was not needed so far.
    func attach(heap stored: BlobBuffer) {
        heap = stored
        lacksHeap = false
        publish()
    }

    /// The heap part, copied if it is still the stored version's, to be changed now.
    func ownedHeap() -> BlobBuffer? {
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

    /// The heap part must be written.
    @inline(__always)
    func noteHeapChange() { heapChanged = true }

    /// Goes on with another heap part, its own; nil if no column has bytes any more.
    func adopt(heap new: BlobBuffer?) {
        heap = new
        ownsHeap = true
        heapChanged = new != nil
        publish()
    }

    /// Goes on with another fixed part, its own, that `fill` copies the values into.
    func adopt(fixed new: BlobBuffer, _ fill: () -> Void) {
        let previous = fixed
        fixed = new
        payload = new.payload
        fill()
        publish()
        withExtendedLifetime(previous) { moved(self) }
    }

    /// Goes on under another schema; the caller brings the buffers up to it.
    func adopt(columns new: [ColumnDefinition]) { columns = new }
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
