import Foundation
import Testing

@testable import Domesday

private class SetPet: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "pets") var owners: LinkingObjects<SetOwner>
    @Persisted(originProperty: "byName") var namedBy: LinkingObjects<SetOwner>

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

private class SetRoom: EmbeddedObject {
    @Persisted var size = 0
    @Persisted var guest: SetPet?
}

private class SetOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var pets: MutableSet<SetPet>
    @Persisted var byName: Map<String, SetPet?>
    @Persisted var rooms: Map<String, SetRoom?>
    @Persisted var queue: List<SetPet>
}

private let classes: [ObjectBase.Type] = [SetPet.self, SetRoom.self, SetOwner.self]

private func open(_ folder: TemporaryFolder) throws -> Realm {
    try Realm(
        configuration: .init(
            fileURL: folder.url.appendingPathComponent("objects"),
            objectTypes: classes
        )
    )
}

@Suite("Sets and maps of objects")
struct CollectionObjectsTests {
    private let folder: TemporaryFolder
    private let realm: Realm

    init() throws {
        folder = try TemporaryFolder()
        realm = try open(folder)
    }

    @Test("a set holds an object once, in the order of adding, and adds what is unmanaged")
    func setOfObjects() throws {
        let owner = SetOwner()
        let (ann, bob, cat) = (SetPet("Ann"), SetPet("Bob"), SetPet("Cat"))
        owner.pets.insert(objectsIn: [ann, bob, ann])
        #expect(owner.pets.count == 2 && owner.pets.contains(ann) && !owner.pets.contains(cat))
        let pets = owner.pets
        try realm.write {
            realm.add(owner)
            #expect(pets === owner.pets && pets.realm == realm)
            #expect(!pets.contains(cat), "an unmanaged object is in no stored set")
            pets.remove(cat)
            pets.insert(cat)
            pets.insert(bob)
            #expect(cat.realm == realm && pets.map(\.name) == ["Ann", "Bob", "Cat"])
            #expect(pets.index(of: bob) == 1 && pets.first == ann && pets.last == cat)
            #expect(Array(cat.owners) == [owner])
            pets.remove(bob)
            #expect(bob.owners.isEmpty && pets.index(of: bob) == nil)
            realm.delete(ann)
            #expect(pets.map(\.name) == ["Cat"])
        }
        #expect(try realm.findings == [])
        #expect(pets.description.hasPrefix("MutableSet<SetPet> (\n\t[0] SetPet {"))
    }

    @Test("set algebra over stored, unmanaged and other sets")
    func algebra() throws {
        try realm.write {
            let pets = (0..<60).map { SetPet("\($0)", $0) }
            realm.add(pets)
            let (a, b) = (SetOwner(value: ["id": 1]), SetOwner(value: ["id": 2]))
            realm.add([a, b])
            a.pets.insert(objectsIn: pets[0..<40])
            b.pets.insert(objectsIn: pets[30..<60].reversed())
            #expect(a.pets.intersects(b.pets) && !a.pets.isSubset(of: b.pets))
            a.pets.formIntersection(b.pets)
            #expect(a.pets.map(\.age) == Array(30..<40) && a.pets.isSubset(of: b.pets))
            b.pets.subtract(a.pets)
            #expect(b.pets.map(\.age) == Array(40..<60) && !a.pets.intersects(b.pets))
            a.pets.formUnion(b.pets)
            #expect(a.pets.map(\.age) == Array(30..<60))
            let loose = MutableSet<SetPet>()
            loose.insert(objectsIn: [pets[0], pets[59], SetPet("loose")])
            a.pets.subtract(loose)
            #expect(a.pets.map(\.age) == Array(30..<59) && loose.count == 3)
            loose.formIntersection(b.pets)
            #expect(loose.map(\.age) == [59])
            a.pets.subtract(a.pets)
            #expect(a.pets.isEmpty && pets.allSatisfy { $0.realm != nil })
            #expect(pets[35].owners.isEmpty && pets[45].owners.count == 1)
        }
        #expect(try realm.findings == [])
    }

    @Test("deleting a map's object sets the value to nil and keeps the key")
    func mapOfObjects() throws {
        let owner = SetOwner()
        let (ann, bob) = (SetPet("Ann", 3), SetPet("Bob", 5))
        owner.byName["first"] = ann
        owner.byName["second"] = bob
        owner.byName["again"] = ann
        owner.byName.updateValue(nil, forKey: "none")
        try realm.write { realm.add(owner) }
        #expect(owner.byName.keys == ["again", "first", "none", "second"])
        #expect(ann.namedBy.count == 2 && Array(bob.namedBy) == [owner])
        #expect(owner.byName["none"] == .some(nil) && owner.byName["absent"] == nil)
        let again = try #require(owner.byName["again"] ?? nil)
        #expect(again == ann && again.age == 3)
        realm.beginWrite()
        realm.delete(ann)
        #expect(owner.byName.count == 4 && owner.byName["first"] == .some(nil))
        realm.cancelWrite()
        #expect(owner.byName["first"] == .some(ann) && ann.namedBy.count == 2)
        try realm.write {
            realm.delete(ann)
            owner.byName["second"] = nil
            #expect(owner.byName.keys == ["again", "first", "none"] && bob.namedBy.isEmpty)
            #expect(owner.byName.values.allSatisfy { $0 == nil })
            owner.byName["new"] = SetPet("New", 1)
            #expect(owner.byName["new"]??.realm == realm)
        }
        #expect(try realm.findings == [])
    }

