import Testing

@testable import Domesday

/// What happens to readers when stored bytes are not what was written.
@Suite("Leaf damage")
struct LeafDamage {
    private func filled(verifies: Bool) throws -> LeafWorld {
        let world = LeafWorld(verifies: verifies)
        var random = LeafRandom(state: 11)
        try world.write { overlay in
            for i in 0..<4000 as Range<UInt64> {
                overlay.insert(value: random.next() >> (i % 2 * 50), key: i % 777)
            }
            for _ in 0..<3 { overlay.insert(value: 1, key: 1) }
        }
        return world
    }

    /// Runs every lookup; errors other than damage are not caught.
    private func readAll(_ world: LeafWorld) throws -> (entries: [IndexEntry], isDamaged: Bool) {
        do {
            let snapshot = try world.reopened()
            var entries: [IndexEntry] = []
            try snapshot.forEachEntry(from: world.source) { entry in
                entries.append(entry)
                // A damaged count of copies is at most what the group says, and that is summed.
                return entries.count <= 10_000
            }
            for value in [0, 1, 1 << 13, 1 << 63, .max] as [UInt64] {
                _ = try snapshot.first(equalTo: value, from: world.source) { _ in false }
                _ = try snapshot.count(in: value / 2...value, from: world.source)
                _ = try snapshot.contains(
                    IndexEntry(value: value, key: 5),
                    from: world.source
                )
                try snapshot.forEach(
                    in: value / 2...value,
                    reversed: true,
                    from: world.source
                ) { _ in true }
            }
            return (entries, false)
        } catch let error as StorageError where error.code == .damaged {
            return ([], true)
        }
    }

    @Test("a verified store turns each flipped bit and each cut into an error")
    func verified() throws {
        let world = try filled(verifies: true)
        let whole = world.store.blobs
        var random = LeafRandom(state: 12)
        for (address, bytes) in whole.sorted(by: { $0.key.id < $1.key.id }) {
            for _ in 0..<4 {
                var damaged = bytes
                damaged[Int(random.next() % UInt64(bytes.count))] ^= 1 << (random.next() % 8)
                world.store.blobs = whole.merging([address: damaged]) { $1 }
                #expect(try readAll(world).isDamaged)
                world.store.blobs = whole.merging(
                    [address: Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))]
                ) { $1 }
                #expect(try readAll(world).isDamaged)
            }
            var missing = whole
            missing[address] = nil
            world.store.blobs = missing
            #expect(try readAll(world).isDamaged)
        }
    }

    @Test("without checksums, damaged bytes give an error or some answer, never a trap")
    func unverified() throws {
        let world = try filled(verifies: false)
        let whole = world.store.blobs
        var random = LeafRandom(state: 13)
        for (address, bytes) in whole.sorted(by: { $0.key.id < $1.key.id }) {
            for round in 0..<30 {
                var damaged = bytes
                // Headers first: they hold counts, widths and bases.
                let reach = round < 20 ? 64 : bytes.count
                for _ in 0...(round % 3) {
                    damaged[Int(random.next() % UInt64(reach))] = UInt8(random.next() & 0xff)
                }
                if round % 10 == 9 { damaged.removeLast(Int(random.next() % UInt64(bytes.count))) }
                world.store.blobs = whole.merging([address: damaged]) { $1 }
                _ = try readAll(world)
                _ = try world.findings()
                merge(world, &random)
            }
        }
    }

    /// A write over damaged leaves may throw; it may not trap.
    private func merge(_ world: LeafWorld, _ random: inout LeafRandom) {
        do {
            let snapshot = try world.reopened()
            let overlay = IndexOverlay(snapshot)
            for key in 0..<20 as Range<UInt64> {
                overlay.insert(value: random.next() >> (key % 2 * 50), key: key)
            }
            overlay.remove(value: 1, key: 1)
            let writer = world.store.begin()
            _ = try snapshot.merge(
                overlay,
                into: writer,
                version: 9,
                from: LeafSource(writer)
            )
        } catch {
            #expect((error as? StorageError)?.code == .damaged)
        }
    }

    @Test("the checker finds swapped, missing and surplus leaves, and wrong order")
    func checker() throws {
        let world = try filled(verifies: false)
        #expect(try world.findings() == [])
        let whole = world.store.blobs
        let first = BlobAddress(space: world.place.leaves, id: 0)
        let second = BlobAddress(space: world.place.leaves, id: 1)

        var blobs = whole
        blobs.swapAt(first, second)
        world.store.blobs = blobs
        #expect(try world.findings().contains("index leaf 0: entries lie outside its fences"))

        blobs = whole
        blobs[second] = nil
        world.store.blobs = blobs
        #expect(try world.findings() == ["index leaf 1: missing"])

        world.store.blobs = whole
        try world.write { overlay in
            for entry in try world.entries() { overlay.remove(value: entry.value, key: entry.key) }
            overlay.insert(value: 1, key: 1)
        }
        #expect(try world.findings() == [])
        world.store.blobs[second] = whole[second]
        #expect(try world.findings() == ["index leaf 1: belongs to nothing"])
    }

    @Test("a root survives its bytes and refuses others")
    func roots() throws {
        let world = try filled(verifies: true)
        let root = world.snapshot.root
        let bytes = root.encoded()
        #expect(try IndexRoot.decode(bytes, path: "") == root)
        for count in 0..<bytes.count {
            #expect(throws: StorageError.self) {
                try IndexRoot.decode(Array(bytes.prefix(count)), path: "")
            }
        }
        for i in [7, 15, 23, 24, 56] {
            var damaged = bytes
            damaged[i] ^= 0x80
            #expect(throws: StorageError.self) { try IndexRoot.decode(damaged, path: "") }
        }
    }
}

extension Dictionary {
    fileprivate mutating func swapAt(_ a: Key, _ b: Key) {
        (self[a], self[b]) = (self[b], self[a])
    }
}
