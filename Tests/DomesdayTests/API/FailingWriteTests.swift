import Foundation
import Testing

@testable import Domesday

private class FailingBox: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var content = Data()
    @Persisted var things: List<FailingBox>
    @Persisted var lid: FailingLid?
    @Persisted(originProperty: "things") var boxes: LinkingObjects<FailingBox>
}

private class FailingLid: EmbeddedObject { @Persisted var size = 0 }

private let classes: [ObjectBase.Type] = [FailingBox.self, FailingLid.self]

/// Everything a Realm shows, as text.
private func picture(_ realm: Realm) -> [String] {
    realm.objects(FailingBox.self).map { box in
        let things = box.things.map { "\($0.id)" }.joined(separator: ",")
        return "\(box.id) \(box.name) \(box.content.count) [\(things)] \(box.lid?.size ?? -1) "
            + "\(box.boxes.count)"
    }
}

private func makeBoxes(_ realm: Realm, _ ids: Range<Int>) {
    for id in ids {
        let box = FailingBox()
        box.id = id
        box.name = "box \(id)"
        box.content = Data(repeating: 1, count: id % 40 == 0 ? 9000 : 20)
        box.lid = FailingLid()
        realm.add(box)
    }
}

/// A write that fails at any of its steps is undone and over, and the Realm goes on.
@Suite("Writes that fail")
struct FailingWriteTests {
    private func openRealm(_ pages: any PageStore, cacheByteLimit: Int = 64 << 20) throws -> Realm {
        let schemas = try SchemaBuilder.schemas(of: classes)
        let reader = StoreReader(store: try Store(pages: pages, cacheByteLimit: cacheByteLimit))
        try SchemaSynchronizer(reader: reader, schemas: schemas, version: 0).run(isReadOnly: false)
        return Realm(
            state: try RealmState(
                reader: reader,
                schemas: schemas,
                path: pages.path,
                confinement: .currentThread,
                openedAt: "test"
            )
        )
    }

    /// Changes of every kind. Returns an object that was added.
    private func change(_ realm: Realm) -> FailingBox {
        makeBoxes(realm, 1000..<1100)
        let added = FailingBox(value: ["id": 5000])
        realm.add(added)
        let boxes = Array(realm.objects(FailingBox.self))
        boxes[3].name = "renamed"
        boxes[4].content = Data(repeating: 2, count: 20_000)
        boxes[5].things.append(objectsIn: [boxes[6], added])
        boxes[6].lid = nil
        realm.delete(boxes[7])
        realm.delete(Array(boxes[40..<300]))
        return added
    }

    @Test(
        "a failure at any step undoes the write, whose objects end, and later writes succeed",
        arguments: [Fault.Operation.begin, .write, .delete, .commit, .pin],
        [StorageError.Code.full, .inputOutput]
    )
    func anyStep(_ operation: Fault.Operation, _ code: StorageError.Code) throws {
        let pages = FaultyPageStore(MemoryPageStore(path: "faulty"))
        let realm = try openRealm(pages)
        try realm.write { makeBoxes(realm, 0..<400) }
        // Somebody still reads the version before, so that a commit has to pin it.
        let other = StoreReader(store: realm.state.reader.store)
        let before = picture(realm)
        var number = 0
        while true {
            // All of them takes long; the first ones differ most.
            number += number < 8 || Scale.factor > 1 ? 1 : 17
            pages.plan([Fault(operation: operation, number: number, effect: .failBefore(code))])
            var added: FailingBox?
            do {
                try realm.write { added = change(realm) }
                break
            } catch let error as Realm.Error {
                #expect(error.code == (code == .full ? .outOfDiskSpace : .fileAccess))
                #expect(error.description.contains("'faulty'"))
            }
            #expect(!realm.isInWriteTransaction)
            #expect(added?.isInvalidated ?? true)
            #expect(picture(realm) == before, "\(operation) \(number)")
        }
        #expect(number > 1, "nothing failed")
        #expect(picture(realm) != before)
        #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
        withExtendedLifetime(other) {}
        let after = picture(realm)
        #expect(picture(try openRealm(pages.inner)) == after)
    }

    // As a device may do that fails while it makes a commit durable.
    @Test("a commit that reported an error may be found by the next process, and then whole")
    func unknownOutcome() throws {
        let pages = FaultyPageStore(MemoryPageStore(path: "faulty"))
        let realm = try openRealm(pages)
        try realm.write { makeBoxes(realm, 0..<400) }
        pages.plan([Fault(operation: .commit, number: 1, effect: .failAfter(.inputOutput))])
        #expect(throws: Realm.Error.self) { try realm.write { _ = change(realm) } }
        let next = try openRealm(pages.inner)
        #expect(next.objects(FailingBox.self).count == 400 + 101 - 261)
        #expect(try StoreCheck.findings(in: next.state.reader.store) == [])
    }

