import Foundation
import Testing

@testable import Domesday

private class RealmTestPerson: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name = ""
    @Persisted(indexed: true) var age: Int?
    @Persisted var dogs: List<RealmTestDog>
    @Persisted var owner: RealmTestPerson?
    @Persisted var score = 0.0
    @Persisted var born = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var picture = Data()
}

private class RealmTestDog: Object {
    @Persisted var name = ""
    @Persisted var weight: Double?
    @Persisted var collar: RealmTestCollar?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<RealmTestPerson>
}

private class RealmTestCollar: EmbeddedObject {
    @Persisted var size = 1
}

/// What a user does with a Realm, end to end over files.
@Suite("Realm")
struct RealmTests {
    private let folder: TemporaryFolder
    private let configuration: Realm.Configuration

    init() throws {
        folder = try TemporaryFolder()
        configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("test.domesday"),
            objectTypes: [RealmTestPerson.self, RealmTestDog.self, RealmTestCollar.self]
        )
    }

    @Test("objects, links, lists and embedded objects come back after closing the file")
    func roundTrip() throws {
        let id = UUID()
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let ann = RealmTestPerson()
                ann.id = id
                ann.name = "Ann e\u{301} \u{0} 🦊"
                ann.age = 31
                ann.score = -0.0
                ann.picture = Data(repeating: 7, count: 1 << 20)
                let rex = RealmTestDog()
                rex.name = "Rex"
                rex.collar = RealmTestCollar()
                rex.collar?.size = 4
                ann.dogs.append(rex)
                ann.dogs.append(rex)
                realm.add(ann)
                ann.owner = ann
                #expect(ann.name == "Ann e\u{301} \u{0} 🦊")
            }
        }
        let realm = try Realm(configuration: configuration)
        let ann = try #require(realm.object(ofType: RealmTestPerson.self, forPrimaryKey: id))
        #expect(Array(ann.name.utf8) == Array("Ann e\u{301} \u{0} 🦊".utf8))
        #expect(ann.age == 31)
        #expect(ann.score.sign == .minus && ann.score == 0)
        #expect(ann.picture == Data(repeating: 7, count: 1 << 20))
        #expect(ann.dogs.count == 2)
        #expect(ann.dogs[0].name == "Rex")
        #expect(ann.dogs[1].collar?.size == 4)
        #expect(ann.owner == ann)
        #expect(ann.dogs[0].owners.count == 2)
        #expect(realm.objects(RealmTestDog.self).count == 1)
    }

    @Test("objects are live: another accessor, and another thread after refresh, see a change")
    func live() async throws {
        let realm = try await Realm(configuration: configuration)
        let ann = RealmTestPerson()
        try realm.write { realm.add(ann) }
        let other = try #require(realm.objects(RealmTestPerson.self).first)
        try realm.write { ann.name = "Anna" }
        #expect(other.name == "Anna")
        let configuration = configuration
        let thread = Thread {
            guard let realm = try? Realm(configuration: configuration) else { return }
            try? realm.write { realm.objects(RealmTestPerson.self).first?.name = "Bea" }
        }
        thread.start()
        while !thread.isFinished { usleep(1000) }
        #expect(ann.name == "Anna")
        #expect(realm.refresh())
        #expect(ann.name == "Bea")
    }

    @Test("a throw undoes the write; what it added stays invalid whatever comes later")
    func rollback() throws {
        struct Stop: Error {}
        let realm = try Realm(configuration: configuration)
        let kept = RealmTestPerson()
        try realm.write { realm.add(kept) }
        let lost = RealmTestPerson()
        #expect(throws: Stop.self) {
            try realm.write {
                kept.name = "changed"
                realm.add(lost)
                throw Stop()
            }
        }
        #expect(kept.name == "")
        #expect(lost.isInvalidated)
        try realm.write { realm.add(RealmTestPerson()) }
        #expect(lost.isInvalidated)
        #expect(realm.objects(RealmTestPerson.self).count == 2)
    }

    @Test("deleting nullifies links, removes list entries, and takes embedded children along")
    func deletion() throws {
        let realm = try Realm(configuration: configuration)
        let ann = RealmTestPerson()
        let rex = RealmTestDog()
        rex.collar = RealmTestCollar()
        try realm.write {
            ann.dogs.append(objectsIn: [rex, RealmTestDog(), rex])
            ann.owner = ann
            realm.add(ann)
            realm.delete(rex)
        }
        #expect(rex.isInvalidated)
        #expect(ann.dogs.count == 1)
        #expect(realm.objects(RealmTestDog.self).count == 1)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
        #expect(ann.isInvalidated)
    }

    @Test("create takes dictionaries, nested ones too; .modified updates what is known by its key")
    func create() throws {
        let realm = try Realm(configuration: configuration)
        let id = UUID()
        try realm.write {
            realm.create(
                RealmTestPerson.self,
                value: ["id": id, "name": "Ann", "dogs": [["name": "Rex"], ["name": "Bo"]]]
            )
            realm.create(RealmTestPerson.self, value: ["id": id, "age": 5], update: .modified)
        }
        let all = Array(realm.objects(RealmTestPerson.self))
        #expect(all.count == 1)
        #expect(all[0].name == "Ann")
        #expect(all[0].age == 5)
        #expect(all[0].dogs.map(\.name) == ["Rex", "Bo"])
    }

    @Test("a Realm tells how it was opened and what it holds")
    func configurationAndSchema() throws {
        let realm = try Realm(configuration: configuration)
        #expect(realm.configuration.fileURL == configuration.fileURL)
        #expect(
            realm.schema.objectSchema.map(\.className)
                == ["RealmTestCollar", "RealmTestDog", "RealmTestPerson"]
        )
    }

    @Test("a query sets a property of all its objects, also the one it asks for")
    func settingMany() throws {
        let realm = try Realm(configuration: configuration)
        let young = realm.objects(RealmTestPerson.self).where { $0.age < 30 }
        try realm.write {
            for age in [20, 25, 30] { realm.create(RealmTestPerson.self, value: ["age": age]) }
            young.setValue(40, forKey: "age")
        }
        #expect(young.isEmpty && realm.objects(RealmTestPerson.self).sum(of: \.age) == 110)
    }

    @Test("iteration ends though its body adds objects")
    func iteration() throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for _ in 0..<300 { realm.add(RealmTestDog()) }
            var visited = 0
            for dog in realm.objects(RealmTestDog.self) {
                dog.name = "visited"
                realm.add(RealmTestDog())
                visited += 1
            }
            #expect(visited == 300)
        }
        #expect(realm.objects(RealmTestDog.self).count == 600)
    }

    @Test("one Realm per thread and file; Realms in memory live while one is open")
    func instances() throws {
        #expect(try Realm(configuration: configuration) == Realm(configuration: configuration))
        var memory = configuration
        memory.inMemoryIdentifier = "instances"
        do {
            let realm = try Realm(configuration: memory)
            try realm.write { realm.add(RealmTestDog()) }
            #expect(try Realm(configuration: memory).objects(RealmTestDog.self).count == 1)
        }
        #expect(try Realm(configuration: memory).isEmpty)
    }

    @Test("a read-only Realm reads, refuses a write, and a path is not open both ways")
    func readOnly() throws {
        var readOnly = configuration
        readOnly.readOnly = true
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(RealmTestDog()) }
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: readOnly) }
            #expect(error?.description.contains("different read permissions") == true)
        }
        let realm = try Realm(configuration: readOnly)
        #expect(realm.objects(RealmTestDog.self).count == 1)
        #expect(throws: Realm.Error.self) { try realm.write { realm.add(RealmTestDog()) } }
        #expect(realm.objects(RealmTestDog.self).count == 1)
    }

    @Test("two queues of one label have a Realm each, usable there")
    func queues() throws {
        var counts: [Int] = []
        let queues = [DispatchQueue(label: "same"), DispatchQueue(label: "same")]
        for queue in queues {
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                try realm.write { realm.add(RealmTestDog()) }
                counts.append(realm.objects(RealmTestDog.self).count)
                keep.realms.append(realm)
            }
        }
        #expect(counts == [1, 2])
        #expect(keep.realms[0] != keep.realms[1])
    }

    /// Keeps Realms open beyond their queues' blocks.
    private final class Keep {
        var realms: [Realm] = []
    }

    private let keep = Keep()

    @Test("a property added needs a new schema version, and then reads its zero value")
    func schemaVersion() throws {
        class Before: Object {
            override class func _realmObjectName() -> String? { "Versioned" }
            @Persisted var a = 1
        }
        class After: Object {
            override class func _realmObjectName() -> String? { "Versioned" }
            @Persisted var a = 1
            @Persisted var b: Int?
        }
        var configuration = configuration
        configuration.objectTypes = [Before.self]
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Before()) }
        }
        configuration.objectTypes = [After.self]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.description.contains("- Property 'Versioned.b' has been added.") == true)
        configuration.schemaVersion = 1
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(After.self).first?.b == nil)
        #expect(realm.objects(After.self).first?.a == 1)
    }

    @Test("a file that is no store is an error that names it, and stays as it was")
    func foreignFile() throws {
        let url = folder.url.appendingPathComponent("letter.txt")
        try Data("Dear Sir".utf8).write(to: url)
        var configuration = configuration
        configuration.fileURL = url
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.description.contains("letter.txt") == true)
        #expect(try Data(contentsOf: url) == Data("Dear Sir".utf8))
    }

    @Test("a setter outside a write traps")
    func setterOutsideWrite() async {
        await #expect(processExitsWith: .failure) {
            let realm = try Realm(
                configuration: .init(
                    inMemoryIdentifier: "trap",
                    objectTypes: [
                        RealmTestPerson.self, RealmTestDog.self, RealmTestCollar.self,
                    ]
                )
            )
            let dog = RealmTestDog()
            try realm.write { realm.add(dog) }
            dog.name = "no"
        }
    }
}
