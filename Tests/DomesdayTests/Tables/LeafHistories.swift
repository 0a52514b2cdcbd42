import Testing

@testable import Domesday

/// Random histories against a sorted array.
@Suite("Leaf histories")
struct LeafHistories {
    /// How the values of an index are spread.
    enum Spread: CaseIterable {
        case hashes, few, clusteredHigh, ascending, sameHash

        func value(_ random: inout LeafRandom, _ step: Int) -> UInt64 {
            switch self {
            case .hashes: random.next()
            case .few: random.next() % 3
            case .clusteredHigh: UInt64.max - random.next() % 5000
            case .ascending: UInt64(step) << 33
            case .sameHash: random.next() % 40 == 0 ? 0 : UInt64.max
            }
        }
    }

    static let seed: UInt64 = 20_260_117

    @Test(
        "any history of inserts, removals and rollbacks reads as a sorted array does",
        arguments: Spread.allCases,
        [1 << 30, 20_000]
    )
    func readsAsSortedArray(_ spread: Spread, _ cacheByteCount: Int) throws {
        var random = LeafRandom(state: Self.seed)
        let world = LeafWorld(cacheByteCount: cacheByteCount)
        var model = LeafModel()
        var olds: [(snapshot: IndexSnapshot, pin: any PagePin, model: LeafModel)] = []
        var step = 0
        for commit in 0..<40 {
            let overlay = IndexOverlay(world.snapshot)
            var pending = model
            let count = [1, 30, 900][commit % 3]
            for _ in 0..<count {
                step += 1
                change(&random, spread, step, commit >= 25, overlay, &pending)
            }
            let values = sample(&random, pending, spread, step)
            try pending.compare(
                overlay,
                values: values,
                world.source,
                "\(spread) seed \(Self.seed) \(commit)"
            )
            if commit % 7 == 3 { continue }  // A rollback: the overlay goes.
            if commit % 8 == 0 { olds.append((world.snapshot, world.store.pin(), model)) }
            try world.commit(overlay)
            model = pending
            try model.compare(
                world.snapshot,
                values: values,
                world.source,
                "\(spread) seed \(Self.seed) \(commit)"
            )
        }
        #expect(try world.entries() == model.entries)
        #expect(try world.entries(try world.reopened()) == model.entries)
        #expect(try world.findings() == [])
        for old in olds {
            let values = sample(&random, old.model, spread, step)
            try old.model.compare(
                old.snapshot,
                values: values,
                LeafSource(old.pin),
                "old snapshot, \(spread)"
            )
        }
    }

    private func change(
        _ random: inout LeafRandom,
        _ spread: Spread,
        _ step: Int,
        _ isShrinking: Bool,
        _ overlay: IndexOverlay,
        _ model: inout LeafModel
    ) {
        let removes = random.next() % 10 < (isShrinking ? 8 : 3)
        if removes, !model.entries.isEmpty {
            let entry = model.entries[Int(random.next() % UInt64(model.entries.count))]
            overlay.remove(value: entry.value, key: entry.key)
            model.remove(entry)
            return
        }
        // Few distinct keys, so that pairs are repeated where values are.
        let entry = IndexEntry(
            value: spread.value(&random, step),
            key: random.next() % 6000
        )
        for _ in 0...(step % 50 == 0 ? 3 : 0) {
            overlay.insert(value: entry.value, key: entry.key)
            model.insert(entry)
        }
    }

    private func sample(
        _ random: inout LeafRandom,
        _ model: LeafModel,
        _ spread: Spread,
        _ step: Int
    ) -> [UInt64] {
        var values: [UInt64] = [0, .max, 0]
        for _ in 0..<4 {
            values.append(spread.value(&random, step / 2))
            if let entry = model.entries.randomElement(using: &random) {
                values.append(entry.value)
            }
        }
        return values
    }

    @Test("an index that loses all its entries has no blobs, and grows again under new ids")
    func emptiesAndGrows() throws {
        let world = LeafWorld()
        let entries = (0..<300_000).map {
            IndexEntry(value: UInt64($0) << 20, key: UInt64($0))
        }
        try world.write { overlay in
            for entry in entries { overlay.insert(value: entry.value, key: entry.key) }
        }
        #expect(world.snapshot.slots.count == 12)
        #expect(try world.findings() == [])
        // Most go: leaves and groups join until few are left.
        try world.write { overlay in
            for entry in entries where entry.key % 16 != 0 {
                overlay.remove(value: entry.value, key: entry.key)
            }
        }
        #expect(try world.entries() == entries.filter { $0.key % 16 == 0 })
        #expect(world.snapshot.slots.count <= 2)
        #expect(world.store.blobs.count < 300_000 / 16 / IndexLeaf.minimumCount)
        #expect(try world.findings() == [])
        try world.write { overlay in
            for entry in entries where entry.key % 16 == 0 {
                overlay.remove(value: entry.value, key: entry.key)
            }
        }
        #expect(world.store.blobs.isEmpty)
        #expect(world.snapshot.totalCount == 0)
        let nextLeafId = world.snapshot.nextLeafId
        try world.write { $0.insert(value: 1, key: 2) }
        #expect(world.snapshot.nextLeafId == nextLeafId + 1)
        #expect(try world.entries() == [IndexEntry(value: 1, key: 2)])
    }

    @Test("a range of leaves that is removed leaves its neighbours untouched")
    func removesMiddle() throws {
        let world = LeafWorld()
        try world.write { overlay in
            for i in 0..<300_000 as Range<UInt64> { overlay.insert(value: i, key: i) }
        }
        let writer = try world.write { overlay in
            for i in 60_000..<240_000 as Range<UInt64> { overlay.remove(value: i, key: i) }
        }
        #expect(writer.writtenByteCounts.count <= 5)
        #expect(try world.snapshot.count(in: 0...UInt64.max, from: world.source) == 120_000)
        #expect(try world.snapshot.count(in: 59_000...240_999, from: world.source) == 2000)
        #expect(try world.findings() == [])
    }
}
