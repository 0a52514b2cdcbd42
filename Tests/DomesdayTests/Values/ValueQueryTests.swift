import Foundation
import Testing

@testable import Domesday

private final class Priced: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var price: Decimal128
    @Persisted var maybe: Decimal128?
    @Persisted var number: Int
    @Persisted var any: AnyRealmValue
    @Persisted var prices: List<Decimal128>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var letter = ZooLetter("a")
    @Persisted(indexed: true) var meters = ZooMeters(value: 0)
    @Persisted var next: Priced?
}

@Suite("Queries of decimals and values of any type")
struct ValueQueryTests {
    private func world(_ build: (Realm) -> Void) throws -> Realm {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Priced.self]
            )
        )
        try realm.write { build(realm) }
        return realm
    }

    private static let prices: [Decimal128] = [
        "1", "1.0", "2.50", "-3", "1E+6144", "NaN", "Inf", "-Inf", "0",
        "0.1000000000000000000000000000000001",
    ]

    private func priced() throws -> Realm {
        try world { realm in
            for (id, price) in Self.prices.enumerated() {
                let maybe: Any = id % 3 == 0 ? NSNull() : price
                realm.create(
                    Priced.self,
                    value: ["id": id, "price": price, "maybe": maybe, "number": id - 3]
                        as [String: Any]
                )
            }
        }
    }

    private func ids(_ results: Results<Priced>) -> [Int] { results.map(\.id) }

    @Test("decimals compare by value, in every form of query")
    func decimals() throws {
        let realm = try priced()
        let all = realm.objects(Priced.self)
        #expect(ids(all.where { $0.price == "1.00" }) == [0, 1])
        #expect(ids(all.where { $0.price != 1 }) == [2, 3, 4, 5, 6, 7, 8, 9])
        #expect(ids(all.where { $0.price > 2.5 }) == [4, 6])
        #expect(ids(all.where { $0.price <= 0 }) == [3, 7, 8])
        #expect(ids(all.where { $0.price.in([1, "2.5", "NaN"]) }) == [0, 1, 2])
        #expect(ids(all.where { $0.price.contains("0.1"...1) }) == [0, 1, 9])
        #expect(ids(all.where { $0.price.contains(0..<1) }) == [8, 9])
        #expect(ids(all.where { $0.maybe == nil }) == [0, 3, 6, 9])
        #expect(ids(all.where { $0.maybe != nil && $0.maybe > 1 }) == [2, 4])
        #expect(ids(all.filter("price == 1")) == [0, 1])
        #expect(ids(all.filter("price > 0.1 AND price < 3")) == [0, 1, 2, 9])
        #expect(ids(all.filter("price == %@", Decimal(string: "2.5") as Any)) == [2])
        #expect(ids(all.filter("price IN {1, 2.5}")) == [0, 1, 2])
        #expect(ids(all.filter("price BETWEEN {0, 1}")) == [0, 1, 8, 9])
        #expect(ids(all.filter("price == '2.5'")) == [2])
        #expect(ids(all.filter("price > number")).contains(4))
        #expect(ids(all.filter("number < price")) == ids(all.filter("price > number")))
        #expect(throws: Realm.Error.self) { try all.tryFilter("price == 'x'") }
        #expect(throws: Realm.Error.self) { try all.tryFilter("price CONTAINS '1'") }
    }

    @Test("equal decimals, and equal values of any type, are one for distinct, groups and IN")
    func distinct() throws {
        let realm = try priced()
        let all = realm.objects(Priced.self)
        #expect(ids(all.distinct(by: ["price"])) == [0, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(ids(all.sorted(byKeyPath: "price").limit(3)) == [5, 7, 3])
        let many = (1...20).map { Decimal128($0) }
        #expect(ids(all.filter("price IN %@", many)) == [0, 1])
        #expect(ids(all.filter("number IN %@", Array(1...20))) == [4, 5, 6, 7, 8, 9])
        let groups = all.grouped(by: \.price, .count)
        #expect(groups.count == 9)
        #expect(groups.first { $0.0 == 1 }?.1 == 2)
        try realm.write {
            let values: [AnyRealmValue] = [
                .int(1), .double(1), .decimal128("1.0"), .bool(true), .string("1"),
                .data(Data("1".utf8)), .none, .float(0.1), .double(0.1), .double(.nan),
            ]
            for (object, value) in zip(all, values) { object.any = value }
        }
        #expect(ids(all.distinct(by: ["any"])) == [0, 3, 4, 5, 6, 7, 8, 9])
        #expect(ids(all.filter("any IN %@", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])) == [0, 1, 2])
    }

    @Test("queries agree with the evaluator of single objects")
    func evaluator() throws {
        let realm = try priced()
        let all = realm.objects(Priced.self)
        let texts = [
            "price == 1", "price > 0.05", "price < number", "maybe == nil", "maybe >= -3",
            "price IN {1, 2.5}", "price BETWEEN {0, 3}", "price != maybe", "any == nil",
        ]
        for text in texts {
            let predicate = NSPredicate(format: text)
            let expected = all.filter { predicate.evaluate(with: $0) }.map(\.id)
            #expect(ids(all.filter(text)) == Array(expected), "\(text)")
        }
    }

    @Test("decimals sort by value: nil, NaN, then all numbers; equals keep their order")
    func sorting() throws {
        let realm = try priced()
        let all = realm.objects(Priced.self)
        #expect(ids(all.sorted(by: \.price)) == [5, 7, 3, 8, 9, 0, 1, 2, 4, 6])
        #expect(ids(all.sorted(by: \.price, ascending: false)) == [6, 4, 2, 0, 1, 9, 8, 3, 7, 5])
        #expect(Array(ids(all.sorted(by: \.maybe)).prefix(5)) == [0, 3, 6, 9, 5])
        #expect(all.sorted(by: \.price).first?.id == 5)
        try realm.write { for object in all { object.next = all[9 - object.id] } }
        let reached = all.sorted(byKeyPath: "next.price").map { 9 - $0.id }
        #expect(reached.prefix(5) == [5, 7, 3, 8, 9])
        #expect(all.filter("next.price == 2.5").map(\.id) == [7])
        #expect(all.sorted(byKeyPath: "price", ascending: false).first?.id == 6)
    }

    @Test("sums of decimals are exact")
    func aggregates() throws {
        let realm = try world { realm in
            for id in 0..<10 {
                realm.create(
                    Priced.self,
                    value: ["id": id, "price": "0.1", "maybe": id < 4 ? "0.2" : NSNull()]
                        as [String: Any]
                )
            }
            realm.create(Priced.self, value: ["id": 10, "price": "-5.55", "prices": [1, 2.5]])
        }
        let all = realm.objects(Priced.self)
        #expect(all.sum(of: \.price) as Decimal128 == "-4.55")
        #expect(all.where { $0.id < 10 }.sum(of: \.price) as Decimal128 == 1)
        #expect(all.min(of: \.price) as Decimal128? == "-5.55")
        #expect(all.max(of: \.price) as Decimal128? == "0.1")
        #expect(all.average(of: \.maybe) as Decimal128? == "0.2")
        #expect(all.where { $0.id > 99 }.max(of: \.price) as Decimal128? == nil)
        #expect(all.where { $0.id > 99 }.sum(of: \.price) as Decimal128 == 0)
        #expect(ids(all.filter("prices.@sum == 3.5")) == [10])
        #expect(ids(all.filter("prices.@max > 2")) == [10])
        #expect(ids(all.filter("prices.@avg == 1.75")) == [10])
        #expect(ids(all.filter("ANY prices == 2.5")) == [10])
        #expect(ids(all.where { $0.prices.sum == 0 }).count == 10)
    }

    private static let anyCount = 15

    private static func anys() -> [AnyRealmValue] {
        [
            .none, .int(5), .double(5), .float(5.5), .decimal128("5"), .bool(true), .string("5"),
            .string("Fox"), .data(Data("Fox".utf8)), .date(Date(timeIntervalSinceReferenceDate: 5)),
            .objectId(ObjectId()), .uuid(ModelField.zeroUUID), .fromArray([.int(5)]), .int(-1),
            .double(.nan),
        ]
    }

    private func dynamic() throws -> Realm {
        try world { realm in
            for (id, any) in Self.anys().enumerated() {
                let object = Priced()
                object.id = id
                object.any = any
                object.anys.append(objectsIn: [any, .int(id)])
                realm.add(object)
            }
            let first = realm.objects(Priced.self)[0]
            realm.objects(Priced.self)[1].next = first
        }
    }

    @Test("values of any type: numbers compare with each other, other types differ")
    func mixed() throws {
        let realm = try dynamic()
        let all = realm.objects(Priced.self)
        #expect(ids(all.where { $0.any == .int(5) }) == [1, 2, 4])
        #expect(ids(all.where { $0.any == .double(5) }) == [1, 2, 4])
        #expect(ids(all.where { $0.any == .string("5") }) == [6])
        #expect(ids(all.where { $0.any == .none }) == [0])
        #expect(ids(all.where { $0.any != .none }).count == Self.anyCount - 1)
        #expect(ids(all.where { $0.any > .int(4) }) == [1, 2, 3, 4])
        #expect(ids(all.where { $0.any < .int(4) }) == [13])
        #expect(ids(all.where { $0.any == .bool(true) }) == [5])
        #expect(ids(all.where { $0.any.contains(.string("o")) }) == [7, 8])
        let folded = all.where { $0.any.starts(with: .string("f"), options: .caseInsensitive) }
        #expect(ids(folded) == [7, 8])
        #expect(ids(all.where { $0.any.in([.int(-1), .string("Fox"), .none]) }) == [0, 7, 13])
        #expect(ids(all.filter("any == 5")) == [1, 2, 4])
        #expect(ids(all.filter("any == nil")) == [0])
        #expect(ids(all.filter("any BETWEEN {5, 6}")) == [1, 2, 3, 4])
        #expect(ids(all.filter("any == %@", Date(timeIntervalSinceReferenceDate: 5))) == [9])
        #expect(ids(all.filter("any == %@", ModelField.zeroUUID)) == [11])
        #expect(ids(all.filter("any == %@", AnyRealmValue.objectId(ObjectId()))) == [10])
        #expect(ids(all.filter("ANY anys == 6")) == [6])
        #expect(ids(all.filter("ANY anys == 'Fox'")) == [7])
        #expect(ids(all.filter("next.any == nil AND next != nil")) == [1])
        #expect(ids(all.filter("any == any")).count == Self.anyCount - 1, "NaN is not itself")
        for text in ["any ==[c] any", "any CONTAINS any", "number ==[c] number"] {
            #expect(throws: Realm.Error.self) { try all.tryFilter(text) }
        }
        #expect(throws: Realm.Error.self) { try all.tryFilter("any CONTAINS 5") }
        #expect(throws: Realm.Error.self) { try all.tryFilter("any == number") }
    }

    @Test("queries of values of any type agree with the evaluator of single objects")
    func mixedEvaluator() throws {
        let realm = try dynamic()
        let all = realm.objects(Priced.self)
        let texts = [
            "any == 5", "any != 5", "any > 4", "any <= 5", "any == '5'", "any == nil", "any != nil",
            "any IN {5, 'Fox'}", "any == TRUE", "ANY anys == 5", "NONE anys > 3",
        ]
        for text in texts {
            let predicate = NSPredicate(format: text)
            let expected = all.filter { predicate.evaluate(with: $0) }.map(\.id)
            #expect(ids(all.filter(text)) == Array(expected), "\(text)")
        }
    }

    @Test("values of any type sort by type, then by value")
    func mixedSorting() throws {
        let realm = try dynamic()
        let all = realm.objects(Priced.self)
        let order = [0, 5, 14, 13, 1, 2, 4, 3, 6, 7, 8, 9, 10, 11, 12]
        #expect(ids(all.sorted(by: \.any)) == order)
        #expect(all.sorted(by: \.any, ascending: false).first?.id == 12)
        #expect(all.min(of: \.any) as AnyRealmValue? == .bool(true))
        #expect(all.where { $0.id < 6 }.sum(of: \.any) as AnyRealmValue == .decimal128("20.5"))
    }

    @Test("values of a user's type are compared as what is stored")
    func custom() throws {
        let realm = try world { realm in
            for (id, letter) in "cab".enumerated() {
                let object = Priced()
                object.id = id
                object.letter = ZooLetter(letter)
                object.meters = ZooMeters(value: id * 10)
                realm.add(object)
            }
        }
        let all = realm.objects(Priced.self)
        #expect(ids(all.where { $0.letter == ZooLetter("a") }) == [1])
        #expect(ids(all.where { $0.letter.in([ZooLetter("a"), ZooLetter("b")]) }) == [1, 2])
        #expect(ids(all.where { $0.meters.persistableValue >= 10 }) == [1, 2])
        #expect(ids(all.filter("meters == %@", ZooMeters(value: 20))) == [2])
        let ends = [ZooMeters(value: 20), ZooMeters(value: 0)]
        #expect(ids(all.filter("meters IN %@", ends)) == [0, 2])
        #expect(all.where { $0.meters == ZooMeters(value: 20) }.explain().contains("index"))
        #expect(ids(all.sorted(byKeyPath: "letter")) == [1, 2, 0])
    }
}
