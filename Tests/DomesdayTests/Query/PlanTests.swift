import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

private class PlannedOwner: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var dogs: List<PlannedDog>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PlannedDog: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted(indexed: true) var age: Int
    @Persisted(indexed: true) var breed: String
    @Persisted var weight: Double
    @Persisted var owner: PlannedOwner?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Plans")
struct PlanTests {
    private let folder: TemporaryFolder
    private let realm: Realm

    /// 2000 dogs of 40 owners, every tenth dog without one; 10 of breed "rare".
    init() throws {
        folder = try TemporaryFolder()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("plans"),
                objectTypes: [PlannedOwner.self, PlannedDog.self]
            )
        )
        try realm.write {
            var owners: [PlannedOwner] = []
            for serial in 0..<40 {
                owners.append(
                    realm.create(
                        PlannedOwner.self,
                        value: ["serial": serial, "name": "owner \(serial)", "age": 20 + serial]
                    )
                )
            }
            for serial in 0..<2000 {
                let dog = realm.create(
                    PlannedDog.self,
                    value: [
                        "serial": serial, "age": serial % 10, "weight": Double(serial % 70),
                        "breed": serial % 200 == 0 ? "rare" : "breed \(serial % 4)",
                    ]
                )
                if serial % 10 > 0 { dog.owner = owners[serial % 40] }
                if serial < 80 { owners[serial % 40].dogs.append(dog) }
            }
        }
    }

    private var dogs: Results<PlannedDog> { realm.objects(PlannedDog.self) }
    private var owners: Results<PlannedOwner> { realm.objects(PlannedOwner.self) }

    /// The plan of a query, whose results are what the evaluator says.
    private func plan<Element: Object>(
        _ results: Results<Element>,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let evaluator = ObjectEvaluator(try PredicateParser.parse(text))
        let expected = try results.filter { try evaluator.matches($0) }
        let filtered = results.filter(text)
        #expect(
            filtered.map { $0 } == expected && filtered.count == expected.count,
            "\(text)",
            sourceLocation: sourceLocation
        )
        return filtered.explain()
    }

    @Test("a conjunction starts from its most selective part, in whatever order it is written")
    func conjunctions() throws {
        let rare = "index on PlannedDog.breed: 10 objects, each tested"
        #expect(try plan(dogs, "age == 0 AND breed == 'rare' AND weight > 3") == rare)
        #expect(try plan(dogs, "breed == 'rare' AND weight > 3 AND age == 0") == rare)
        #expect(
            try plan(dogs, "breed == 'rare' AND serial IN {200, 3}")
                == "index on PlannedDog.serial: 2 objects, each tested"
        )
        #expect(try plan(dogs, "weight > 3 AND weight < 9") == "scan of 2000 objects of PlannedDog")
    }

    @Test("a condition behind a link starts from an index there, and comes back over the links")
    func indexesBehindLinks() throws {
        #expect(
            try plan(dogs, "owner.age == 21")
                == "links PlannedDog.owner to index on PlannedOwner.age: 50 objects"
        )
        #expect(
            try plan(dogs, "owner.age == 21 AND weight > 60")
                == "links PlannedDog.owner to index on PlannedOwner.age: 50 objects, each tested"
        )
    }

    @Test("a link that leads nowhere differs from what is calculated")
    func calculatedBehindLinks() throws {
        try realm.write { realm.delete(owners.where { $0.serial > 2 }) }
        #expect(try plan(dogs, "owner.age != 3 * 7") == "scan of 2000 objects of PlannedDog")
        #expect(dogs.filter("owner.age != 3 * 7").count == 1950)
    }

    @Test("where the class behind a link is small, it is searched first")
    func smallClasses() throws {
        let scan = "links PlannedDog.owner to scan of 40 objects of PlannedOwner"
        #expect(try plan(dogs, "owner.name == 'owner 3'") == "\(scan): 50 objects")
        #expect(try plan(dogs, "owner.name CONTAINS '99'") == "\(scan): 0 objects")
        #expect(
            try plan(dogs, "owner.name == 'owner 3' AND weight > 60")
                == "\(scan): 50 objects, each tested"
        )
        #expect(
            try plan(dogs, "owner.name == 'owner 3' AND breed == 'rare'")
                == "index on PlannedDog.breed: 10 objects, each tested",
            "an index that leads to few is better"
        )
        #expect(
            try plan(dogs, "owner.name == nil") == "scan of 2000 objects of PlannedDog",
            "nil holds for dogs without an owner, which no link finds"
        )
        #expect(
            try plan(dogs, "owner.name BEGINSWITH 'owner'") == "scan of 2000 objects of PlannedDog",
            "most dogs: the links' index is no help"
        )
    }

    @Test("few links to many objects are followed one by one")
    func fewLinks() throws {
        #expect(
            try plan(owners, "ANY dogs.weight > 20") == "scan of 40 objects of PlannedOwner"
        )
        _ = try plan(owners, "NONE dogs.weight > 20")
        _ = try plan(owners, "ALL dogs.weight > 20")
        let links = owners.filter("ANY dogs.weight > 20")
        #expect(links.count == links.filter { $0.dogs.contains { $0.weight > 20 } }.count)
    }

    @Test("alternatives use indexes only if all have one")
    func disjunctions() throws {
        #expect(
            try plan(dogs, "breed == 'rare' OR serial == 7")
                == "index on PlannedDog.breed + index on PlannedDog.serial: 11 objects, each tested"
        )
        #expect(
            try plan(dogs, "breed == 'rare' OR weight == 7") == "scan of 2000 objects of PlannedDog"
        )
    }

    @Test("10,000 values are one set, and as fast as a scan")
    func manyValues() throws {
        let values = Array(stride(from: 0, to: 20_000, by: 2))
        let found = dogs.filter("weight IN %@", values)
        #expect(found.count == dogs.filter { values.contains(Int($0.weight)) }.count)
        #expect(found.explain() == "scan of 2000 objects of PlannedDog")
        #expect(dogs.filter("serial IN %@", values).count == 1000)
    }
}
