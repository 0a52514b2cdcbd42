import Foundation
import Testing

@testable import Domesday

private class Valued: Object {
    @Persisted var ints: List<Int>
    @Persisted var optional: List<Int?>
    @Persisted var doubles: MutableSet<Double>
    @Persisted var texts: MutableSet<String>
    @Persisted var dates: List<Date>
    @Persisted var prices: Map<String, Double?>
    @Persisted var kinds: List<ModelKind>
    @Persisted var flags: List<Bool>
}

/// Conditions, order and figures of collections whose elements are values.
@Suite("Collections of values")
struct ValueCollectionTests {
    private let folder: TemporaryFolder
    private let realm: Realm
    private let object: Valued

    init() throws {
        folder = try TemporaryFolder()
        let realm = try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("values"),
                objectTypes: [Valued.self]
            )
        )
        let object = Valued()
        object.ints.append(objectsIn: [5, 3, 9, 3, 7])
        object.optional.append(objectsIn: [4, nil, 2, nil, 4])
        object.doubles.insert(objectsIn: [2.5, -1, 8])
        object.texts.insert(objectsIn: ["pear", "apple", "Plum"])
        object.dates.append(objectsIn: [2, 1].map { Date(timeIntervalSinceReferenceDate: $0) })
        object.prices["a"] = 2
        object.prices["b"] = .some(nil)
        object.prices["c"] = 1.5
        object.kinds.append(objectsIn: [.red, .blue, .green, .red])
        object.flags.append(objectsIn: [true, false])
        try realm.write { realm.add(object) }
        self.realm = realm
        self.object = object
    }

    @Test("conditions are about the value itself")
    func filters() {
        #expect(Array(object.ints.filter("self > 3")) == [5, 9, 7])
        #expect(Array(object.ints.where { $0 <= 5 }) == [5, 3, 3])
        #expect(Array(object.ints.filter("SELF IN %@", [9, 3])) == [3, 9, 3])
        #expect(Array(object.ints.filter(NSPredicate(format: "self BETWEEN {4, 8}"))) == [5, 7])
        #expect(object.ints.where { $0 > 3 }.where { $0 < 9 }.count == 2)
        #expect(Array(object.optional.filter("self == nil")) == [nil, nil])
        #expect(Array(object.optional.where { $0 > 2 }) == [4, 4])
        #expect(
            Array(object.texts.where { $0.starts(with: "p", options: .caseInsensitive) }) == [
                "Plum", "pear",
            ]
        )
        #expect(Array(object.doubles.filter("self < 3")) == [-1, 2.5])
        #expect(Array(object.kinds.where { $0 == .red }) == [.red, .red])
        #expect(Array(object.flags.where { $0 == true }) == [true])
        #expect(Array(object.prices.filter("self > 1.7")) == [2])
        #expect(object.ints.index(matching: "self == 9") == 2)
        #expect(object.ints.index(of: 7) == 4 && object.texts.index(of: "pear") == 2)
    }

    @Test("order and distinct values")
    func order() {
        #expect(Array(object.ints.sorted(ascending: true)) == [3, 3, 5, 7, 9])
        #expect(Array(object.ints.sorted(ascending: false)) == [9, 7, 5, 3, 3])
        #expect(Array(object.ints.distinct()) == [5, 3, 9, 7])
        #expect(Array(object.ints.distinct().sorted(ascending: true)) == [3, 5, 7, 9])
        #expect(Array(object.optional.sorted(ascending: true)) == [nil, nil, 2, 4, 4])
        #expect(Array(object.optional.sorted(ascending: false)) == [4, 4, 2, nil, nil])
        #expect(Array(object.optional.distinct()) == [4, nil, 2])
        #expect(Array(object.ints.sorted(byKeyPath: "self")) == [3, 3, 5, 7, 9])
        #expect(Array(object.kinds.sorted(ascending: true)) == [.blue, .green, .red, .red])
        #expect(object.dates.sorted(ascending: true).first?.timeIntervalSinceReferenceDate == 1)
        #expect(Array(object.prices.sorted(ascending: true)) == [nil, 1.5, 2])
        #expect(Array(object.texts.sorted(ascending: false)) == ["pear", "apple", "Plum"])
    }

    @Test("figures, of collections that are managed or not")
    func figures() {
        func check(_ object: Valued) {
            #expect(object.ints.min() == 3 && object.ints.max() == 9 && object.ints.sum() == 27)
            let average: Double? = object.ints.average()
            #expect(average == 5.4)
            #expect(object.optional.min() == 2 && object.optional.sum() == 10)
            #expect(object.doubles.max() == 8 && object.doubles.sum() == 9.5)
            #expect(object.dates.min()?.timeIntervalSinceReferenceDate == 1)
            #expect(object.prices.sum() == 3.5 && object.prices.min() == 1.5)
            let price: Double? = object.prices.average()
            #expect(price == 1.75)
        }
        check(object)
        check(Valued(value: object))
        let empty = Valued()
        #expect(empty.ints.min() == nil && empty.ints.sum() == 0 && empty.prices.max() == nil)
        #expect(object.ints.where { $0 > 5 }.sum() == 16)
        #expect(object.ints.filter("self > 100").max() == nil)
    }

    @Test("results of values are live")
    func live() throws {
        let large = object.ints.where { $0 > 5 }
        let sorted = object.texts.sorted(ascending: true)
        #expect(large.count == 2 && !large.isEmpty && large.last == 7 && large[0] == 9)
        #expect(large.realm == realm && !large.isInvalidated)
        try realm.write {
            object.ints.append(100)
            object.texts.insert("zoo")
            #expect(Array(large) == [9, 7, 100] && sorted.last == "zoo")
        }
        realm.beginWrite()
        object.ints.removeAll()
        #expect(large.isEmpty && large.first == nil)
        realm.cancelWrite()
        #expect(large.count == 3 && large.description.hasPrefix("Results<int> ("))
    }

    @Test("conditions on objects ask their collections of values")
    func ownersOf() {
        let all = realm.objects(Valued.self)
        #expect(all.filter("ANY texts == 'pear'").count == 1)
        #expect(all.filter("ANY texts == 'Pear'").isEmpty)
        #expect(all.filter("doubles.@count == 3 AND ints.@max == 9").count == 1)
        #expect(all.where { $0.doubles.contains(2.5) && $0.texts.count == 3 }.count == 1)
        #expect(all.where { $0.doubles.sum > 9 && $0.doubles.min < 0 }.count == 1)
        #expect(all.filter("prices.@count == 3 AND ANY prices == 1.5").count == 1)
        #expect(all.filter("ANY prices == nil AND prices.@sum == 3.5").count == 1)
    }
}
