import Foundation
import Testing

@testable import Domesday

/// Shares its names with `DynamicZoo`'s links.
private class Visitor: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var pet: VisitedPet?
    @Persisted var pets: List<VisitedPet>
    @Persisted var home: VisitedHome?
}

private class VisitedPet: Object, ObjectKeyIdentifiable {
    @Persisted var name = "pet"
    @Persisted var owner: Visitor?
}

private class VisitedHome: EmbeddedObject { @Persisted var city = "nowhere" }

private class OtherVisitor: Object {
    @Persisted var id: Int
    @Persisted var pet: OtherPet?
    @Persisted var pets: List<OtherPet>
    @Persisted var home: OtherHome?
}

private class OtherPet: Object {
    @Persisted var name = "other"
    @Persisted var owner: OtherVisitor?
}

private class OtherHome: EmbeddedObject { @Persisted var city = "elsewhere" }

@Suite("Objects from values of every shape")
struct CreatingFromValuesTests {
    private func makeRealm(_ folder: TemporaryFolder, _ name: String = "values") throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: folder.path(name)),
                objectTypes: [
                    Visitor.self, VisitedPet.self, VisitedHome.self, OtherVisitor.self,
                    OtherPet.self, OtherHome.self,
                ]
            )
        )
    }

    /// The same visitor in every shape.
    private func shapes() throws -> [Any] {
        let json = #"{"id":1,"pet":{"name":"a"},"pets":[{"name":"b"},{}],"home":{"city":"c"}}"#
        let object = Visitor()
        object.id = 1
        object.pet = VisitedPet(value: ["a"])
        object.pets.append(objectsIn: [VisitedPet(value: ["name": "b"]), VisitedPet()])
        object.home = VisitedHome(value: ["city": "c"])
        let other = OtherVisitor()
        other.id = 1
        other.pet = OtherPet(value: ["a"])
        other.pets.append(objectsIn: [OtherPet(value: ["name": "b"]), OtherPet(value: ["pet"])])
        other.home = OtherHome(value: ["city": "c"])
        other.pet?.owner = other
        return [
            ["id": 1, "pet": ["name": "a"], "pets": [["name": "b"], [:]], "home": ["city": "c"]]
                as [String: Any],
            [1, ["a"], [["b"], [String: Any]()], ["c"]] as [Any],
            [
                "id": 1, "pet": VisitedPet(value: ["name": "a"]), "home": ["c"], "ignored": 5,
                "pets": [VisitedPet(value: ["name": "b"]), NSDictionary()],
            ] as [String: Any],
            try JSONSerialization.jsonObject(with: Data(json.utf8)), object, other,
        ]
    }

    private func text(_ visitor: Visitor) -> String {
        let pets = visitor.pets.map(\.name).joined(separator: ",")
        return "\(visitor.id) \(visitor.pet?.name ?? "") \(pets) \(visitor.home?.city ?? "")"
    }

    @Test("every shape gives the same object: unmanaged, added, created, dynamic", arguments: 0..<6)
    func everyShape(_ index: Int) throws {
        let expected = "1 a b,pet c"
        let unmanaged = Visitor(value: try shapes()[index])
        #expect(text(unmanaged) == expected && unmanaged.realm == nil)
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            let created = realm.create(Visitor.self, value: try shapes()[index])
            #expect(text(created) == expected && created.realm == realm)
            if index == 5 { #expect(created.pet?.owner == created) }
            realm.deleteAll()
            let dynamic = realm.dynamicCreate("Visitor", value: try shapes()[index])
            #expect(dynamic.value(forKeyPath: "pets.name") as? [String] == ["b", "pet"])
            #expect(text(realm.objects(Visitor.self)[0]) == expected)
            realm.create(Visitor.self, value: try shapes()[index], update: .modified)
            #expect(text(realm.objects(Visitor.self)[0]) == expected)
            #expect(realm.objects(Visitor.self).count == 1)
            realm.deleteAll()
            if index != 5 {
                realm.add(unmanaged)
                #expect(text(unmanaged) == expected && unmanaged.realm == realm)
            }
        }
    }

    @Test("an object of another Realm is copied with all it leads to")
    func otherRealm() throws {
        let folder = try TemporaryFolder()
        let (left, right) = (try makeRealm(folder), try makeRealm(folder, "right"))
        let source = try left.write {
            let source = left.create(Visitor.self, value: try shapes()[0])
            source.pet?.owner = source
            return source
        }
        try right.write {
            let copy = right.create(Visitor.self, value: source)
            #expect(text(copy) == text(source) && copy.realm == right && copy != source)
            #expect(copy.pet?.owner == copy && copy.pet != source.pet)
            let second = right.create(
                Visitor.self,
                value: ["id": 2, "pet": source.pet as Any],
                update: .modified
            )
            #expect(second.pet?.name == "a" && second.pet?.realm == right)
        }
        #expect(right.objects(Visitor.self).count == 2 && left.objects(Visitor.self).count == 1)
    }

    @Test("nil is nil where it may be, and an error where not")
    func nils() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            let visitor = realm.create(
                Visitor.self,
                value: ["id": 1, "pet": NSNull(), "home": nil, "pets": NSNull()] as [String: Any?]
            )
            #expect(visitor.pet == nil && visitor.home == nil && visitor.pets.isEmpty)
            for value in [NSNull(), ["id": NSNull()], ["id": 2, "pets": [NSNull()]]] as [Any] {
                #expect(throws: Realm.Error.self) {
                    try realm.tryCreate(Visitor.self, value: value)
                }
            }
            #expect(realm.objects(Visitor.self).count == 1)
        }
    }

    @Test("contents nested without end are an error")
    func depth() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        var contents: [String: Any] = ["name": "x"]
        for id in 0..<300 { contents = ["owner": ["id": id, "pet": contents] as [String: Any]] }
        realm.beginWrite()
        let error = #expect(throws: Realm.Error.self) {
            try realm.tryCreate(VisitedPet.self, value: contents)
        }
        #expect(error?.description.contains("nested more than 400 objects deep") == true)
        #expect(realm.objects(VisitedPet.self).isEmpty)
        realm.cancelWrite()
    }

    @Test("one stored object has one identity number")
    func identity() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write { realm.create(VisitedPet.self).name = "a" }
        try realm.write { realm.create(VisitedPet.self).name = "b" }
        let pets = realm.objects(VisitedPet.self)
        #expect(pets[0].id == pets[0].id && pets[0].id != pets[1].id)
        #expect(pets[0].id != pets[0].detached().id)
    }
}