    @Test("a throw of the block comes through, also when the disk is full meanwhile")
    func ownError() throws {
        struct Stop: Error {}
        let pages = FaultyPageStore(MemoryPageStore(path: "faulty"))
        let realm = try openRealm(pages)
        pages.plan([Fault(operation: .commit, number: 1, effect: .failBefore(.full))])
        #expect(throws: Stop.self) {
            try realm.write {
                makeBoxes(realm, 0..<3)
                throw Stop()
            }
        }
        #expect(realm.isEmpty)
    }

    @Test(
        "on a disk without room a write is undone, and succeeds when there is room",
        .enabled(if: SmallDisk.canMount, "mounting a tmpfs is not permitted")
    )
    func fullDisk() throws {
        let disk = try SmallDisk(byteCount: 8 << 20)
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: disk.folder.file()),
            objectTypes: classes
        )
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { makeBoxes(realm, 0..<400) }
            let before = picture(realm)
            for round in 0..<3 {
                try disk.fill()
                var added: FailingBox?
                let error = #expect(throws: Realm.Error.self) {
                    try realm.write { added = change(realm) }
                }
                #expect(error?.code == .outOfDiskSpace)
                #expect(error?.description.contains("'\(disk.folder.file())'") == true)
                #expect(!realm.isInWriteTransaction && added?.isInvalidated == true)
                #expect(picture(realm) == before, "round \(round)")
                disk.empty()
            }
            try realm.write { _ = change(realm) }
            #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
            #expect(realm.objects(FailingBox.self).count == 400 + 101 - 261)
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(FailingBox.self).count == 400 + 101 - 261)
        #expect(realm.object(ofType: FailingBox.self, forPrimaryKey: 5000)?.boxes.count == 1)
    }

    @Test(
        "a write larger than the cache on a disk without room is undone, and later ones succeed",
        .enabled(if: SmallDisk.canMount, "mounting a tmpfs is not permitted")
    )
    func fullDiskBeyondCache() throws {
        let disk = try SmallDisk(byteCount: 3 << 20)
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: disk.folder.file()),
            objectTypes: classes
        )
        configuration.cacheByteLimit = 1 << 20
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { makeBoxes(realm, 0..<10) }
            let before = picture(realm)
            for _ in 0..<2 {
                let error = #expect(throws: Realm.Error.self) {
                    try realm.write {
                        makeBoxes(realm, 10..<20_000)
                        let boxes = realm.objects(FailingBox.self)
                        for box in boxes where box.id % 2 == 0 { box.name = "even" }
                        #expect(boxes.where { $0.name == "even" }.count == 10_000)
                    }
                }
                #expect(error?.code == .outOfDiskSpace)
                #expect(error?.description.contains("'\(disk.folder.file())'") == true)
                #expect(picture(realm) == before)
            }
            try realm.write { makeBoxes(realm, 10..<20) }
            #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(FailingBox.self).map(\.id) == Array(0..<20))
    }

    @Test("without room changed clusters stay in memory, and the disk is rarely asked")
    func noRoomToFlush() throws {
        let pages = FaultyPageStore(MemoryPageStore(path: "faulty"))
        let realm = try openRealm(pages, cacheByteLimit: 1 << 16)
        try realm.write { makeBoxes(realm, 0..<3) }
        let before = picture(realm)
        pages.setRoom(false)
        pages.plan([Fault(operation: .commit, number: 1, effect: .failBefore(.full))])
        var writeCount = 0
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                makeBoxes(realm, 10..<4000)
                realm.delete(realm.objects(FailingBox.self).where { $0.id < 1000 })
                writeCount = pages.count(of: .write)
            }
        }
        #expect(error?.code == .outOfDiskSpace)
        #expect(writeCount == 0, "something was flushed")
        #expect((1..<12).contains(pages.roomQuestionCount), "\(pages.roomQuestionCount)")
        #expect(picture(realm) == before)
        // With room again the same write flushes, and succeeds.
        pages.setRoom(true)
        pages.plan([])
        try realm.write {
            makeBoxes(realm, 10..<4000)
            #expect(pages.count(of: .write) > 0)
        }
        #expect(realm.objects(FailingBox.self).count == 3993)
        #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
    }

    @Test("a write without room to flush commits if its changes fit after all")
    func roomAfterAll() throws {
        let pages = FaultyPageStore(MemoryPageStore(path: "faulty"))
        let realm = try openRealm(pages, cacheByteLimit: 1 << 16)
        pages.setRoom(false)
        try realm.write { makeBoxes(realm, 0..<3000) }
        #expect(realm.objects(FailingBox.self).count == 3000)
        let store = realm.state.reader.store
        #expect(try StoreCheck.findings(in: store) == [])
    }
}
