import Foundation
import Testing

@testable import Domesday

@Suite("Dynamic objects")
struct DynamicObjectTests {
    private func makeRealm(_ folder: TemporaryFolder) throws -> Realm {
        try Realm(configuration: DynamicWorld.configuration(folder))
    }

    @Test("both kinds of accessors show one object")
    func bothKinds() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let zoo = try realm.write {
            realm.create(
                DynamicZoo.self,
                value: [
                    "id": 1, "friend": ["id": 2], "part": ["size": 4], "rank": 7, "ints": [1, 2],
                ]
                    as [String: Any]
            )
        }
        let dynamic = try #require(realm.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: 1))
        #expect(dynamic == zoo && zoo == dynamic && zoo.isSameObject(as: dynamic))
        #expect(dynamic.hashValue == zoo.hashValue && dynamic.realm == realm)
        #expect(DynamicWorld.dump(dynamic) == DynamicWorld.dump(zoo))
        #expect(dynamic.friend as? DynamicObject == zoo.friend && dynamic.rank as? Int == 7)
        #expect(dynamic.objectSchema == zoo.objectSchema && dynamic.mood as? String == "angry")
        #expect((dynamic.ints as? List<Int>).map { Array($0) } == [1, 2])
        try realm.write {
            dynamic.string = "set"
            dynamic.ints = [5]
            dynamic.friend = zoo
            zoo.optInt = 3
        }
        #expect(zoo.string == "set" && zoo.friend == zoo && Array(zoo.ints) == [5])
        #expect(dynamic.optInt as? Int == 3)
        #expect(dynamic.description == zoo.description)
        #expect((dynamic.admirers as? LinkingObjects<DynamicObject>)?.first == zoo)
        #expect(dynamic.linkingObjects(ofType: "DynamicZoo", property: "friend").first == zoo)
        try realm.write { realm.delete(dynamic) }
        #expect(
            zoo.isInvalidated && dynamic.isInvalidated && realm.objects(DynamicZoo.self).count == 1
        )
        #expect(realm.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: 1) == nil)
    }

    @Test("created objects have the class's defaults, nested ones too")
    func created() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            let zoo = realm.dynamicCreate(
                "DynamicZoo",
                value: [
                    "id": 1, "part": [String: Any](),
                    "friend": ["id": 2, "mood": DynamicMood.calm],
                    "friends": [["id": 3], ["id": 4]],
                ] as [String: Any]
            )
            #expect(zoo.string as? String == "declared" && zoo.mood as? String == "angry")
            #expect(zoo.value(forKeyPath: "part.size") as? Int == 3)
            #expect(zoo.value(forKeyPath: "friend.mood") as? String == "calm")
            #expect(
                zoo.dynamicList("friends").count == 2
                    && zoo.dynamicList("friends")[1].id as? Int == 4
            )
            let again = realm.dynamicCreate(
                "DynamicZoo",
                value: ["id": 1, "bool": true],
                update: .modified
            )
            #expect(again == zoo && zoo.bool as? Bool == true)
            #expect(zoo.value(forKeyPath: "part.size") as? Int == 3)
            let array = realm.dynamicCreate("DynamicZoo", value: [9, true] as [Any])
            #expect(array.id as? Int == 9 && array.bool as? Bool == true)
            let copy = realm.dynamicCreate("DynamicTwin", value: DynamicPart(value: ["size": 8]))
            #expect(copy.size as? Int == 8)
        }
        #expect(realm.objects(DynamicZoo.self).count == 5)
        #expect(realm.objects(DynamicZoo.self)[0].string == "declared")
    }

    @Test("queries by text, sorting and aggregates work through dynamic objects")
    func queries() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            for id in 0..<50 {
                let zoo = realm.create(
                    DynamicZoo.self,
                    value: ["id": id, "string": "s\(id % 7)", "double": Double(id * id % 11)]
                        as [String: Any]
                )
                zoo.friend = realm.objects(DynamicZoo.self)[id / 2]
            }
        }
        let typed = realm.objects(DynamicZoo.self)
        let dynamic = realm.dynamicObjects("DynamicZoo")
        let texts = [
            "string == 's3'", "id > 20 AND double < 5", "friend.string == 's1'",
            "admirers.@count > 1",
            "ANY admirers.id > 30", "NOT id IN {1, 2, 3}",
        ]
        for text in texts {
            #expect(
                dynamic.filter(text).map { $0.id as? Int } == typed.filter(text).map { $0.id },
                "\(text)"
            )
        }
        #expect(
            dynamic.filter("friend == %@", typed[3]).count
                == typed.filter("friend == %@", dynamic[3]).count
        )
        let order = dynamic.sorted(byKeyPath: "double", ascending: false).map { $0.id as? Int }
        #expect(order == typed.sorted(byKeyPath: "double", ascending: false).map { $0.id })
        let sum: Double = dynamic.sum(ofProperty: "double")
        #expect(sum == typed.sum(ofProperty: "double"))
        let greatest: Int? = dynamic.max(ofProperty: "id")
        #expect(greatest == 49 && dynamic.index(matching: "id == 7") == 7)
        try realm.write { realm.delete(dynamic.filter("id >= 10")) }
        #expect(typed.count == 10 && dynamic.count == 10)
    }

    @Test("values that do not fit leave nothing behind, and the write goes on")
    func failedCreate() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            realm.dynamicCreate("DynamicZoo", value: ["id": 1])
            func message(_ value: Any) -> String {
                do {
                    try realm.tryDynamicCreate("DynamicZoo", value: value)
                    return ""
                } catch { return "\(error)" }
            }
            #expect(
                message(["id": 2, "friend": ["id": 3], "int8": "x"] as [String: Any])
                    == "Invalid value 'x' of type 'String' for 'int' property 'DynamicZoo.int8'."
            )
            #expect(
                message(["id": 2, "friends": [["id": 3], ["id": 1]]] as [String: Any])
                    .hasSuffix("with an existing primary key value '1'.")
            )
            #expect(
                message(["id": 2, "friend": ["id": 3, "part": ["size": []]]] as [String: Any])
                    .contains("'DynamicPart.size'")
            )
            #expect(throws: Realm.Error.self) {
                try realm.tryCreate(
                    DynamicZoo.self,
                    value: ["id": 4, "friend": ["id": 1]] as [String: Any]
                )
            }
            #expect(realm.dynamicObjects("DynamicZoo").count == 1)
            #expect(realm.dynamicObjects("DynamicPart").isEmpty)
            realm.dynamicCreate("DynamicZoo", value: ["id": 2])
        }
        #expect(realm.objects(DynamicZoo.self).map(\.id) == [1, 2])
    }

    @Test("random histories through names give what the typed API gives")
    func histories() throws {
        for round in 0..<(4 * Scale.factor) {
            let seed = Scale.seed &+ UInt64(round)
            try history(seed)
        }
    }

    private func history(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (left, right) = (try TemporaryFolder(), try TemporaryFolder())
        let typed = try makeRealm(left)
        let dynamic = try makeRealm(right)
        func pick() -> Int { Int.random(in: 0..<12, using: &random) }
        for _ in 0..<12 {
            typed.beginWrite()
            dynamic.beginWrite()
            for _ in 0..<15 {
                let (a, b, number) = (pick(), pick(), pick())
                let zoo = typed.object(ofType: DynamicZoo.self, forPrimaryKey: a)
                let twin = dynamic.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: a)
                let other = typed.object(ofType: DynamicZoo.self, forPrimaryKey: b)
                let otherTwin = dynamic.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: b)
                #expect((zoo == nil) == (twin == nil), "seed \(seed)")
                guard let zoo, let twin else {
                    let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                    let value =
                        [
                            "id": a, "double": Double(number), "uuid": zero, "objectId": ObjectId(),
                            "date": Date(timeIntervalSinceReferenceDate: 0),
                        ] as [String: Any]
                    typed.create(DynamicZoo.self, value: value)
                    dynamic.dynamicCreate("DynamicZoo", value: value)
                    continue
                }
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    zoo.friend = other
                    twin.friend = otherTwin
                case 1:
                    if let other { zoo.friends.append(other) }
                    if let otherTwin { twin.dynamicList("friends").append(otherTwin) }
                case 2:
                    zoo.part = DynamicPart(value: ["size": number])
                    twin.part = ["size": number]
                case 3:
                    zoo.parts.append(DynamicPart(value: ["label": "\(number)"]))
                    let parts = twin.dynamicList("parts")
                    twin["parts"] =
                        Array(parts).map { ["size": $0.size, "label": $0.label] } + [
                            ["label": "\(number)"]
                        ]
                case 4:
                    zoo.optString = number % 3 == 0 ? nil : "\(number)"
                    twin.optString = number % 3 == 0 ? nil : "\(number)"
                case 5:
                    zoo.ints.append(number)
                    (twin.ints as? List<Int>)?.append(number)
                case 6:
                    zoo.rank = number > 6 ? .high : nil
                    twin.rank = number > 6 ? 7 : nil
                case 7:
                    zoo.string = "\(number)"
                    twin.string = "\(number)"
                case 8 where number < 4:
                    typed.delete(zoo)
                    dynamic.delete(twin)
                default:
                    zoo.strings.append(nil)
                    (twin.strings as? List<String?>)?.append(nil)
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                typed.cancelWrite()
                dynamic.cancelWrite()
            } else {
                try typed.commitWrite()
                try dynamic.commitWrite()
            }
            try compare(typed, dynamic, seed)
        }
    }

    private func compare(_ typed: Realm, _ dynamic: Realm, _ seed: UInt64) throws {
        let (a, b) = (typed.objects(DynamicZoo.self), dynamic.dynamicObjects("DynamicZoo"))
        try #require(a.map(\.id) == b.map { $0.id as? Int }, "seed \(seed)")
        for (zoo, twin) in zip(a, b) {
            for name in ["double", "optString", "ints", "rank", "string", "strings"] {
                #expect(
                    DynamicWorld.text(zoo[name]) == DynamicWorld.text(twin[name]),
                    "seed \(seed) \(name)"
                )
            }
            for path in [
                "friend.id", "friends.id", "part.size", "parts.size", "parts.label", "admirers.id",
                "groups.id",
            ] {
                let left = DynamicWorld.text(zoo.value(forKeyPath: path))
                #expect(
                    left == DynamicWorld.text(twin.value(forKeyPath: path)),
                    "seed \(seed) \(path)"
                )
            }
        }
        let counts = ["double < 5", "ANY friends.double > 3", "part.size == 4", "optString == nil"]
        for text in counts {
            #expect(a.filter(text).count == b.filter(text).count, "\(text) \(seed)")
        }
        #expect(
            typed.dynamicObjects("DynamicPart").count == dynamic.dynamicObjects("DynamicPart").count
        )
    }

    @Test("an unknown class traps with the known ones named")
    func unknownClass() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let folder = try TemporaryFolder()
            let realm = try Realm(configuration: DynamicWorld.configuration(folder))
            _ = realm.dynamicObjects("Nobody")
        }
        #expect(
            expectOutput(
                result?.standardErrorContent,
                says: "Object type 'Nobody' is not managed by the Realm",
                "'DynamicZoo'"
            )
        )
    }

    @Test("a primary key set by name traps")
    func primaryKey() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let folder = try TemporaryFolder()
            let realm = try Realm(configuration: DynamicWorld.configuration(folder))
            try realm.write { realm.dynamicCreate("DynamicZoo", value: ["id": 1]).id = 2 }
        }
        #expect(
            expectOutput(
                result?.standardErrorContent,
                says: "Primary key can't be changed after an object is inserted.",
                "DynamicZoo.id"
            )
        )
    }
}
