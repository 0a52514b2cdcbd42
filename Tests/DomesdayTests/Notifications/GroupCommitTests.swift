import Dispatch
import Foundation
import Testing

@testable import Domesday

@Suite("Group commit")
struct GroupCommitTests {
    private func configuration(_ folder: TemporaryFolder) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("grouped"),
            objectTypes: [Tag.self]
        )
    }

    private func syncCount(_ realm: Realm) throws -> Int {
        try #require(realm.state.reader.store.pages as? SQLitePageStore).deferred.withLock {
            $0.syncCount
        }
    }

    /// Commits and gives what was heard of them.
    private func commits(
        _ count: Int,
        allowGrouping: @escaping @Sendable (Int) -> Bool
    ) async throws -> (heard: [Int], syncs: Int) {
        let folder = try TemporaryFolder()
        let configuration = configuration(folder)
        let queue = DispatchQueue(label: "grouping")
        let heard = Counter<[Int]>([])
        // Kept, since a store that is opened again counts anew.
        let (before, kept) = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { realm.add(Tag(value: ["id": 0])) }
            let before = try syncCount(realm)
            for number in 0..<count {
                realm.beginAsyncWrite {
                    realm.objects(Tag.self)[0].weight += 1
                    realm.commitAsyncWrite(allowGrouping: allowGrouping(number)) { error in
                        #expect(error == nil)
                        heard.change { $0.append(number) }
                    }
                    // Seen at once, and synced once it is heard.
                    #expect(realm.objects(Tag.self)[0].weight == number + 1)
                }
            }
            return (before, Observation.Handed(realm))
        }
        #expect(try await eventually { heard.value.count == count })
        let syncs = try queue.sync {
            #expect(!kept.value.isPerformingAsynchronousWriteOperations)
            return try syncCount(kept.value) - before
        }
        let reopened = try await Realm(configuration: configuration)
        #expect(reopened.objects(Tag.self)[0].weight == count)
        return (heard.value, syncs)
    }

    @Test("commits that allow it are made durable together, and heard in order")
    func grouped() async throws {
        let (heard, syncs) = try await commits(50) { _ in true }
        #expect(heard == Array(0..<50))
        #expect(syncs == 1)
    }

    @Test("commits that do not allow it are made durable one by one")
    func single() async throws {
        let (heard, syncs) = try await commits(20) { _ in false }
        #expect(heard == Array(0..<20))
        #expect(syncs == 20)
    }

    @Test("a commit that does not allow it makes those before it durable, and is heard after them")
    func mixed() async throws {
        let (heard, syncs) = try await commits(60) { $0 % 20 != 19 }
        #expect(heard == Array(0..<60))
        #expect(syncs == 3)
    }

    @Test("no more than a hundred wait for each other")
    func limit() async throws {
        let (heard, syncs) = try await commits(250) { _ in true }
        #expect(heard == Array(0..<250))
        #expect(syncs == 3)
    }

    @Test("writes that begin at once may be grouped too; a completion can be taken back")
    func atOnce() async throws {
        let folder = try TemporaryFolder()
        let configuration = configuration(folder)
        let queue = DispatchQueue(label: "grouping")
        let heard = Counter<[Int]>([])
        let (before, kept) = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let before = try syncCount(realm)
            for number in 0..<10 {
                realm.beginWrite()
                realm.add(Tag(value: ["id": number]))
                let id = realm.commitAsyncWrite(allowGrouping: true) { _ in
                    heard.change { $0.append(number) }
                }
                if number == 4 { try realm.cancelAsyncWrite(id) }
            }
            #expect(realm.isPerformingAsynchronousWriteOperations)
            return (before, Observation.Handed(realm))
        }
        #expect(try await eventually { heard.value.count == 9 })
        #expect(heard.value == [0, 1, 2, 3, 5, 6, 7, 8, 9])
        let (syncs, count) = try queue.sync {
            (try syncCount(kept.value) - before, kept.value.objects(Tag.self).count)
        }
        #expect(syncs == 1 && count == 10)
    }

    @Test("a large commit is made durable by itself, and with it those before it")
    func large() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLitePageStore(path: folder.url.appendingPathComponent("pages").path)
        let count = { store.deferred.withLock { ($0.count, $0.syncedCount) } }
        func commit(_ byteCount: Int, _ id: Int64) throws {
            let writer = try store.beginWrite()
            let blob = BlobBuffer(payloadByteCount: byteCount)
            // Not zeros, which the log would make small.
            for offset in 0..<byteCount {
                blob.payload.storeBytes(
                    of: UInt8.random(in: 1...255),
                    toByteOffset: offset,
                    as: UInt8.self
                )
            }
            try writer.write(blob, at: BlobAddress(space: Space(1), id: id))
            try writer.commitDeferringSync()
        }
        for id in 0..<5 { try commit(100, Int64(id)) }
        // The first one makes the space's table, and so goes by the log like the others.
        #expect(count() == (5, 0))
        try store.sync()
        #expect(count() == (5, 5))
        for id in 5..<8 { try commit(100, Int64(id)) }
        #expect(count() == (8, 5))
        try commit(100_000, 8)
        #expect(count() == (8, 8))
        // A pin and a reader see them all, and so does the next opening.
        let pin = try store.pin()
        for id in 0..<9 {
            #expect(try pin.read(BlobAddress(space: Space(1), id: Int64(id))) != nil)
        }
        pin.release()
        try commit(100, 9)
        try store.close()
        let reopened = try SQLitePageStore(path: folder.url.appendingPathComponent("pages").path)
        #expect(try reopened.read(BlobAddress(space: Space(1), id: 9)) != nil)
    }
}
