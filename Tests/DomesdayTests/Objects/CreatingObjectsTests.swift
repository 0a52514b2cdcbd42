import Foundation
import Testing

@testable import Domesday

private class Person: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var age = 18
    @Persisted var friend: Person?
    @Persisted var pets: List<Pet>
    @Persisted var home: Home?
    @Persisted var scores: List<Int>
}

private class Pet: Object {
    @Persisted var name = "pet"
    @Persisted var owner: Person?
}

private class Home: EmbeddedObject {
    @Persisted var city = "nowhere"
    @Persisted var rooms: Int?
}

private class LooksLikePet: Object { @Persisted var name = "looks" }

private let classes: [ObjectBase.Type] = [Person.self, Pet.self, Home.self]

@Suite("Creating and adding objects")
struct CreatingObjectsTests {
    private func create(
        _ realm: RealmState,
        _ value: Any,
        _ update: Realm.UpdatePolicy = .error
    ) throws -> Person {
        try #require(try realm.create(Person.self, value: value, update: update) as? Person)
    }

    @Test("a graph with cycles is added in place")
    func cycles() throws {
        let realm = try makeRealmState(classes)
        let (a, b) = (Person(value: ["id": "a"]), Person(value: ["id": "b"]))
        a.friend = b
        b.friend = a
        let pet = Pet()
        pet.owner = a
        b.pets.append(pet)
        a.home = Home(value: ["city": "x"])
        let home = a.home
        try realm.write { try realm.add(a, update: .error) }
        #expect(a.realm != nil && b.realm != nil && pet.realm != nil && home?.realm != nil)
        #expect(a.friend == b && b.friend == a && pet.owner == a && b.pets.first == pet)
        #expect(a.home == home && home?.city == "x" && a.friend?.friend?.id == "a")
        try realm.write { try realm.add(a, update: .error) }
        #expect(try #require(realm.table(of: Person.self)).reader.count == 2)
    }

    @Test("a dictionary with nested contents becomes objects, absent values their defaults")
    func nested() throws {
        let realm = try makeRealmState(classes)
        let person = try realm.write {
            try create(
                realm,
                [
                    "id": "a", "friend": ["id": "b", "age": 3.0],
                    "scores": [1, 2, NSNumber(value: 3)],
                    "pets": [["name": "x"], ["name": "y", "owner": NSNull()]],
                    "home": ["city": "c"],
                ] as [String: Any]
            )
        }
        #expect(person.age == 18 && person.friend?.age == 3 && person.home?.city == "c")
        #expect(person.pets.map(\.name) == ["x", "y"] && Array(person.scores) == [1, 2, 3])
        let text = #"{"id": "json", "age": 7, "friend": null, "home": {"rooms": 2}}"#
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let parsed = try realm.write { try create(realm, json) }
        #expect(parsed.age == 7 && parsed.home?.rooms == 2 && parsed.home?.city == "nowhere")
    }

    @Test("an array gives values in order")
    func array() throws {
        let realm = try makeRealmState(classes)
        let person = try realm.write { try create(realm, ["a", 4] as [Any]) }
        #expect(person.id == "a" && person.age == 4 && person.friend == nil)
    }

    @Test("an object is copied with all it links to")
    func copied() throws {
        let realm = try makeRealmState(classes)
        let source = Person(value: ["id": "a", "friend": ["id": "b"]] as [String: Any])
        source.friend?.friend = source
        source.pets.append(Pet())
        let person = try realm.write { try create(realm, source) }
        #expect(source.realm == nil && person != source && person.friend?.friend == person)
        #expect(person.pets.count == 1 && source.pets.first?.realm == nil)
        source.friend?.friend = nil
        let pet = try realm.write {
            try realm.create(Pet.self, value: ["name": "z"], update: .error) as? Pet
        }
        #expect(pet?.name == "z")
        #expect(throws: Realm.Error.self) {
            try realm.write { try realm.create(Pet.self, value: LooksLikePet(), update: .error) }
        }
        realm.cancelWrite()
    }

    @Test("updating touches only what is given, in nested objects too")
    func updating() throws {
        let realm = try makeRealmState(classes)
        let person = try realm.write {
            try create(
                realm,
                ["id": "a", "age": 5, "friend": ["id": "b", "age": 6]] as [String: Any]
            )
        }
        try realm.write {
            let again = try create(
                realm,
                ["id": "a", "friend": ["id": "b", "scores": [1]]] as [String: Any],
                .modified
            )
            #expect(again == person)
        }
        #expect(person.age == 5 && person.friend?.age == 6 && person.friend?.scores.count == 1)
        let replacement = Person(value: ["id": "a", "age": 1])
        try realm.write { try realm.add(replacement, update: .modified) }
        #expect(replacement == person && person.age == 1 && person.friend == nil)
        try realm.write { try realm.add(Person(value: ["id": "a", "age": 2]), update: .all) }
        #expect(person.age == 2)
        #expect(try #require(realm.table(of: Person.self)).reader.count == 2)
    }

    @Test("setting a link or appending adds an unmanaged object")
    func linksAdd() throws {
        let realm = try makeRealmState(classes)
        let person = try realm.write { try create(realm, ["id": "a"]) }
        let friend = Person(value: ["id": "b"])
        try realm.write {
            person.friend = friend
            person.pets.append(Pet(value: ["owner": friend]))
        }
        #expect(friend.realm != nil && person.friend == friend && person.pets[0].owner == friend)
        try realm.write { try realm.delete(friend) }
        #expect(person.friend == nil && person.pets[0].owner == nil)
    }

    @Test("values that do not fit are told with class and property")
    func misfits() throws {
        let realm = try makeRealmState(classes)
        func message(_ value: Any) -> String {
            do throws(Realm.Error) {
                _ = try realm.create(Person.self, value: value, update: .error)
                return ""
            } catch { return error.description }
        }
        try realm.beginWrite()
        #expect(
            message(["id": "a", "age": "old"])
                == "Invalid value 'old' of type 'String' for 'int' property 'Person.age'."
        )
        #expect(message(["id": 3]).contains("for 'string' property 'Person.id'."))
        #expect(message(NSNull()) == "Must provide a non-nil value.")
        #expect(
            message([Any](repeating: 1, count: 9))
                == "Invalid array input: more values (9) than properties (6)."
        )
        #expect(message(5).hasPrefix("Invalid value '5' to initialize object of type 'Person'"))
        #expect(
            message(LooksLikePet()).hasSuffix("type 'Person': missing key 'id'")
        )
        #expect(message(["id": "twice"]) == "")
        #expect(
            message(["id": "twice"])
                == "Attempting to create an object of type 'Person' with an existing primary key "
                + "value 'twice'."
        )
        realm.cancelWrite()
    }
}
