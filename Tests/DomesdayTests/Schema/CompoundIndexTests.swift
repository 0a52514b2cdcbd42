import Foundation
import Testing

@testable import Domesday

private final class Resident: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var city: String
    @Persisted var age: Int
    @Persisted var street: String?
    @Persisted var since: Date
    @Persisted var isOwner: Bool

    override class func compoundIndexes() -> [[String]] {
        [["city", "age"], ["isOwner", "street", "since"]]
    }
    override class func propertiesMapping() -> [String: String] { ["street": "road"] }
}

/// The same class without indexes, and with another one.
private final class PlainResident: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var city: String
    @Persisted var age: Int
    @Persisted var street: String?
    @Persisted var since: Date
    @Persisted var isOwner: Bool
    override class func _realmObjectName() -> String? { "Resident" }
    override class func propertiesMapping() -> [String: String] { ["street": "road"] }
}

private final class OtherResident: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var city: String
    @Persisted var age: Int
    @Persisted var street: String?
    @Persisted var since: Date
    @Persisted var isOwner: Bool
    override class func _realmObjectName() -> String? { "Resident" }
    override class func propertiesMapping() -> [String: String] { ["street": "road"] }
    override class func compoundIndexes() -> [[String]] { [["age", "isOwner"], ["city", "age"]] }
}

/// `age` is text now: the column goes, and the index with it.
private final class NewerResident: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var city: String
    @Persisted var age: String
    override class func _realmObjectName() -> String? { "Resident" }
    override class func compoundIndexes() -> [[String]] { [["city", "age"]] }
}

private final class BadCompounds: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var ratio: Double
    @Persisted var list: List<Int>
    override class func compoundIndexes() -> [[String]] {
        [["id"], ["id", "id"], ["id", "nothing"], ["id", "ratio"], ["list", "id"]]
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Links to residents, as one of them and as one of many.
private final class Visit: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var host: Resident?
    @Persisted var guests: List<Resident>
    @Persisted var before: Visit?
}

