import Testing

@testable import Domesday

@Suite("Leaf merges")
struct LeafMerges {
    private func hash(_ i: UInt64) -> UInt64 { i &* 0x9e37_79b9_7f4a_7c15 }

    private func filled(_ count: UInt64) throws -> LeafWorld {
        let world = LeafWorld()
        try world.write { overlay in
            for i in 0..<count { overlay.insert(value: hash(i), key: i) }
        }
        return world
    }

    @Test("one insert rewrites one leaf and one group, mostly at their old sizes")
    func smallWrite() throws {
        let world = try filled(50_000)
        var resizedCount = 0
        for i in 50_000..<50_200 as Range<UInt64> {
            let before = world.store.blobs
            let writer = try world.write { $0.insert(value: hash(i), key: i) }
            #expect(writer.writtenByteCounts.count == 2)
            resizedCount +=
                writer.writtenByteCounts
                .filter { before[$0.key]?.count != $0.value }.count
        }
        #expect(resizedCount < 100)
    }

    @Test(
        "leaves of a new index share pages by two, or hold 384 pairs",
        arguments: [(0, 384), (1, 283), (1 << 20, 384)] as [(UInt64, Int)]
    )
    func newLeaves(step: UInt64, count: Int) throws {
        let world = LeafWorld()
        // Keys take four bytes; beside them values that take none, two or four.
        try world.write { overlay in
            for i in 0..<10_000 as Range<UInt64> {
                overlay.insert(value: i * step, key: i * 1_000_000)
            }
        }
        #expect(world.snapshot.nextLeafId == Int64((10_000 + count - 1) / count))
        #expect(try world.findings() == [])
    }

    @Test("a merge without remaining changes is the same snapshot and writes nothing")
    func emptyMerge() throws {
        let world = try filled(1000)
        let before = world.snapshot
        let writer = try world.write { overlay in
            overlay.insert(value: 5, key: 5)
            overlay.remove(value: 5, key: 5)
            overlay.remove(value: hash(7), key: 7)
            overlay.insert(value: hash(7), key: 7)
            #expect(overlay.isUnchanged)
        }
        #expect(world.snapshot === before)
        #expect(writer.writtenByteCounts.isEmpty)
    }

    @Test("removing what the index does not hold is damage, and the old snapshot stays")
    func removesMissing() throws {
        let world = try filled(1000)
        for key in [UInt64(7), 2000] {
            let overlay = IndexOverlay(world.snapshot)
            overlay.remove(value: hash(key), key: key)
            overlay.remove(value: hash(key), key: key)
            #expect { try world.commit(overlay) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
        }
        #expect(try world.entries().count == 1000)
        #expect(try world.findings() == [])
    }

    @Test("two merges of one transaction add up, and their leaves are readable before the commit")
    func twoMerges() throws {
        let world = LeafWorld(cacheByteCount: 0)
        let writer = world.store.begin()
        var snapshot = world.snapshot
        for half in 0..<2 as Range<UInt64> {
            let overlay = IndexOverlay(snapshot)
            for i in 0..<2000 as Range<UInt64> { overlay.insert(value: i, key: half) }
            snapshot = try snapshot.merge(
                overlay,
                into: writer,
                version: 1,
                from: LeafSource(writer)
            )
        }
        // The store does not have them yet: nothing may have been evicted.
        #expect(try snapshot.count(equalTo: 1999, from: world.source) == 2)
        writer.commit()
        snapshot.makeEvictable()
        #expect(world.cache.byteCount == 0)
        #expect(try snapshot.count(equalTo: 1999, from: world.source) == 2)
    }

