import Foundation
import Testing

@testable import Domesday

/// Where an object comes from.
enum ObjectState: CaseIterable { case unmanaged, added, created, retrieved, dynamic }

@Suite("Properties by name")
struct ValuesByNameTests {
    /// Runs `body` with an object in a state, inside a write where there is a Realm.
    private func with(
        _ state: ObjectState,
        _ body: (ObjectBase, Realm?) throws -> Void
    ) throws {
        if state == .unmanaged { return try body(DynamicZoo(value: ["id": 1]), nil) }
        let folder = try TemporaryFolder()
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        try realm.write {
            let zoo = DynamicZoo(value: ["id": 1])
            switch state {
            case .unmanaged, .added:
                realm.add(zoo)
                try body(zoo, realm)
            case .created:
                try body(realm.create(DynamicZoo.self, value: ["id": 1]), realm)
            case .retrieved:
                realm.add(zoo)
                try body(
                    try #require(realm.object(ofType: DynamicZoo.self, forPrimaryKey: 1)),
                    realm
                )
            case .dynamic:
                realm.add(zoo)
                try body(
                    try #require(realm.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: 1)),
                    realm
                )
            }
        }
    }

    @Test("every type is set and got by name, in every state", arguments: ObjectState.allCases)
    func setAndGet(_ state: ObjectState) throws {
        try with(state) { object, _ in
            for (name, value) in DynamicWorld.values {
                object[name] = value
                #expect(DynamicWorld.text(object[name]) == DynamicWorld.text(value), "\(name)")
                object.setValue(value, forKey: name)
                #expect(
                    DynamicWorld.text(object.value(forKey: name)) == DynamicWorld.text(value)
                )
                try object.trySetValue(value, forKey: name)
                let read = DynamicWorld.text(try object.tryValue(forKey: name))
                #expect(read == DynamicWorld.text(value))
                if name.hasPrefix("opt") || name == "rank" {
                    object[name] = nil
                    #expect(object[name] == nil)
                    object.setValuesForKeys([name: value])
                    object[name] = NSNull()
                    #expect(object[name] == nil)
                }
            }
            #expect(object.value(forKey: "string") as? String == "élan")
            #expect(
                (object.value(forKey: "int64") as? any BinaryInteger).map { Int($0) } == Int(
                    Int32.max
                ) + 5
            )
        }
    }

    @Test(
        "links, lists and embedded objects are set and got by name",
        arguments: ObjectState.allCases
    )
    func links(_ state: ObjectState) throws {
        try with(state) { object, realm in
            object["friend"] = ["id": 2, "string": "two"] as [String: Any]
            object["part"] = ["size": 9]
            object["parts"] = [["size": 1], ["size": 2]]
            object["ints"] = [3, 1, 2]
            object["strings"] = ["a", nil, "c"] as [String?]
            object["moods"] = ["calm"]
            #expect(object.value(forKeyPath: "friend.string") as? String == "two")
            #expect(object.value(forKeyPath: "part.size") as? Int == 9)
            #expect(object.value(forKeyPath: "parts.size") as? [Int] == [1, 2])
            #expect(object.value(forKeyPath: "ints.@sum.self") as? Int == 6)
            #expect(object.value(forKeyPath: "strings.@count") as? Int == 3)
            #expect(DynamicWorld.text(object["moods"]) == "[calm]")
            object["friends"] = [object["friend"], object["friend"]]
            #expect(object.value(forKeyPath: "friends.id") as? [Int] == [2, 2])
            object["friend"] = nil
            #expect(object["friend"] == nil && object.value(forKeyPath: "friend.string") == nil)
            if let realm {
                #expect(realm.objects(DynamicZoo.self).count == 2)
                let parts = realm.dynamicObjects("DynamicPart")
                #expect(parts.count == 3)
                object["part"] = nil
                object["parts"] = [[String: Any]]()
                #expect(parts.isEmpty)
                let admired = try #require(realm.object(ofType: DynamicZoo.self, forPrimaryKey: 2))
                #expect(
                    admired.groups.count == 2
                        && admired.value(forKeyPath: "groups.id") as? [Int] == [1, 1]
                )
            }
        }
    }

    @Test(
        "what does not fit is told with class, property, value and type",
        arguments: ObjectState.allCases
    )
    func misfits(_ state: ObjectState) throws {
        func message(_ body: () throws -> Void) -> String {
            do {
                try body()
                return ""
            } catch { return "\(error)" }
        }
        try with(state) { object, realm in
            let before = DynamicWorld.dump(object)
            #expect(
                message { try object.trySetValue("old", forKey: "int8") }
                    == "Invalid value 'old' of type 'String' for 'int' property 'DynamicZoo.int8'."
            )
            #expect(
                message { try object.trySetValue(nil, forKey: "string") }
                    == "Invalid value '(null)' of type '(null)' for 'string' property "
                    + "'DynamicZoo.string'."
            )
            #expect(
                message { try object.trySetValue(3, forKey: "uuid") }.contains("'uuid' property")
            )
            #expect(
                message { try object.trySetValue(["size": "big"], forKey: "part") }
                    == "Invalid value 'big' of type 'String' for 'int' property 'DynamicPart.size'."
            )
            #expect(
                message { try object.trySetValue([["size": 1], 5] as [Any], forKey: "parts") }
                    .hasPrefix("Invalid value '5' of type 'Int' for 'array<DynamicPart>'")
            )
            #expect(
                message { try object.trySetValue([1, "x"] as [Any], forKey: "ints") }
                    .contains("property 'DynamicZoo.ints'.")
            )
            #expect(
                message { _ = try object.tryValue(forKey: "nothing") }
                    == "Invalid property name 'nothing' for class 'DynamicZoo'."
            )
            #expect(
                message { try object.trySetValue(1, forKey: "nothing") }
                    == "Invalid property name 'nothing' for class 'DynamicZoo'."
            )
            #expect(
                message { try object.trySetValue([], forKey: "admirers") }
                    .hasPrefix("Linking objects properties are read-only.")
            )
            #expect(
                message { _ = try object.tryValue(forKeyPath: "string.x") }.contains(
                    "has no property 'x'"
                )
            )
            #expect(
                message { _ = try object.tryValue(forKeyPath: "ints.@nope.self") }.contains(
                    "unknown collection operation '@nope'"
                )
            )
            #expect(
                message { _ = try object.tryValue(forKeyPath: "id.@count") }.contains(
                    "'@count' is only valid on a collection"
                )
            )
            #expect(
                message { _ = try object.tryValue(forKeyPath: "a..b") }.contains(
                    "a name is missing"
                )
            )
            #expect(DynamicWorld.dump(object) == before)
            guard let realm else { return }
            #expect(
                message { try object.trySetValue(9, forKey: "id") }
                    .hasPrefix("Primary key can't be changed after an object is inserted.")
            )
            realm.delete(object)
            #expect(
                message { _ = try object.tryValue(forKey: "id") }
                    .hasPrefix("Object has been deleted or invalidated. Property 'DynamicZoo.id'")
            )
            #expect(
                message { try object.trySetValue(1, forKey: "int8") }.hasPrefix(
                    "Object has been deleted"
                )
            )
        }
    }

    @Test("setting by name outside a write is an error that can be caught")
    func outsideWrite() throws {
        let folder = try TemporaryFolder()
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        let zoo = try realm.write { realm.create(DynamicZoo.self, value: ["id": 1]) }
        for object in [zoo, realm.dynamicObjects("DynamicZoo")[0]] as [ObjectBase] {
            let error = #expect(throws: Realm.Error.self) {
                try object.trySetValue(1, forKey: "int8")
            }
            #expect(error?.description.contains("outside of a write transaction") == true)
        }
    }

    @Test("collection operators, on lists, results and linking objects")
    func operators() throws {
        let folder = try TemporaryFolder()
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        try realm.write {
            for id in 0..<6 {
                realm.create(
                    DynamicZoo.self,
                    value: [
                        "id": id, "optInt": id == 3 ? nil : id / 2, "double": Double(id),
                        "date": Date(timeIntervalSinceReferenceDate: Double(id)),
                        "ints": [id, 10], "string": "s\(id % 2)",
                    ] as [String: Any?]
                )
            }
            let all = realm.objects(DynamicZoo.self)
            for zoo in all { all[0].friends.append(zoo) }
            for zoo in all.dropFirst() { zoo.friend = all[0] }
        }
        let all = realm.objects(DynamicZoo.self)
        let first = all[0]
        let sources: [(String) -> Any?] = [
            { all.value(forKeyPath: $0) }, { first.friends.value(forKeyPath: $0) },
            { first.value(forKeyPath: "friends." + $0) },
            { realm.dynamicObjects("DynamicZoo").value(forKeyPath: $0) },
            { first.dynamicList("friends").value(forKeyPath: $0) },
        ]
        for value in sources {
            #expect(value("@count") as? Int == 6)
            #expect(value("@sum.id") as? Int == 15 && value("@sum.double") as? Double == 15)
            #expect(value("@avg.optInt") as? Double == 5.0 / 5)
            #expect(value("@min.optInt") as? Int == 0 && value("@max.id") as? Int == 5)
            #expect(value("@max.date") as? Date == Date(timeIntervalSinceReferenceDate: 5))
            #expect(value("@unionOfObjects.optInt") as? [Int] == [0, 0, 1, 2, 2])
            #expect(value("@distinctUnionOfObjects.optInt") as? [Int] == [0, 1, 2])
            #expect(value("@distinctUnionOfObjects.string") as? [String] == ["s0", "s1"])
            #expect(
                value("@unionOfArrays.ints") as? [Int] == [
                    0, 10, 1, 10, 2, 10, 3, 10, 4, 10, 5, 10,
                ]
            )
            #expect(value("@distinctUnionOfArrays.ints") as? [Int] == [0, 10, 1, 2, 3, 4, 5])
            #expect(value("id") as? [Int] == [0, 1, 2, 3, 4, 5])
            #expect((value("optInt") as? [Int?]) == [0, 0, 1, nil, 2, 2])
        }
        #expect(first.admirers.value(forKeyPath: "@sum.id") as? Int == 15)
        let none = all.filter("id > 100")
        #expect(none.value(forKeyPath: "@sum.id") as? Int == 0)
        #expect(
            none.value(forKeyPath: "@avg.id") == nil && none.value(forKeyPath: "@min.id") == nil
        )
        #expect(all.value(forKey: "@count") as? Int == 6)
        #expect(all.value(forKey: "id") as? [Int] == [0, 1, 2, 3, 4, 5])
        try realm.write {
            all.setValue("same", forKey: "string")
            try none.trySetValue(1, forKey: "nothing")
            #expect(throws: Realm.Error.self) { try all.trySetValue(1, forKey: "nothing") }
            first.ints.setValue(4, forKey: "self")
        }
        #expect(all.allSatisfy { $0.string == "same" } && Array(first.ints) == [4, 4])
    }

    @Test("traps name class, property, value and type")
    func traps() async {
        let misfit = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { DynamicZoo()["int8"] = "old" }
        #expect(
            expectOutput(
                misfit?.standardErrorContent,
                says: "Invalid value 'old' of type 'String' for 'int' property 'DynamicZoo.int8'."
            )
        )
        let unknown = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = DynamicZoo().value(forKey: "nope") }
        #expect(
            expectOutput(
                unknown?.standardErrorContent,
                says: "Invalid property name 'nope' for class 'DynamicZoo'."
            )
        )
    }
}
