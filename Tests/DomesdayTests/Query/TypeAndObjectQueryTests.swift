import Foundation
import Testing

@testable import Domesday

private final class Owner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var text: String
    @Persisted var boss: Owner?
    @Persisted var friends: List<Owner>
    @Persisted var pet: Pet?
    @Persisted var O9: Int
}

private final class Pet: Object {
    @Persisted(primaryKey: true) var name: String?
    @Persisted(originProperty: "pet") var owners: LinkingObjects<Owner>
}

/// What names a type or an object in a predicate's text.
@Suite("Types and objects in predicates")
struct TypeAndObjectQueryTests {
    private let realm: Realm
    private let owners: Results<Owner>

    init() throws {
        realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Owner.self, Pet.self]
            )
        )
        owners = realm.objects(Owner.self)
        try realm.write {
            for id in 0..<14 {
                let owner = realm.create(Owner.self, value: ["id": id, "text": "text \(id)"])
                owner.any = Self.values(owner)[id]
                owner.anys.append(objectsIn: Self.values(owner)[..<id])
                if id > 5 { owner.named["k"] = Self.values(owner)[id - 6] }
                owner.boss = owners.first { $0.id == id / 2 }
                owner.friends.append(objectsIn: owners.filter("id > 9"))
                owner.O9 = id
            }
            let rex = realm.create(Pet.self, value: ["name": "Rex"])
            let nameless = realm.create(Pet.self, value: ["name": NSNull()])
            owners[1].pet = rex
            owners[2].pet = nameless
        }
    }

    /// One of each type, in this order.
    private static let types = [
        "null", "bool", "int", "float", "double", "decimal128", "string", "data", "date",
        "objectId", "uuid", "object", "list", "dictionary",
    ]

    private static func values(_ owner: Owner) -> [AnyRealmValue] {
        [
            .none, .bool(true), .int(5), .float(0.5), .double(2), .decimal128("1.5"), .string("a"),
            .data(Data([1])), .date(Date(timeIntervalSince1970: 5)), .objectId(ObjectId()),
            .uuid(UUID()), .object(owner), .fromArray([.int(1)]), .fromDictionary(["a": .none]),
        ]
    }

    private func ids(
        _ text: String,
        _ arguments: Any...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Int] {
        let predicate = NSPredicate(format: text, argumentArray: arguments)
        let found = owners.filter(predicate).map(\.id)
        #expect(
            owners.filter { predicate.evaluate(with: $0) }.map(\.id) == Array(found),
            sourceLocation: sourceLocation
        )
        return Array(found)
    }

    @Test("@type tells the types of values of any type apart")
    func types() throws {
        for (id, name) in Self.types.enumerated() {
            #expect(try ids("any.@type == '\(name.uppercased())'") == [id])
            #expect(try ids("any.@type != %@", name).count == 13)
            #expect(try ids("ANY anys.@type == %@", name) == Array(id + 1..<14))
            #expect(try ids("NONE anys.@type == %@", name) == Array(0...id))
            #expect(
                try ids("boss.any.@type == %@", name)
                    == owners.where { $0.boss.id == id }.map(\.id)
            )
        }
        #expect(try ids("any.@type == 'number'") == [2, 3, 4, 5])
        #expect(try ids("any.@type == 'collection'") == [12, 13])
        #expect(try ids("any.@type IN {'bool', 'binary', nil}") == [0, 1, 7])
        #expect(try ids("'int' == any.@type AND NOT any.@type != 'int'") == [2])
        #expect(try ids("ALL anys.@type IN {'null', 'bool'}") == [0, 1, 2])
        #expect(try ids("any[0].@type == 'int'") == [12])
        #expect(try ids("named['k'].@type == 'int'") == [8])
        #expect(try ids("ANY any[*].@type == 'null'") == [13])
        #expect(
            try ids("SUBQUERY(friends, $f, $f.any.@type == 'uuid').@count > 0") == [10, 11, 12, 13]
        )
    }

    @Test("a link that leads nowhere has the type of nil")
    func noLink() throws {
        try realm.write { owners[3].boss = nil }
        #expect(try ids("boss.any.@type == 'null'") == [0, 1, 3])
    }

    @Test("obj() is the object of that primary key, whenever there is one")
    func objects() throws {
        #expect(try ids("boss == obj('Owner', 2)") == [4, 5])
        #expect(try ids("boss != obj('Owner', 0)") == Array(2..<14))
        #expect(try ids("obj('Owner', 2) == boss") == [4, 5])
        #expect(try ids("boss == obj('Owner', %@)", 3) == [6, 7])
        #expect(try ids("boss IN {obj('Owner', 1), obj('Owner', 2)}") == [2, 3, 4, 5])
        #expect(try ids("ANY friends == obj('Owner', 11)") == [11, 12, 13])
        #expect(try ids("NONE friends == obj('Owner', 11)") == Array(0..<11))
        #expect(try ids("obj('Owner', 11) IN friends") == [11, 12, 13])
        #expect(try ids("friends CONTAINS obj('Owner', 11)") == [11, 12, 13])
        #expect(try ids("SELF == obj('Owner', 11)") == [11])
        #expect(
            try ids("SUBQUERY(friends, $f, $f == obj('Owner', 11)).@count == 1") == [11, 12, 13]
        )
        #expect(try ids("pet == obj('Pet', 'Rex')") == [1])
        #expect(try ids("pet == obj('Pet', nil)") == [2])
        #expect(try ids("pet != obj('Pet', nil)") == [0, 1] + Array(3..<14))
        let later = try owners.tryFilter("pet == obj('Pet', 'Bello')")
        #expect(later.isEmpty)
        try realm.write {
            owners[5].pet = realm.create(Pet.self, value: ["name": "Bello"])
        }
        #expect(later.map(\.id) == [5])
    }

    @Test("a value of any type is compared with an object of any class")
    func objectsAsValues() throws {
        #expect(try ids("any == obj('Owner', 11)") == [11])
        #expect(try ids("any != obj('Owner', 11)").count == 13)
        #expect(try ids("obj('Owner', 11) == any") == [11])
        #expect(try ids("any IN {obj('Owner', 11), obj('Pet', 'Rex')}") == [11])
        #expect(try ids("any == obj('Pet', 'Rex')").isEmpty)
        #expect(try ids("ANY anys == obj('Owner', 12)") == [12])
        #expect(try ids("NONE anys == obj('Owner', 12)") == Array(0...11) + [13])
        #expect(try ids("anys CONTAINS obj('Owner', 13)") == [13])
        #expect(try ids("obj('Owner', 13) IN anys") == [13])
        #expect(try ids("boss.any == obj('Owner', 5)").isEmpty)
        let (nameless, later) = (
            try owners.tryFilter("any == obj('Pet', nil)"),
            try owners.tryFilter("any == obj('Pet', 'Bello')")
        )
        let others = try owners.tryFilter("boss.any != obj('Pet', 'Bello')")
        #expect(nameless.isEmpty && later.isEmpty && others.count == 14)
        let bello = try realm.write {
            let bello = realm.create(Pet.self, value: ["name": "Bello"])
            owners[2].any = .object(bello)
            owners[3].boss = nil
            owners[6].any = .object(try #require(owners[2].pet))
            return bello
        }
        #expect(later.map(\.id) == [2])
        #expect(nameless.map(\.id) == [6])
        // Whoever has no boss has none whose value is this.
        #expect(others.map(\.id) == [0, 1, 2, 3] + Array(6..<14))
        #expect(later.freeze().map(\.id) == [2])
        try realm.write { realm.delete(bello) }
        #expect(later.isEmpty && others.count == 14)
    }

    @Test("O7 and L0:7 are links by the store's own keys; a property of that name comes first")
    func links() throws {
        let boss = owners[2]
        let key = try #require(boss.queryReference)
        #expect(owners.filter("boss == O\(key.key)").map(\.id) == [4, 5])
        #expect(owners.filter("boss == L\(key.table):\(key.key)").map(\.id) == [4, 5])
        #expect(owners.filter("boss IN {O\(key.key), O99}").map(\.id) == [4, 5])
        #expect(
            owners.filter("any == L\(key.table):\(try #require(owners[11].queryReference).key)")
                .map(\.id) == [11]
        )
        #expect(owners.filter("O9 == 5").map(\.id) == [5])
    }

    @Test("a text may stand on the left of a text operator")
    func parts() throws {
        #expect(try ids("'text 5 and more' BEGINSWITH text") == [5])
        #expect(try ids("'some TEXT 7' ENDSWITH[c] text") == [7])
        #expect(try ids("'a text 1' CONTAINS text") == [1])
        try realm.write { owners[4].text = "a*z" }
        #expect(try ids("'abcz' LIKE text") == [4])
        #expect(try ids("'abcz' BEGINSWITH 'ab' AND id == 1") == [1])
        #expect(try ids("'abcz' CONTAINS[c] 'BX'").isEmpty)
        #expect(try ids("ANY {'x', 'abcz'} CONTAINS 'x' AND id < 1") == [0])
        #expect(try ids("'a' CONTAINS pet.name").isEmpty)
    }

    @Test("infinities, keys and values under Realm's other names")
    func otherNames() throws {
        #expect(try ids("id > -inf AND id < infinity").count == 14)
        #expect(try ids("-Infinity > id").isEmpty)
        #expect(try ids("ANY named.@keys == 'k'") == Array(6..<14))
        #expect(try ids("ANY named.@values == 5") == [8])
        #expect(try ids("any == binary('\\u0001')") == [7])
    }

    @Test(
        "what is wrong",
        arguments: [
            ("id.@type == 'int'", "Operation '@type' is not supported on property 'id'"),
            ("any.@type == 'integral'", "Unable to parse the type attribute string 'integral'"),
            ("any.@type > 'int'", "Operator '>' not supported for '@type'"),
            ("any.@type == any.@type", "'@type' is compared with the name of a type"),
            ("any.@type == text", "'@type' is compared with the name of a type"),
            ("anys.@type == 'int'", "Key paths that include a collection property must use"),
            (
                "boss == obj('Pet', 'Rex')",
                "Cannot compare an object of type 'Pet' to property 'boss' of type 'Owner'"
            ),
            (
                "id == obj('Owner', 1)",
                "Cannot compare an object of type 'Owner' to property 'id' of type 'int'"
            ),
            ("any == obj('Dog', 1)", "There is no class 'Dog' for 'obj(...)'"),
            ("any == obj('Owner', 'x')", "Cannot compare value 'x' of type 'String' to property"),
            ("any > obj('Owner', 1)", "Operator '>' not supported for 'obj(...)'"),
            ("any CONTAINS obj('Owner', 1)", "Operator 'CONTAINS' not supported for 'obj(...)'"),
            ("anys == obj('Owner', 1)", "Key paths that include a collection property must use"),
            ("boss > obj('Owner', 1)", "Operator '>' not supported for 'obj(...)'"),
            ("boss == obj('Owner', 'x')", "Cannot compare value 'x' of type 'String' to property"),
            ("boss IN {obj('Owner', 1), nil}", "A list with 'obj(...)' in it holds nothing else"),
            ("boss == L77:1", "Cannot compare link 'L77:1' to property 'boss' of type 'Owner'"),
            ("id == O7", "Cannot compare link 'O7' to property 'id' of type 'int'"),
            ("boss == obj(5, 1)", "expected the name of a class"),
            ("boss == obj('Owner' 1)", "expected ','"),
            ("5 BEGINSWITH text", "not supported for type 'string'"),
        ]
    )
    func errors(_ text: String, _ message: String) {
        let error = #expect(throws: (any Error).self) { try owners.tryFilter(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(String(describing: error))")
    }
}