    @Test("many deletes at once leave sets and maps right")
    func deletingMany() throws {
        let pets = (0..<300).map { SetPet("\($0)", $0) }
        let owner = SetOwner()
        owner.pets.insert(objectsIn: pets)
        for pet in pets { owner.byName[pet.name] = pet }
        try realm.write {
            realm.add(owner)
            realm.delete(realm.objects(SetPet.self).filter("age < 200"))
        }
        #expect(owner.pets.count == 100 && owner.byName.count == 300)
        #expect(owner.byName.values.count { $0 == nil } == 200)
        #expect(try realm.findings == [])
        try realm.write {
            realm.delete(owner.byName)
            #expect(owner.pets.isEmpty && owner.byName.count == 300)
            owner.pets.insert(SetPet("last"))
            realm.delete(owner.pets)
        }
        #expect(realm.objects(SetPet.self).isEmpty && owner.pets.isEmpty)
        #expect(try realm.findings == [])
    }

    @Test("embedded values are deleted when they are replaced, removed, and with their owner")
    func embeddedValues() throws {
        let owner = SetOwner()
        let pet = SetPet("Ann")
        owner.rooms["a"] = SetRoom(value: ["size": 1, "guest": pet] as [String: Any])
        let table = try #require(realm.state.table(of: SetRoom.self)).reader
        try realm.write {
            realm.add(owner)
            let first = try #require(owner.rooms["a"] ?? nil)
            #expect(first.realm == realm && table.count == 1 && first.guest == pet)
            owner.rooms["a"] = SetRoom(value: ["size": 2])
            #expect(first.isInvalidated && table.count == 1 && owner.rooms["a"]??.size == 2)
            for index in 0..<20 { owner.rooms["\(index)"] = SetRoom(value: [index]) }
            owner.rooms.merge((5..<30).map { ("\($0)", SetRoom(value: [-$0])) }) { old, new in
                (old?.size ?? 0) % 2 == 0 ? old : new
            }
            #expect(table.count == 31 && owner.rooms["7"]??.size == -7)
            #expect(owner.rooms["6"]??.size == 6 && owner.rooms["29"]??.size == -29)
            owner.rooms["7"] = nil
            owner.rooms.updateValue(nil, forKey: "6")
            #expect(table.count == 29 && owner.rooms.count == 30)
            let map = Map<String, SetRoom?>()
            map["only"] = SetRoom()
            owner.rooms = map
            #expect(table.count == 1 && owner.rooms.keys == ["only"] && map.realm == nil)
            realm.delete(owner)
            #expect(table.count == 0 && pet.realm == realm)
        }
        #expect(try realm.findings == [])
    }

    @Test("dictionaries, other objects and updates by primary key fill sets and maps")
    func creating() throws {
        let ann = SetPet("Ann")
        try realm.write {
            realm.add(ann)
            let contents: [String: Any] = [
                "id": 1,
                "pets": [ann, ["name": "Bob"], ann] as [Any],
                "byName": ["a": ann, "b": ["name": "Cat"], "n": NSNull()] as [String: Any],
                "rooms": ["big": ["size": 9], "none": NSNull()] as [String: Any],
            ]
            let owner = realm.create(SetOwner.self, value: contents)
            #expect(owner.pets.map(\.name) == ["Ann", "Bob"])
            #expect(owner.byName["b"]??.name == "Cat" && owner.byName["n"] == .some(nil))
            #expect(owner.rooms["big"]??.size == 9 && owner.rooms.count == 2)
            realm.create(
                SetOwner.self,
                value: ["id": 1, "pets": [ann], "byName": ["x": ann]] as [String: Any],
                update: .modified
            )
            #expect(owner.pets.map(\.name) == ["Ann"] && owner.byName.keys == ["x"])
            #expect(owner.rooms.count == 2, "what is not named stays")

            let loose = SetOwner(value: owner)
            #expect(loose.pets.count == 1 && loose.realm == nil && loose.byName.keys == ["x"])
            let update = SetOwner(value: ["id": 1, "pets": [["name": "Dan"]]] as [String: Any])
            realm.add(update, update: .modified)
            #expect(owner.pets.map(\.name) == ["Dan"] && owner.byName.isEmpty)
        }
        #expect(realm.objects(SetOwner.self).count == 1)
        #expect(try realm.findings == [])
        let bad = Result {
            try realm.state.write {
                try realm.state.create(
                    SetOwner.self,
                    value: ["id": 5, "byName": [3: ann]] as [String: Any],
                    update: .error
                )
            }
        }
        guard case .failure(let error as Realm.Error) = bad else {
            Issue.record("a key that is no text was taken")
            return
        }
        realm.cancelWrite()
        #expect(error.message.contains("Invalid key '3' of type 'Int' for expected type 'string'."))
    }

