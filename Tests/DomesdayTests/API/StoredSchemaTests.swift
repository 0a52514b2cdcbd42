import Foundation
import Testing

@testable import Domesday

@Suite("Stores without Swift classes")
struct StoredSchemaTests {
    private func fill(_ realm: Realm) throws {
        try realm.write {
            for id in 0..<40 {
                let zoo = DynamicZoo(value: ["id": id])
                for (name, value) in DynamicWorld.values where (id + name.count) % 3 == 0 {
                    zoo[name] = value
                }
                zoo.friend = realm.objects(DynamicZoo.self).last
                zoo.friends.append(objectsIn: realm.objects(DynamicZoo.self).filter("id < 3"))
                zoo.part = DynamicPart(value: ["size": id])
                zoo.parts.append(DynamicPart())
                zoo.ints.append(objectsIn: 0..<(id % 5))
                realm.add(zoo)
            }
        }
    }

    private func answers(_ realm: Realm) -> [String] {
        let zoos = realm.dynamicObjects("DynamicZoo")
        let names = DynamicZoo.sharedSchema()?.properties.filter { $0.type != .linkingObjects }
        var lines = zoos.map { zoo in
            (names ?? []).map { DynamicWorld.text(zoo[$0.name]) }.joined(separator: " ")
        }
        for text in ["string == 'élan'", "friend.id > 20", "ANY friends.id == 1", "part.size < 9"] {
            lines.append("\(text): \(zoos.filter(text).map { DynamicWorld.text($0) })")
        }
        lines.append("\(zoos.sorted(byKeyPath: "double").map { DynamicWorld.text($0.id) })")
        let sum: Double = zoos.sum(ofProperty: "double")
        return lines + ["\(sum)", "\(zoos.value(forKeyPath: "@sum.friends.@count") ?? "")"]
    }