    @Test("a pair held a hundred thousand times is one pair, counted")
    func manyCopies() throws {
        let world = LeafWorld()
        try world.write { overlay in
            for _ in 0..<100_000 { overlay.insert(value: 3, key: 4) }
            overlay.insert(value: 3, key: 5)
            overlay.insert(value: 4, key: 1)
        }
        #expect(world.store.blobs.count == 2)
        #expect(try world.snapshot.count(equalTo: 3, from: world.source) == 100_001)
        #expect(
            try world.snapshot.copies(of: IndexEntry(value: 3, key: 4), from: world.source)
                == 100_000
        )
        try world.write { overlay in
            for _ in 0..<99_999 { overlay.remove(value: 3, key: 4) }
        }
        #expect(try world.entries().map(\.key) == [4, 5, 1])
        #expect(try world.findings() == [])
    }

    @Test("counting many equal values reads two leaves at most")
    func countsWithoutWalking() throws {
        let world = LeafWorld()
        try world.write { overlay in
            for i in 0..<200_000 as Range<UInt64> { overlay.insert(value: i % 2, key: i) }
        }
        let cold = IndexSnapshot(
            world.snapshot.root,
            in: IndexPlace(
                leaves: world.place.leaves,
                groups: world.place.groups,
                cache: CellCache(maximumByteCount: 1 << 30)
            )
        )
        let before = world.store.loadCount
        #expect(try cold.count(equalTo: 1, from: world.source) == 100_000)
        #expect(world.store.loadCount - before <= 4)
    }

    @Test("an index that is dropped leaves no blobs; pinned readers go on")
    func drops() throws {
        let world = try filled(5000)
        let cold = try world.reopened()
        let pin = world.store.pin()
        let writer = world.store.begin()
        try world.snapshot.drop(in: writer)
        writer.commit()
        #expect(world.store.blobs.isEmpty)
        #expect(try cold.first(equalTo: hash(77), from: LeafSource(pin)) == 77)
    }

    @Test("numbers that ascend are looked for before they come, and found afterwards")
    func ascending() throws {
        let world = LeafWorld()
        try world.write { overlay in
            for i in 0..<1000 as Range<UInt64> { overlay.insert(value: i, key: i) }
        }
        let overlay = IndexOverlay(world.snapshot)
        for i in 1000..<3000 as Range<UInt64> {
            #expect(try overlay.first(equalTo: i, from: world.source) == nil)
            #expect(try overlay.count(equalTo: i % 1000, from: world.source) == 1)
            overlay.insert(value: i, key: i)
        }
        #expect(try overlay.first(equalTo: 999, from: world.source) == 999)
        #expect(try overlay.first(equalTo: 1000, from: world.source) == 1000)
        #expect(try overlay.count(equalTo: 2999, from: world.source) == 1)
        #expect(try overlay.first(equalTo: 3000, from: world.source) == nil)
        overlay.remove(value: 2000, key: 2000)
        #expect(try overlay.first(equalTo: 2000, from: world.source) == nil)
        try world.commit(overlay)
        #expect(world.snapshot.totalCount == 2999)
        #expect(try world.findings() == [])
    }

    @Test("pending changes to one value cost the same however many there are")
    func longChains() throws {
        let world = LeafWorld()
        let overlay = IndexOverlay(world.snapshot)
        var wrongCount = 0
        // Were it quadratic, this test would not end.
        for i in 0..<100_000 as Range<UInt64> {
            overlay.insert(value: 9, key: i)
            if try overlay.count(equalTo: 9, from: world.source) != Int(i) + 1 { wrongCount += 1 }
        }
        #expect(wrongCount == 0)
        let entry = IndexEntry(value: 9, key: 50_000)
        overlay.remove(value: 9, key: 50_000)
        #expect(try !overlay.contains(entry, from: world.source))
        try world.commit(overlay)
        #expect(world.snapshot.totalCount == 99_999)
    }

    @Test(
        "changes are sorted whatever their values look like",
        arguments: [UInt64.max, 5, 1 << 40, 1],
        [100, 5000]
    )
    func sorts(_ modulus: UInt64, _ count: Int) {
        var random = LeafRandom(state: 4)
        for shift in [UInt64(0), 20] {
            var changes = ContiguousArray(
                (0..<count).map { _ in
                    IndexChange(
                        value: random.next() % modulus << shift,
                        key: random.next() % 1000,
                        delta: 1
                    )
                }
            )
            let expected = changes.sorted(by: IndexChange.precedes)
            let isDistinct = IndexChange.sort(&changes)
            #expect(Array(changes) == expected)
            #expect(!isDistinct || Set(changes.map(\.entry)).count == count)
        }
    }

    @Test(
        "changes whose keys ascend are sorted, and known to be distinct",
        arguments: [UInt64.max, 100, 1 << 20, 1],
        [100, 5000]
    )
    func sortsAscendingKeys(_ modulus: UInt64, _ count: Int) {
        var random = LeafRandom(state: 5)
        var changes = ContiguousArray(
            (0..<count).map {
                IndexEntry(value: random.next() % modulus, key: UInt64($0) * 3)
            }
        )
        let expected = changes.sorted()
        #expect(IndexEntry.sort(&changes))
        #expect(Array(changes) == expected)
    }
}