    @Test("queries reach through sets and maps, in text and in Swift")
    func queries() throws {
        try realm.write {
            for id in 0..<10 {
                let owner = SetOwner(value: ["id": id])
                owner.pets.insert(objectsIn: (0..<id).map { SetPet("p\($0)", $0) })
                for pet in owner.pets { owner.byName[pet.name] = pet }
                if id == 3 { owner.byName.updateValue(nil, forKey: "nobody") }
                realm.add(owner)
            }
        }
        let owners = realm.objects(SetOwner.self)
        func ids(_ results: Results<SetOwner>) -> [Int] { results.map(\.id) }
        #expect(ids(owners.filter("ANY pets.age == 7")) == [8, 9])
        #expect(ids(owners.filter("pets.@count == 4")) == [4])
        #expect(ids(owners.filter("pets.@max.age >= 7")) == [8, 9])
        #expect(ids(owners.filter("NONE pets.age > 0")) == [0, 1])
        #expect(ids(owners.where { $0.pets.age > 7 }) == [9])
        #expect(ids(owners.where { $0.pets.count > 7 }) == [8, 9])
        #expect(ids(owners.filter("SUBQUERY(pets, $p, $p.age > 2).@count > 4")) == [8, 9])
        #expect(ids(owners.filter("byName.@count == 4")) == [3, 4])
        #expect(ids(owners.filter("ANY byName.age == 7")) == [8, 9])
        #expect(ids(owners.filter("ANY byName == nil")) == [3])
        let nine = try #require(realm.object(ofType: SetOwner.self, forPrimaryKey: 9))
        #expect(ids(owners.filter("ANY pets == %@", nine.pets[4])) == [9])
        #expect(ids(owners.where { $0.pets.contains(nine.pets[4]) }) == [9])
        let pets = realm.objects(SetPet.self)
        #expect(pets.filter("ANY owners.id == 9").count == 9)
        #expect(pets.filter("namedBy.@count == 1 AND age == 0").count == 9)

        #expect(nine.pets.filter("age > 6").map(\.age) == [7, 8])
        #expect(nine.pets.where { $0.name.ends(with: "8") }.count == 1)
        #expect(nine.pets.sorted(byKeyPath: "age", ascending: false).first?.age == 8)
        #expect(nine.pets.sum(of: \.age) == 36 && nine.pets.max(of: \.age) == 8)
        #expect(nine.pets.index(matching: "age == 2") == 2)
        #expect(nine.pets.objects(at: [0, 8]).map(\.age) == [0, 8])
        #expect(nine.byName.filter("age > 6").compactMap { $0?.age } == [7, 8])
        #expect(nine.byName.where { $0.age > 7 }.first??.name == "p8")
        #expect(nine.byName.sorted(byKeyPath: "age", ascending: false).first??.age == 8)
        #expect(nine.byName.sum(of: \.age) == 36 && nine.byName.max(ofProperty: "age") == 8)
        #expect(nine.pets.value(forKey: "age") as? [Int] == Array(0..<9))
        let live = nine.pets.filter("age < 3")
        #expect(live.count == 3)
        try realm.write {
            nine.pets.remove(nine.pets[0])
            nine.pets.setValue(1, forKey: "age")
        }
        #expect(live.count == 8)
    }

    @Test("what was stored comes back, and a cancelled write leaves no trace")
    func reopening() throws {
        try realm.write {
            let owner = SetOwner()
            owner.pets.insert(objectsIn: (0..<3).map { SetPet("p\($0)") })
            owner.byName["a.b"] = owner.pets[1]
            owner.byName["$x"] = owner.pets[2]
            owner.byName[""] = owner.pets[0]
            realm.add(owner)
        }
        let owner = try #require(realm.objects(SetOwner.self).first)
        realm.beginWrite()
        owner.pets.removeAll()
        owner.byName.removeAll()
        owner.rooms["r"] = SetRoom()
        realm.cancelWrite()
        #expect(owner.pets.count == 3 && owner.byName.keys == ["", "$x", "a.b"])
        #expect(owner.rooms.isEmpty && owner.byName["a.b"]??.name == "p1")
    }
}