    @Test("a store gives the same answers with and without its classes")
    func sameAnswers() throws {
        let folder = try TemporaryFolder()
        var configuration = DynamicWorld.configuration(folder)
        let before = try { () throws -> [String] in
            let realm = try Realm(configuration: configuration)
            try fill(realm)
            return answers(realm)
        }()
        configuration.objectTypes = nil
        configuration.schemaSource = .stored
        try {
            let realm = try Realm(configuration: configuration)
            #expect(answers(realm) == before)
            #expect(
                realm.schema.objectSchema.map(\.className) == [
                    "DynamicPart", "DynamicTwin", "DynamicZoo",
                ]
            )
            #expect(realm.schema["DynamicPart"]?.isEmbedded == true)
            #expect(realm.schema["DynamicZoo"]?.primaryKeyProperty?.name == "id")
            #expect(realm.schema["DynamicZoo"]?.objectClass == DynamicObject.self)
            #expect(realm.dynamicObject(ofType: "DynamicZoo", forPrimaryKey: 7)?.id as? Int == 7)
            let first = realm.dynamicObjects("DynamicZoo")[0]
            #expect(
                first.linkingObjects(ofType: "DynamicZoo", property: "friend").map { $0.id as? Int }
                    == [1]
            )
            try realm.write {
                let new = realm.dynamicCreate(
                    "DynamicZoo",
                    value: [
                        "id": 100, "friend": first, "part": ["size": 77],
                        "strings": ["x", nil] as [String?],
                    ]
                        as [String: Any]
                )
                new.optString = "written without classes"
                realm.delete(realm.dynamicObjects("DynamicZoo").filter("id BETWEEN {5, 30}"))
            }
        }()
        configuration.objectTypes = DynamicWorld.classes
        configuration.schemaSource = .classes
        let realm = try Realm(configuration: configuration)
        let new = try #require(realm.object(ofType: DynamicZoo.self, forPrimaryKey: 100))
        #expect(
            new.optString == "written without classes" && new.part?.size == 77
                && new.friend?.id == 0
        )
        #expect(Array(new.strings) == ["x", nil] && realm.objects(DynamicZoo.self).count == 15)
        #expect(realm.dynamicObjects("DynamicPart").count == 29)
    }

    @Test("a class described at run time is opened beside Swift classes")
    func besideClasses() throws {
        let folder = try TemporaryFolder()
        var configuration = DynamicWorld.configuration(folder)
        configuration.objectSchemas = [
            ObjectSchema(
                className: "Visit",
                properties: [
                    Property("code", .string, isPrimaryKey: true),
                    Property("day", .date, isIndexed: true),
                    Property("note", .string, isOptional: true),
                    .link("zoo", to: "DynamicZoo"), .link("ticket", to: "Ticket"),
                    .links("seen", to: "DynamicZoo"), .list("marks", of: .int, isOptional: true),
                ]
            ),
            ObjectSchema(
                className: "Ticket",
                isEmbedded: true,
                properties: [
                    Property("price", .double),
                    .linkingObjects("visits", from: "Visit", property: "ticket"),
                ]
            ),
        ]
        try {
            let realm = try Realm(configuration: configuration)
            #expect(realm.schema["Visit"]?["ticket"]?.objectClassName == "Ticket")
            try realm.write {
                let zoo = realm.create(DynamicZoo.self, value: ["id": 1])
                let visit = realm.dynamicCreate(
                    "Visit",
                    value: [
                        "code": "a", "zoo": zoo, "ticket": ["price": 2.5],
                        "marks": [1, nil] as [Int?],
                    ]
                        as [String: Any]
                )
                #expect(visit.zoo as? DynamicObject == zoo && visit.note == nil)
                #expect(visit.value(forKeyPath: "ticket.price") as? Double == 2.5)
                #expect(visit.value(forKeyPath: "ticket.visits.code") as? [String] == ["a"])
                visit.dynamicList("seen").append(realm.dynamicObjects("DynamicZoo")[0])
                let unmanaged = DynamicZoo(value: ["id": 5])
                visit.zoo = unmanaged
                #expect(unmanaged.realm != nil && visit.value(forKeyPath: "zoo.id") as? Int == 5)
            }
            #expect(
                realm.dynamicObjects("Visit").filter("zoo.id == 5 AND ANY seen.id == 1").count == 1
            )
            #expect(
                realm.dynamicObjects("Visit").sorted(byKeyPath: "day").first?.code as? String == "a"
            )
            try realm.write { realm.delete(realm.dynamicObjects("Visit")[0]) }
            #expect(realm.dynamicObjects("Ticket").isEmpty)
            #expect(realm.objects(DynamicZoo.self).count == 2)
        }()
        configuration.objectSchemas = [
            ObjectSchema(className: "Visit", properties: [Property("code", .int)])
        ]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.description.contains("Property 'Visit.day' has been removed.") == true)
    }

    @Test("what is wrong with a described class is told when it is opened")
    func mistakes() throws {
        func message(_ schemas: ObjectSchema...) throws -> String {
            let folder = try TemporaryFolder()
            var configuration = DynamicWorld.configuration(folder)
            configuration.objectSchemas = schemas
            do {
                _ = try Realm(configuration: configuration)
                return ""
            } catch { return "\(error)" }
        }
        #expect(
            try message(ObjectSchema(className: "A", properties: [])).contains(
                "No properties are defined for 'A'."
            )
        )
        #expect(
            try message(
                ObjectSchema(
                    className: "A",
                    properties: [Property("x", .int), Property("x", .int)]
                )
            ).contains("Property 'x' is declared multiple times")
        )
        #expect(
            try message(
                ObjectSchema(
                    className: "A",
                    properties: [Property("x", .double, isPrimaryKey: true)]
                )
            ).contains("cannot be made the primary key of 'A'")
        )
        #expect(
            try message(ObjectSchema(className: "A", properties: [.link("x", to: "B")]))
                .contains("has unknown object type 'B'")
        )
        #expect(
            try message(
                ObjectSchema(className: "A", isEmbedded: true, properties: [Property("x", .int)])
            ).contains("Embedded object 'A' is unreachable")
        )
        #expect(
            try message(ObjectSchema(className: "DynamicZoo", properties: [Property("x", .int)]))
                .contains("are both named 'DynamicZoo'")
        )
    }

    @Test("a missing store has no schema of its own; an open one keeps its classes")
    func opening() throws {
        let folder = try TemporaryFolder()
        var configuration = DynamicWorld.configuration(folder)
        configuration.objectTypes = nil
        configuration.schemaSource = .stored
        let missing = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(missing?.code == .fileNotFound)
        try { _ = try Realm(configuration: DynamicWorld.configuration(folder)) }()
        let stored = try Realm(configuration: configuration)
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: DynamicWorld.configuration(folder))
        }
        #expect(
            error?.code == .alreadyOpen
                && error?.description.contains("schemaSource = .stored") == true
        )
        #expect(stored.dynamicObjects("DynamicZoo").isEmpty)
        configuration.readOnly = false
        configuration.objectSchemas = [
            ObjectSchema(className: "New", properties: [Property("x", .int)])
        ]
        let other = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(other?.description.contains("'New' is not among them") == true)
    }

    @Test("a stored schema can be added to")
    func adding() throws {
        let folder = try TemporaryFolder()
        try { _ = try Realm(configuration: DynamicWorld.configuration(folder)) }()
        var configuration = DynamicWorld.configuration(folder)
        configuration.objectTypes = nil
        configuration.schemaSource = .stored
        configuration.objectSchemas = [
            ObjectSchema(className: "New", properties: [.link("zoo", to: "DynamicZoo")])
        ]
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.dynamicCreate("New", value: ["zoo": ["id": 3]]) }
        #expect(realm.dynamicObjects("New")[0].value(forKeyPath: "zoo.id") as? Int == 3)
    }
}
