import Foundation
import Testing

@testable import Domesday

private final class Mapped: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var publicName = ""
    @Persisted var friend: Mapped?
    @Persisted(originProperty: "friend") var friends: LinkingObjects<Mapped>

    override class func propertiesMapping() -> [String: String] {
        ["id": "_id", "publicName": "stored_name", "friend": "stored_friend"]
    }
    override class func _realmObjectName() -> String? { "stored_class" }
}

private final class BadMapping: Object {
    @Persisted var a = 0
    override class func propertiesMapping() -> [String: String] { ["b": "c"] }
}

private final class TwiceMapped: Object {
    @Persisted var a = 0
    @Persisted var b = 0
    override class func propertiesMapping() -> [String: String] { ["a": "b"] }
}

private final class Legacy: Object {
    @Persisted var a = 0
    let age = RealmProperty<Int?>()
    let score = RealmOptional<Double>()
    let names = List<String>()
    let any = RealmProperty<AnyRealmValue>()
}

private final class IgnoringLegacy: Object {
    @Persisted var a = 0
    let age = RealmProperty<Int?>()
    override class func ignoredProperties() -> [String] { ["age"] }
}

private final class IndexedDecimal: Object {
    @Persisted var price: Decimal128
    @Persisted var any: AnyRealmValue
    override class func indexedProperties() -> [String] { ["price", "any"] }
}

private final class CustomKey: Object {
    @Persisted var letter = ZooLetter.a
    override class func primaryKey() -> String? { "letter" }
}

/// Stored as an object that is not embedded.
private struct Linked: CustomPersistable, Hashable {
    typealias PersistedType = Mapped
    init(persistedValue: Mapped) {}
    init() {}
    var persistableValue: Mapped { Mapped() }
}

private final class LinksByValue: Object {
    @Persisted var linked: Linked? = nil
}

@Suite("Names in the store, and what a schema refuses of values")
struct NamesAndSchemaTests {
    @Test("both names work where names are used, and the store has the mapped ones")
    func mapping() throws {
        let file = try ReopenedRealm([Mapped.self])
        try file.open { realm in
            try realm.write {
                let ann = realm.create(Mapped.self, value: ["id": 1, "publicName": "Ann"])
                realm.create(Mapped.self, value: ["id": 2, "publicName": "Bob", "friend": ann])
            }
        }
        try file.open { realm in
            let all = realm.objects(Mapped.self)
            let table = try #require(realm.state.table(of: Mapped.self))
            #expect(table.reader.definition.name == "stored_class")
            #expect(
                table.reader.definition.columns.map(\.name)
                    == ["_id", "stored_name", "stored_friend"]
            )
            #expect(realm.object(ofType: Mapped.self, forPrimaryKey: 1)?.publicName == "Ann")
            #expect(all.where { $0.publicName == "Bob" }.map(\.id) == [2])
            #expect(all.filter("publicName == 'Bob'").map(\.id) == [2])
            #expect(all.filter("stored_name == 'Bob'").map(\.id) == [2])
            #expect(all.filter("stored_friend.stored_name == 'Ann'").map(\.id) == [2])
            #expect(all.filter("friend.publicName == 'Ann'").map(\.id) == [2])
            #expect(all.filter("ANY friends._id == 2").map(\.id) == [1])
            #expect(all.sorted(byKeyPath: "stored_name", ascending: false).map(\.id) == [2, 1])
            #expect(all.sorted(byKeyPath: "publicName").map(\.id) == [1, 2])
            #expect(all.max(ofProperty: "_id") as Int? == 2)
            #expect(all[0]["publicName"] as? String == "Ann")
            #expect(all[0].friends.map(\.id) == [2])
            let property = try #require(realm.schema["stored_class"]?["publicName"])
            #expect(property.columnName == "stored_name" && property.isIndexed)
            realm.beginWrite()
            #expect {
                _ = try realm.state.create(
                    Mapped.self,
                    value: ["id": 5, "publicName": 1] as [String: Any],
                    update: .error
                )
            } throws: {
                ($0 as? Realm.Error)?.message.contains("'stored_class.publicName'") ?? false
            }
            realm.cancelWrite()
        }
    }

    @Test(
        "a class that cannot be stored is refused, and the text says what to write",
        arguments: [
            (BadMapping.self, ["Property 'BadMapping.b' cannot be stored as 'c'"]),
            (TwiceMapped.self, ["Alias 'b' appears more than once in the schema for type"]),
            (
                Legacy.self,
                [
                    "'@Persisted var age: Int?'", "'@Persisted var score: Double?'",
                    "'@Persisted var names: List<String>'", "'@Persisted var any: AnyRealmValue'",
                ]
            ),
            (
                IndexedDecimal.self,
                [
                    "Property 'IndexedDecimal.price' of type 'decimal128' cannot be indexed.",
                    "Property 'IndexedDecimal.any' of type 'mixed' cannot be indexed.",
                ]
            ),
            (CustomKey.self, ["Property 'letter' cannot be made the primary key of 'CustomKey'"]),
            (
                LinksByValue.self,
                ["'LinksByValue.linked'", "must be a scalar or an EmbeddedObject"]
            ),
        ] as [(ObjectBase.Type, [String])]
    )
    func refused(_ type: ObjectBase.Type, _ texts: [String]) {
        #expect {
            _ = try SchemaBuilder.schemas(of: [type, Mapped.self])
        } throws: { error in
            let message = (error as? Realm.Error)?.message ?? ""
            return texts.allSatisfy { message.contains($0) }
        }
    }

    @Test("a box of the older style that is ignored is a plain property")
    func ignored() throws {
        _ = try SchemaBuilder.schemas(of: [IgnoringLegacy.self])
        let object = IgnoringLegacy()
        object.age.value = 5
        #expect(object.age.value == 5)
        #expect(RealmOptional<Int>().value == nil && RealmProperty<AnyRealmValue>().value == .none)
    }
}
