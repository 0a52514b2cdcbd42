import Foundation
import Testing

@testable import Domesday

final class KeptPet: Object, Codable {
    @Persisted var name: String
    @Persisted var age: Int
}

private final class Keeper: Object {
    @Persisted var name: String
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var prices: MutableSet<Decimal128>
    @Persisted var pricesByName: Map<String, Decimal128?>
    @Persisted var pets: MutableSet<KeptPet>
    @Persisted var petsByName: Map<String, KeptPet?>
}

final class CodedKeeper: Object, Codable {
    @Persisted var numbers: MutableSet<Int>
    @Persisted var pets: MutableSet<KeptPet>
    @Persisted var petsByName: Map<String, KeptPet?>
}

@Suite("Sets and maps of decimals, of any values and of dynamic objects")
struct CollectionValueTests {
    private let folder: TemporaryFolder
    private let realm: Realm

    init() throws {
        folder = try TemporaryFolder()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("values"),
                objectTypes: [Keeper.self, KeptPet.self, CodedKeeper.self]
            )
        )
    }

    private func decimal(_ text: String) throws -> Decimal128 {
        try #require(Decimal128._convert(text))
    }

    private func keeper() throws -> Keeper {
        try realm.write {
            let keeper = Keeper()
            realm.add(keeper)
            return keeper
        }
    }

    @Test("a set of any values knows types apart, one NaN, one 1.0, and text by its bytes")
    func anySet() throws {
        let keeper = try keeper()
        let values: [AnyRealmValue] = [
            .string("e\u{301}"), .double(1), .int(1), .string("\u{e9}"), .none,
            .double(.nan), .double(.nan), .decimal128(try decimal("1.0")), .int(1),
            .decimal128(try decimal("1.00")), .bool(true), .data(Data([1])),
        ]
        let unmanaged = MutableSet<AnyRealmValue>()
        unmanaged.insert(objectsIn: values)
        try realm.write { keeper.anySet.insert(objectsIn: values) }
        #expect(unmanaged.count == 9)
        #expect(keeper.anySet.count == 9)
        let order = keeper.anySet.map { "\($0)" }
        #expect(order[0] == "none" && order[1] == "bool(true)")
        #expect(Array(keeper.anySet)[2] == .int(1) && Array(keeper.anySet)[3] == .double(1))
        for value in values {
            #expect(keeper.anySet.contains(value) && unmanaged.contains(value), "\(value)")
        }
        #expect(!keeper.anySet.contains(.int(2)) && !keeper.anySet.contains(.float(1)))
        try realm.verify()
    }

    @Test("an object in a set of any values is found, not added by asking, and goes when deleted")
    func anySetOfObjects() throws {
        let keeper = try keeper()
        let pet = KeptPet()
        try realm.write { keeper.anySet.insert(objectsIn: [.object(pet), .int(1), .none]) }
        #expect(keeper.anySet.contains(.object(pet)))
        try realm.write {
            #expect(!keeper.anySet.contains(.object(KeptPet())))
            keeper.anySet.remove(.object(KeptPet()))
        }
        #expect(realm.objects(KeptPet.self).count == 1)
        try realm.verify()
        try realm.write { realm.delete(pet) }
        #expect(Array(keeper.anySet) == [.none, .int(1)])
        try realm.verify()
    }

    @Test("a managed and an unmanaged set of any values agree after any changes")
    func anySetModel() throws {
        let seed = Scale.seed
        var random = SplitMix64(seed: seed)
        let keeper = try keeper()
        let model = MutableSet<AnyRealmValue>()
        let pool: [AnyRealmValue] = try (0..<12).flatMap { number -> [AnyRealmValue] in
            [
                .int(number), .double(Double(number)), .float(Float(number) / 2),
                .string("\(number)"), .date(Date(timeIntervalSinceReferenceDate: Double(number))),
                .decimal128(try decimal("\(number).5")), .bool(number % 2 == 0),
            ]
        }
        try realm.write {
            for _ in 0..<(300 * Scale.factor) {
                let value = pool[Int.random(in: 0..<pool.count, using: &random)]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    keeper.anySet.remove(value)
                    model.remove(value)
                } else {
                    keeper.anySet.insert(value)
                    model.insert(value)
                }
                #expect(keeper.anySet.count == model.count, "seed \(seed)")
            }
        }
        #expect(model.allSatisfy { keeper.anySet.contains($0) }, "seed \(seed)")
        #expect(keeper.anySet.allSatisfy { model.contains($0) }, "seed \(seed)")
        try realm.verify()
    }

    @Test("a list inside a map's value is live, and its links end with their objects")
    func listInMap() throws {
        let keeper = try keeper()
        let pet = KeptPet()
        try realm.write {
            keeper.anyMap["list"] = .fromArray([.int(1), .fromArray([.object(pet)])])
            keeper.anyMap["pet"] = .object(pet)
            keeper.anyMap["a"] = .string("before")
        }
        let list = try #require(keeper.anyMap["list"]?.listValue)
        let inner = try #require(list[1].listValue)
        try realm.write {
            list.append(.string("x"))
            inner.append(.int(5))
            keeper.anyMap["b"] = .int(2)
        }
        #expect(list.count == 3 && list[2] == .string("x"))
        #expect(Array(inner) == [.object(pet), .int(5)])
        #expect(keeper.anyMap.keys == ["a", "b", "list", "pet"])
        try realm.verify()
        try realm.write { realm.delete(pet) }
        #expect(Array(inner) == [.none, .int(5)])
        #expect(keeper.anyMap["pet"] == .some(.none))
        try realm.verify()
        try realm.write { keeper.anyMap.removeAll() }
        try realm.verify()
    }

    @Test("decimals in sets and maps are ordered, summed up and queried by value")
    func decimals() throws {
        let keeper = try keeper()
        let texts = ["2", "1.0", "-3.5", "1.00", "NaN", "NaN", "10"]
        try realm.write {
            keeper.prices.insert(objectsIn: try texts.map { try decimal($0) })
            keeper.pricesByName["a"] = .some(try decimal("2.50"))
            keeper.pricesByName.updateValue(nil, forKey: "b")
        }
        #expect(keeper.prices.count == 5)
        #expect(Array(keeper.prices.prefix(4)) == [-3.5, 1, 2, 10])
        #expect(keeper.prices.contains(try decimal("2.000")))
        #expect(keeper.prices.max() == 10 && keeper.prices.min() == -3.5)
        #expect(Array(keeper.prices.filter("self > 1")) == [2, 10])
        #expect(keeper.pricesByName["a"] == .some(try decimal("2.5")))
        #expect(keeper.pricesByName["b"] == .some(nil))
        #expect(keeper.pricesByName.sum() == 2.5)
        #expect(realm.objects(Keeper.self).filter("ANY prices == 10").count == 1)
        try realm.verify()
    }

    @Test("dynamic objects hold sets and maps, of values and of dynamic objects")
    func dynamic() throws {
        let keeper = try realm.write {
            realm.dynamicCreate(
                "Keeper",
                value: [
                    "name": "x", "pets": [["name": "a", "age": 1], ["name": "b"]],
                    "petsByName": ["one": ["name": "c"], "none": NSNull()] as [String: Any],
                    "prices": [1, 2], "anyMap": ["k": 1] as [String: Any],
                ] as [String: Any]
            )
        }
        let pets = keeper.dynamicMutableSet("pets")
        #expect(pets.map { $0.name as? String } == ["a", "b"])
        let byName = keeper.dynamicMap("petsByName")
        #expect(byName.keys == ["none", "one"])
        #expect(byName["one"].flatMap { $0 }?.name as? String == "c")
        #expect(byName["none"] == .some(nil))
        #expect((keeper["anyMap"] as? Map<String, AnyRealmValue>)?["k"] == .int(1))
        #expect((keeper["prices"] as? MutableSet<Decimal128>)?.count == 2)
        let typed = try #require(realm.objects(Keeper.self).first)
        #expect(typed.dynamicMutableSet("pets").count == 2 && typed.pets.count == 2)
        #expect(typed.dynamicMap("petsByName").count == 2)
        let properties = try #require(realm.schema["Keeper"]?.properties)
        #expect(properties.filter(\.isSet).map(\.name) == ["anySet", "prices", "pets"])
        #expect(
            properties.filter(\.isMap).map(\.name) == ["anyMap", "pricesByName", "petsByName"]
        )
        try realm.verify()
    }

    @Test("a detached copy has copies of what sets and maps lead to, as deep as asked")
    func detached() throws {
        let keeper = try keeper()
        try realm.write {
            keeper.pets.insert(KeptPet(value: ["name": "a"]))
            keeper.petsByName["a"] = keeper.pets[0]
            keeper.petsByName.updateValue(nil, forKey: "b")
            keeper.anyMap["n"] = .int(1)
        }
        let copy = keeper.detached()
        #expect(copy.realm == nil && copy.pets.realm == nil)
        #expect(copy.pets.count == 1 && copy.pets[0].realm == nil && copy.pets[0].name == "a")
        #expect(copy.petsByName["a"].flatMap { $0 } === copy.pets[0])
        #expect(copy.petsByName["b"] == .some(nil) && copy.anyMap["n"] == .int(1))
        let shallow = keeper.detached(depth: 0)
        #expect(shallow.pets.isEmpty && shallow.petsByName.keys == ["a", "b"])
        #expect(shallow.petsByName["a"] == .some(nil))
    }

    @Test("a loop over a set passes over what it deletes")
    func loop() throws {
        let keeper = try keeper()
        var names: [String] = []
        try realm.write {
            for name in ["a", "b", "c"] { keeper.pets.insert(KeptPet(value: ["name": name])) }
            for pet in keeper.pets {
                names.append(pet.name)
                if pet.name == "a" { realm.delete(keeper.pets[1]) }
            }
        }
        #expect(names == ["a", "c"])
    }

    @Test("sets and maps of managed objects are encoded and decoded")
    func coding() throws {
        let keeper = CodedKeeper()
        let pet = KeptPet(value: ["name": "a", "age": 3])
        keeper.numbers.insert(objectsIn: [2, 1])
        keeper.pets.insert(pet)
        keeper.petsByName["x"] = pet
        keeper.petsByName.updateValue(nil, forKey: "nobody")
        try realm.write { realm.add(keeper) }
        let decoder = JSONDecoder()
        let copy = try decoder.decode(CodedKeeper.self, from: try JSONEncoder().encode(keeper))
        #expect(Array(copy.numbers) == [1, 2] && copy.realm == nil)
        #expect(copy.pets.map(\.name) == ["a"] && copy.pets[0].age == 3)
        #expect(copy.petsByName.keys == ["nobody", "x"])
        #expect(copy.petsByName["x"].flatMap { $0 }?.name == "a")
        let map = try JSONEncoder().encode(keeper.petsByName)
        let entries = try decoder.decode(Map<String, KeptPet?>.self, from: map)
        #expect(entries.count == 2 && entries["nobody"] == .some(nil))
        let set = try decoder.decode(
            MutableSet<KeptPet>.self,
            from: try JSONEncoder().encode(keeper.pets)
        )
        #expect(set.count == 1 && set[0].name == "a")
    }
}