@Suite("Compound indexes")
struct CompoundIndexTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ type: Object.Type, version: UInt64 = 0) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("store.domesday"),
                schemaVersion: version,
                objectTypes: [type]
            )
        )
    }

    private func fill(_ realm: Realm, count: Int = 600) throws {
        var random = SplitMix64(seed: Scale.seed)
        try realm.write {
            for id in 0..<count {
                realm.create(
                    Resident.self,
                    value: [
                        "id": id, "city": "city \(Int.random(in: 0..<20, using: &random))",
                        "age": Int.random(in: 0..<30, using: &random),
                        "street": Int.random(in: 0..<4, using: &random) == 0
                            ? NSNull() : "road \(Int.random(in: 0..<9, using: &random))",
                        "since": Date(
                            timeIntervalSinceReferenceDate: Double(
                                Int.random(in: 0..<5, using: &random)
                            )
                        ),
                        "isOwner": Bool.random(using: &random),
                    ] as [String: Any]
                )
            }
        }
    }

    private func ids(_ results: Results<Resident>) -> [Int] { results.map(\.id) }

    @Test("a conjunction of equalities uses the index, and so does a beginning of it")
    func plans() throws {
        let realm = try open(Resident.self)
        try fill(realm)
        let all = realm.objects(Resident.self)
        func plan(_ text: String) -> String { all.filter(text).explain() }
        #expect(plan("city == 'city 3' AND age == 5").contains("index on Resident.(city, age):"))
        #expect(plan("age == 5 AND city == 'city 3'").contains("index on Resident.(city, age):"))
        #expect(plan("city == 'city 3'").contains("index on Resident.(city, age), first 1:"))
        #expect(plan("city IN {'city 1', 'city 2'} AND age IN {1, 2}").contains("(city, age):"))
        #expect(
            plan("isOwner == true AND street == 'road 3' AND age > 3")
                .contains("index on Resident.(isOwner, street, since), first 2:")
        )
        #expect(plan("age == 5").contains("scan of 600 objects"))
        #expect(plan("city != 'city 3' AND age == 5").contains("scan of 600 objects"))
        #expect(
            plan("city == 'city 3' AND age == 5").contains(
                "\(all.filter { $0.city == "city 3" && $0.age == 5 }.count) objects, each tested"
            )
        )
    }

    @Test("what it finds is what a scan finds, also amid changes, cancelled and committed ones")
    func agreement() throws {
        let realm = try open(Resident.self)
        try fill(realm)
        let all = realm.objects(Resident.self)
        var random = SplitMix64(seed: Scale.seed)
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        func compare() throws {
            for _ in 0..<20 {
                let (city, age) = ("city \(number(21))", number(31))
                let street = number(3) == 0 ? nil : "road \(number(10))"
                let isOwner = number(2) == 0
                #expect(
                    ids(all.where { $0.city == city && $0.age == age })
                        == Array(all.filter { $0.city == city && $0.age == age }.map(\.id))
                )
                #expect(
                    ids(all.where { $0.city == city && $0.age > age })
                        == Array(all.filter { $0.city == city && $0.age > age }.map(\.id))
                )
                #expect(
                    ids(all.where { $0.isOwner == isOwner && $0.street == street })
                        == Array(
                            all.filter { $0.isOwner == isOwner && $0.street == street }.map(\.id)
                        )
                )
            }
        }
        func change() {
            for _ in 0..<60 {
                let object = all[number(all.count)]
                switch number(6) {
                case 0: object.city = "city \(number(20))"
                case 1: object.age = number(30)
                case 2: object.street = number(3) == 0 ? nil : "road \(number(9))"
                case 3: object.since = Date(timeIntervalSinceReferenceDate: Double(number(5)))
                case 4: object.isOwner = number(2) == 0
                default: realm.delete(object)
                }
            }
            for id in 0..<20 {
                realm.create(
                    Resident.self,
                    value: ["id": id, "city": "city \(number(20))", "age": number(30)],
                    update: .modified
                )
            }
        }
        try compare()
        for round in 0..<6 {
            realm.beginWrite()
            change()
            try compare()
            if round % 3 == 0 { realm.cancelWrite() } else { try realm.commitWrite() }
            try compare()
            #expect(try realm.findings == [])
        }
    }

    @Test("conditions on a linked object use its class's index, and lead back")
    func linked() throws {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Resident.self, Visit.self]
            )
        )
        try fill(realm)
        var random = SplitMix64(seed: Scale.seed)
        let residents = realm.objects(Resident.self)
        try realm.write {
            for id in 0..<1_500 {
                let visit = realm.create(Visit.self, value: ["id": id])
                if id % 10 > 0 { visit.host = residents.randomElement(using: &random) }
                for _ in 0..<(id % 3) {
                    visit.guests.append(try #require(residents.randomElement(using: &random)))
                }
                visit.before = realm.object(ofType: Visit.self, forPrimaryKey: id / 2)
            }
        }
        let visits = realm.objects(Visit.self)
        func expect(
            _ text: String,
            _ arguments: Any...,
            plan: String,
            _ matches: (Visit) -> Bool
        ) throws {
            let found = try visits.tryFilter(NSPredicate(format: text, argumentArray: arguments))
            #expect(found.explain().contains(plan), "\(found.explain())")
            #expect(found.map(\.id) == Array(visits.filter(matches).map(\.id)), "\(text)")
        }
        for (city, age) in [(1, 5), (2, 9), (19, 29), (7, 3)] {
            try expect(
                "host.city == 'city \(city)' AND id > 3 AND host.age == \(age)",
                plan: "links Visit.host to index on Resident.(city, age):"
            ) { $0.host?.city == "city \(city)" && $0.id > 3 && $0.host?.age == age }
            try expect(
                "before.host.age == \(age) AND before.host.city == 'city \(city)'",
                plan: "links Visit.before to links Visit.host to index on Resident.(city, age):"
            ) { $0.before?.host?.city == "city \(city)" && $0.before?.host?.age == age }
            // One guest may be of that city, and another of that age.
            try expect(
                "ANY guests.city == 'city \(city)' AND ANY guests.age == \(age)",
                plan: "links Visit.guests to index on Resident.(city, age), first 1:"
            ) { visit in
                visit.guests.contains { $0.city == "city \(city)" }
                    && visit.guests.contains { $0.age == age }
            }
            // The same property of two objects.
            try expect(
                "host.city == 'city \(city)' AND before.host.age == \(age)",
                plan: "links Visit.host to index on Resident.(city, age), first 1:"
            ) { $0.host?.city == "city \(city)" && $0.before?.host?.age == age }
        }
        // Without a host its street is nil, and so is everything else of it.
        try expect("host.street == nil AND host.since == nil", plan: "scan of 1500") {
            $0.host == nil
        }
        let since = Date(timeIntervalSinceReferenceDate: 3)
        try expect(
            "host.street == nil AND host.isOwner == true AND host.since == %@",
            since,
            plan: "links Visit.host to index on Resident.(isOwner, street, since):"
        ) { $0.host?.isOwner == true && $0.host?.street == nil && $0.host?.since == since }
    }

    @Test("an index comes and goes with the class's declaration, without a migration")
    func declarations() throws {
        func expectIndexes(_ realm: Realm, _ names: [String]) throws {
            let table = try #require(realm.state.reader.table(named: "Resident"))
            #expect(table.definition.compounds.map(\.name).sorted() == names)
            #expect(try realm.findings == [])
        }
        try autoreleased { try fill(try open(Resident.self)) }
        try autoreleased {
            let realm = try open(Resident.self)
            try expectIndexes(realm, ["(city, age)", "(isOwner, road, since)"])
        }
        try autoreleased {
            // The store's own classes keep what it has.
            let realm = try Realm(
                configuration: .stored(at: folder.url.appendingPathComponent("store.domesday"))
            )
            try expectIndexes(realm, ["(city, age)", "(isOwner, road, since)"])
            #expect(realm.schema["Resident"]?.properties.count == 6)
            try realm.write {
                realm.dynamicObjects("Resident").first?["city"] = "elsewhere"
            }
            #expect(realm.dynamicObjects("Resident").filter("city == 'elsewhere'").count == 1)
            #expect(try realm.findings == [])
        }
        try autoreleased { try expectIndexes(try open(PlainResident.self), []) }
        try autoreleased {
            let realm = try open(OtherResident.self)
            try expectIndexes(realm, ["(age, isOwner)", "(city, age)"])
            let found = realm.objects(OtherResident.self).filter("city == 'elsewhere'")
            #expect(found.count == 1 && found.explain().contains("(city, age), first 1"))
        }
        try autoreleased {
            let realm = try open(NewerResident.self, version: 1)
            try expectIndexes(realm, ["(city, age)"])
            #expect(
                realm.objects(NewerResident.self).filter("city == 'elsewhere' AND age == ''").count
                    == 1
            )
        }
    }

    @Test("what cannot be one is told")
    func errors() {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: .init(
                    inMemoryIdentifier: UUID().uuidString,
                    objectTypes: [BadCompounds.self]
                )
            )
        }
        let text = "\(error.map { "\($0)" } ?? "")"
        for line in [
            "The compound index (id) of 'BadCompounds' needs two to eight different properties.",
            "The compound index (id, id) of 'BadCompounds' needs two to eight different",
            "The compound index (id, nothing) of 'BadCompounds' has no property 'nothing'.",
            "The compound index (id, ratio) of 'BadCompounds' cannot have property 'ratio'",
            "The compound index (list, id) of 'BadCompounds' cannot have property 'list'",
        ] {
            #expect(text.contains(line))
        }
    }
}

/// Runs `body` in a scope of its own, so that its Realms are closed behind it.
func autoreleased(_ body: () throws -> Void) throws { try body() }

extension Realm.Configuration {
    /// Opens a store by what it records itself, and by some classes more.
    static func stored(at url: URL, _ schemas: [ObjectSchema] = []) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: url)
        configuration.schemaSource = .stored
        configuration.objectSchemas = schemas
        return configuration
    }
}
