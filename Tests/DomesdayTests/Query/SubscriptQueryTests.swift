import Foundation
import Testing

@testable import Domesday

private final class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var prices: Map<String, Int>
    @Persisted var notes: Map<String, String?>
    @Persisted var owners: Map<String, Crate?>
    @Persisted var numbers: List<Int>
    @Persisted var friends: List<Crate>
    @Persisted var tags: MutableSet<String>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

@Suite("Subscripts in queries")
struct SubscriptQueryTests {
    private let realm: Realm
    private let all: Results<Crate>

    init() throws {
        realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Crate.self]
            )
        )
        all = realm.objects(Crate.self)
        var random = SplitMix64(seed: Scale.seed)
        func number() -> Int { Int.random(in: 0..<5, using: &random) }
        func value(_ depth: Int) -> AnyRealmValue {
            switch Int.random(in: 0..<(depth > 2 ? 4 : 8), using: &random) {
            case 0: .none
            case 1: .string("s\(number())")
            case 2, 3: .int(number())
            case 4, 5: .fromArray((0..<number()).map { _ in value(depth + 1) })
            default:
                .fromDictionary(
                    Dictionary(
                        ["a", "b", "c"].prefix(number()).map { ($0, value(depth + 1)) }
                    ) { $1 }
                )
            }
        }
        try realm.write {
            for id in 0..<60 { realm.create(Crate.self, value: ["id": id]) }
            for crate in all {
                for key in ["a", "b", "it's"] where number() > 1 {
                    crate.prices[key] = number()
                    crate.notes.updateValue(number() == 0 ? nil : "n\(number())", forKey: key)
                    crate.owners.updateValue(number() == 0 ? nil : all[number()], forKey: key)
                    crate.map[key] = value(0)
                }
                for _ in 0..<number() {
                    crate.numbers.append(number())
                    crate.friends.append(all[number()])
                    crate.tags.insert("t\(number())")
                    crate.anys.append(value(0))
                }
                crate.any = value(0)
            }
        }
    }

    /// The ids that a text finds; the evaluator of objects must find the same.
    private func ids(_ text: String, _ arguments: Any...) -> [Int] {
        let found = all.filter(NSPredicate(format: text, argumentArray: arguments)).map { $0.id }
        let predicate = NSPredicate(format: text, argumentArray: arguments)
        let evaluated = all.filter { predicate.evaluate(with: $0) }.map(\.id)
        #expect(Array(found) == evaluated, "\(text), seed \(Scale.seed)")
        return Array(found)
    }

    private func expected(_ body: (Crate) -> Bool) -> [Int] { Array(all).filter(body).map(\.id) }

    @Test("an entry of a map is nil where there is none")
    func maps() {
        #expect(ids("prices['a'] == 2") == expected { $0.prices["a"] == 2 })
        #expect(ids("prices[%@] > %d", "it's", 2) == expected { $0.prices["it's"] ?? 0 > 2 })
        #expect(ids("prices['b'] == nil") == expected { $0.prices["b"] == nil })
        #expect(ids("prices['absent'] != nil").isEmpty)
        #expect(
            ids("notes['a'] BEGINSWITH 'n1'")
                == expected { $0.notes["a"]??.hasPrefix("n1") ?? false }
        )
        #expect(
            ids("prices['a'] < prices['b']")
                == expected {
                    if let a = $0.prices["a"], let b = $0.prices["b"] { a < b } else { false }
                }
        )
        #expect(
            ids("prices['a'] IN {1, 3}")
                == expected {
                    [1, 3].contains($0.prices["a"] ?? -1)
                }
        )
    }

    @Test("an entry of a map of objects is a link")
    func objects() {
        #expect(ids("owners['a'].id == 2") == expected { $0.owners["a"]??.id == 2 })
        #expect(ids("owners['a'] == nil") == expected { $0.owners["a"].flatMap { $0 } == nil })
        #expect(ids("owners['a'] == %@", all[1]) == expected { $0.owners["a"]??.id == 1 })
        #expect(
            ids("ANY owners['b'].friends.id == 3")
                == expected { $0.owners["b"]??.friends.contains { $0.id == 3 } ?? false }
        )
        #expect(
            ids("owners['b'].friends.@count > 2")
                == expected { ($0.owners["b"].flatMap { $0 }?.friends.count ?? 0) > 2 }
        )
        #expect(ids("friends[0].id == 1") == expected { $0.friends.first?.id == 1 })
        #expect(
            ids("friends[LAST].prices['a'] == 1")
                == expected {
                    $0.friends.last?.prices["a"] == 1
                }
        )
    }

    @Test("keys and values of maps, and positions in lists")
    func parts() {
        #expect(ids("ANY prices.@allKeys == 'a'") == expected { $0.prices.contains(key: "a") })
        #expect(ids("NONE owners.@allKeys == 'a'") == expected { !$0.owners.contains(key: "a") })
        #expect(
            ids("ANY notes.@allKeys CONTAINS[c] 'T'") == expected { $0.notes.contains(key: "it's") }
        )
        #expect(
            ids("ANY prices.@allValues > 3") == expected { $0.prices.values.contains { $0 > 3 } }
        )
        #expect(
            ids("ALL prices.@allValues > 1") == expected { $0.prices.values.allSatisfy { $0 > 1 } }
        )
        #expect(ids("prices[*] == 4") == expected { $0.prices.values.contains(4) })
        #expect(
            ids("ANY owners.@allValues.id == 0")
                == expected { $0.owners.values.contains { $0?.id == 0 } }
        )
        #expect(ids("numbers[0] == 1") == expected { $0.numbers.first == 1 })
        #expect(
            ids("numbers[FIRST] == numbers[LAST] && numbers[SIZE] > 1")
                == expected {
                    $0.numbers.count > 1 && $0.numbers.first == $0.numbers.last
                }
        )
        #expect(ids("numbers[2] == nil") == expected { $0.numbers.count < 3 })
    }

    @Test("steps into values of any type, to any depth")
    func anys() {
        #expect(ids("any['a'] == 1") == expected { $0.any.dictionaryValue?["a"] == .int(1) })
        #expect(ids("any[0] == 's1'") == expected { $0.any.listValue?.first == .string("s1") })
        #expect(
            ids("any['a'][0] >= 2")
                == expected {
                    $0.any.dictionaryValue?["a"]?.listValue?.first?.intValue ?? 0 >= 2
                }
        )
        #expect(
            ids("any[*] == 2")
                == expected {
                    $0.any.listValue?.contains(.int(2))
                        ?? $0.any.dictionaryValue?.values.contains(.int(2)) ?? false
                }
        )
        #expect(
            ids("ANY any.@allKeys == 'b'")
                == expected {
                    $0.any.dictionaryValue?.contains(key: "b") ?? false
                }
        )
        #expect(
            ids("any[SIZE] == 2")
                == expected {
                    ($0.any.listValue?.count ?? $0.any.dictionaryValue?.count) == 2
                }
        )
        #expect(
            ids("any[LAST][*] == nil && any[SIZE] > 0")
                == expected {
                    let inner = $0.any.listValue?.last
                    return inner?.listValue?.contains(.none)
                        ?? inner?.dictionaryValue?.values.contains(.none) ?? false
                }
        )
        #expect(
            ids("map['a']['b'] == nil")
                == expected {
                    $0.map["a"]?.dictionaryValue?["b"] ?? .none == .none
                }
        )
        #expect(
            ids("anys[0][1] == 3")
                == expected {
                    ($0.anys.first?.listValue).map { $0.count > 1 && $0[1] == .int(3) } ?? false
                }
        )
        #expect(
            ids("ANY anys[*]['a'] == 1")
                == expected {
                    $0.anys.contains { $0.dictionaryValue?["a"] == .int(1) }
                }
        )
        let nested = all[0]
        _ = nested.anys.filter("self['a'] == 1")
        #expect(
            nested.anys.filter("self['a'] == 1").count
                == nested.anys.filter { $0.dictionaryValue?["a"] == .int(1) }.count
        )
    }

    @Test("the same in Swift")
    func typed() {
        func found(_ body: (Query<Crate>) -> Query<Bool>) -> [Int] { all.where(body).map(\.id) }
        #expect(found { $0.prices["a"] == 2 } == ids("prices['a'] == 2"))
        #expect(found { $0.prices > 3 } == ids("ANY prices > 3"))
        #expect(found { $0.prices.values > 3 } == ids("ANY prices > 3"))
        #expect(found { $0.prices.keys == "a" } == ids("ANY prices.@allKeys == 'a'"))
        #expect(
            found { $0.prices.keys.starts(with: "it") }
                == ids("ANY prices.@allKeys BEGINSWITH 'it'")
        )
        #expect(found { $0.prices.contains(4) } == ids("ANY prices == 4"))
        #expect(found { $0.prices.containsAny(in: [1, 4]) } == ids("ANY prices IN {1, 4}"))
        #expect(
            found { $0.prices.count == 2 && $0.prices.sum > 4 }
                == ids("prices.@count == 2 && prices.@sum > 4")
        )
        #expect(found { $0.prices.contains(1...3) } == ids("prices.@min >= 1 && prices.@max <= 3"))
        #expect(
            found { $0.prices.min == 1 || $0.prices.avg > 3 }
                == ids("prices.@min == 1 || prices.@avg > 3")
        )
        #expect(found { $0.owners.id == 2 } == ids("ANY owners.id == 2"))
        #expect(found { $0.owners["a"].id == 2 } == ids("owners['a'].id == 2"))
        #expect(found { $0.friends.prices["a"] == 1 } == ids("ANY friends.prices['a'] == 1"))
        #expect(
            found { ($0.friends.prices["a"] == 1).count > 1 }
                == expected {
                    $0.friends.filter { $0.prices["a"] == 1 }.count > 1
                }
        )
        #expect(found { $0.any["a"][0] == .int(2) } == ids("any['a'][0] == 2"))
        #expect(found { $0.any.any == .int(2) } == ids("any[*] == 2"))
        #expect(found { $0.map["a"]["b"] > .int(1) } == ids("map['a']['b'] > 1"))
        #expect(found { $0.notes["a"].contains("1") } == ids("notes['a'] CONTAINS '1'"))
    }

    @Test("a typed condition as RealmSwift writes it")
    func text() {
        let query = Query<Crate>._constructForTesting()
        let (text, arguments) = (query.prices["a"] == 2 && query.any[0].any > .int(1))
            ._constructPredicate()
        #expect(text == "((prices[%@] == %@) && (ANY any[%@][#any] > %@))")
        #expect(arguments.count == 4 && arguments[0] as? String == "a")
        #expect(arguments[1] as? Int == 2 && arguments[2] as? Int == 0)
        #expect((query.prices.keys == "a")._constructPredicate().0 == "(ANY prices.@allKeys == %@)")
    }

    @Test(
        "what has no such part is refused",
        arguments: [
            ("id[0] == 1", "Subscripts are not supported on 'id'"),
            ("tags[0] == 't'", "'[...]' is not supported on 'tags'"),
            ("prices[0] == 1", "'[...]' is not supported on 'prices'"),
            ("numbers['a'] == 1", "'[...]' is not supported on 'numbers'"),
            ("ANY numbers.@allKeys == 'a'", "'@allKeys' is not supported on 'numbers'"),
            ("prices['a']['b'] == 1", "Subscripts are not supported on 'prices.[...]'"),
            ("friends['a'].id == 1", "'[...]' is not supported on 'friends'"),
            ("numbers[-1] == 1", "A subscript must be a text or a number that is not negative"),
        ]
    )
    func refusals(_ text: String, _ message: String) {
        let error = #expect(throws: Realm.Error.self) {
            _ = try all.tryFilter(text)
        }
        #expect(error?.message.contains(message) ?? false, "\(String(describing: error))")
    }

    @Test("results with subscripts follow changes, freeze, and are observed")
    func live() throws {
        let found = all.filter("prices['new'] == 1 || any['new'][0] == 1 || owners['new'].id == 3")
        #expect(found.isEmpty)
        let frozen = found.freeze()
        try realm.write {
            all[0].prices["new"] = 1
            all[1].any = .fromDictionary(["new": .fromArray([.int(1)])])
            all[2].owners["new"] = all[3]
        }
        #expect(found.map(\.id) == [0, 1, 2] && frozen.isEmpty)
        #expect(found.freeze().map(\.id) == [0, 1, 2])
        try realm.write {
            all[0].prices["new"] = 2
            all[1].any.dictionaryValue?["new"]?.listValue?[0] = .int(2)
            all[2].owners["new"] = all[4]
        }
        #expect(found.isEmpty)
    }
}
