import Dispatch
import Synchronization
import Testing

@testable import Domesday

@Suite("Leaf cells")
struct LeafCells {
    private let space = Space(3)

    /// A store with `count` blobs of 1024 stored bytes, each beginning with its id.
    private func store(_ count: Int64) -> LeafStore {
        let store = LeafStore()
        let writer = store.begin()
        for id in 0..<count {
            let buffer = BlobBuffer(payloadByteCount: 900)
            buffer.payload.storeBytes(of: id, as: Int64.self)
            writer.write(buffer, at: BlobAddress(space: space, id: id))
        }
        writer.commit()
        return store
    }

    private func cells(_ count: Int64, _ cache: CellCache) -> [Cell] {
        (0..<count).map { Cell(BlobAddress(space: space, id: $0), cache: cache) }
    }

    @Test("a cell loads once, and again after it was evicted")
    func loadsOnce() throws {
        let store = store(1)
        let cache = CellCache(maximumByteCount: 4096)
        let cell = cells(1, cache)[0]
        let first = try cell.buffer(from: LeafSource(store))
        #expect(try cell.buffer(from: LeafSource(store)) === first)
        #expect(store.loadCount == 1)
        #expect(cache.byteCount == 1024)
        cache.maximumByteCount = 0
        #expect(!cell.isLoaded)
        #expect(cache.byteCount == 0)
        // Whoever kept the buffer still has it.
        #expect(first.payload.load(as: Int64.self) == 0)
        #expect(try cell.buffer(from: LeafSource(store)) !== first)
        #expect(store.loadCount == 2)
    }

    @Test("the cache stays within its limit and keeps what is read again and again")
    func evicts() throws {
        let store = store(100)
        let cache = CellCache(maximumByteCount: 10 * 1024)
        let cells = cells(100, cache)
        for cell in cells {
            _ = try cells[0].buffer(from: LeafSource(store))
            let buffer = try cell.buffer(from: LeafSource(store))
            #expect(buffer.payload.load(as: Int64.self) == cell.address.id)
            #expect(cache.byteCount <= 10 * 1024)
        }
        #expect(cells.filter(\.isLoaded).count == 10)
        // Once loaded it was evicted a few times at most; without recency it would be 10.
        #expect(store.loadCount <= 105)
    }

    @Test("a pinned cell is counted, stays, and goes when it is unpinned")
    func pins() throws {
        let cache = CellCache(maximumByteCount: 0)
        var cell: Cell? = Cell(
            BlobAddress(space: space, id: 0),
            pinning: BlobBuffer(payloadByteCount: 900),
            cache: cache
        )
        #expect(cell?.isLoaded == true)
        #expect(cache.byteCount == 1024)
        cell?.unpin()
        #expect(cell?.isLoaded == false)
        #expect(cache.byteCount == 0)
        cell = Cell(
            BlobAddress(space: space, id: 0),
            pinning: BlobBuffer(payloadByteCount: 900),
            cache: cache
        )
        cell = nil
        #expect(cache.byteCount == 0)
    }

    @Test("a cell that dies leaves the cache")
    func dies() throws {
        let store = store(20)
        let cache = CellCache(maximumByteCount: 1 << 20)
        var cells = cells(20, cache)
        for cell in cells { _ = try cell.buffer(from: LeafSource(store)) }
        cells.removeSubrange(3..<15)
        #expect(cache.byteCount == 8 * 1024)
        cache.maximumByteCount = 2 * 1024
        #expect(cells.filter(\.isLoaded).count == 2)
        cells = []
        #expect(cache.byteCount == 0)
    }

    @Test("a blob that cannot be read leaves the cell empty, for the next try")
    func failedLoad() throws {
        let store = store(1)
        let cache = CellCache(maximumByteCount: 4096)
        let cell = cells(1, cache)[0]
        #expect(throws: StorageError.self) {
            try cell.buffer(from: LeafSource(store)) { _ in "not what was expected" }
        }
        #expect(!cell.isLoaded)
        #expect(cache.byteCount == 0)
        _ = try cell.buffer(from: LeafSource(store))
        #expect(cache.byteCount == 1024)
    }

    @Test("threads that read, evict and drop cells agree on content and count")
    func threads() {
        let store = store(64)
        let cache = CellCache(maximumByteCount: 8 * 1024)
        let shared = cells(64, cache)
        let wrongCount = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = LeafRandom(state: UInt64(thread))
            var own: [Cell] = []
            for step in 0..<5000 {
                if step % 20 == 0 { own = cells(64, cache) }
                let i = Int(random.next() % 64)
                let cell = random.next() % 2 == 0 ? shared[i] : own[i]
                let buffer = try? cell.buffer(from: LeafSource(store))
                let id = withExtendedLifetime(buffer) { buffer?.payload.load(as: Int64.self) }
                if id != Int64(i) { wrongCount.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrongCount.load(ordering: .relaxed) == 0)
        #expect(cache.byteCount == shared.filter(\.isLoaded).count * 1024)
        #expect(cache.byteCount <= 8 * 1024)
    }

    @Test("threads that read one snapshot through a tiny cache see all of it")
    func snapshotThreads() throws {
        let world = LeafWorld(cacheByteCount: 30_000)
        try world.write { overlay in
            for i in 0..<20_000 as Range<UInt64> { overlay.insert(value: i &* 77, key: i) }
        }
        let snapshot = try world.reopened()
        let store = world.store
        let wrongCount = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = LeafRandom(state: UInt64(thread))
            for _ in 0..<1000 {
                let i = random.next() % 20_000
                let key = try? snapshot.first(equalTo: i &* 77, from: LeafSource(store))
                if key != i { wrongCount.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrongCount.load(ordering: .relaxed) == 0)
        #expect(world.cache.byteCount <= 30_000)
    }
}
