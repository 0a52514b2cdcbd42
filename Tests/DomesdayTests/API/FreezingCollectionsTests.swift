import Dispatch
import Foundation
import Testing

@testable import Domesday

private class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var texts: MutableSet<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var others: MutableSet<Shelf>
    @Persisted var prices: Map<String, Int>
    @Persisted var owners: Map<String, Shelf?>
    @Persisted var list: List<Int>
}

/// Frozen values on their way to other threads.
private struct Box<Value>: @unchecked Sendable {
    // @unchecked: frozen values may be used by several threads at once.
    let value: Value
}

private func opened(_ name: String, _ count: Int = 8) throws -> (Realm, Shelf) {
    let realm = try Realm(
        configuration: .init(inMemoryIdentifier: name, objectTypes: [Shelf.self])
    )
    try realm.write {
        for id in 0..<count { realm.add(Shelf(value: ["id": id, "rank": id % 3])) }
    }
    return (realm, try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 0)))
}

private func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    done.wait()
}

private func expect(_ result: ExitTest.Result?, says texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output.prefix(600))") }
}

/// What the collections of a shelf held, as plain values.
private struct Contents: Equatable {
    var texts: Set<String> = []
    var numbers: Set<Int> = []
    var others: Set<Int> = []
    var prices: [String: Int] = [:]
    var owners: [String: Int] = [:]
    var list: [Int] = []
}

/// The collections of a shelf, and queries of them, frozen each by itself.
private struct FrozenShelf {
    let texts: MutableSet<String>
    let numbers: MutableSet<Int>
    let others: MutableSet<Shelf>
    let prices: Map<String, Int>
    let owners: Map<String, Shelf?>
    let large: Results<Int>
    let descending: Results<Int>
    let distinct: Results<Int>
    let dear: Results<Int>
    let ranked: Results<Shelf>

    init(_ shelf: Shelf) {
        texts = shelf.texts.freeze()
        numbers = shelf.numbers.freeze()
        others = shelf.others.freeze()
        prices = shelf.prices.freeze()
        owners = shelf.owners.freeze()
        large = shelf.numbers.filter("self > 4").freeze()
        descending = shelf.numbers.sorted(ascending: false).freeze()
        distinct = shelf.list.distinct().freeze()
        dear = shelf.prices.filter("self > 4").freeze()
        ranked = shelf.others.filter("rank > 0").freeze()
    }

    func check(_ contents: Contents, _ ranks: [Int: Int], _ step: String) {
        #expect(texts.isFrozen && numbers.isFrozen && others.isFrozen, "\(step)")
        #expect(prices.isFrozen && owners.isFrozen && large.isFrozen && dear.isFrozen, "\(step)")
        #expect(
            texts.map { $0 } == contents.texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        )
        #expect(numbers.map { $0 } == contents.numbers.sorted(), "\(step)")
        #expect(Set(others.map(\.id)) == contents.others, "\(step)")
        #expect(others.allSatisfy { $0.isFrozen }, "\(step)")
        #expect(prices.keys == contents.prices.keys.sorted(), "\(step)")
        for (key, value) in contents.prices { #expect(prices[key] == value, "\(step) \(key)") }
        #expect(prices["none"] == nil && !numbers.contains(-1), "\(step)")
        #expect(owners.keys == contents.owners.keys.sorted(), "\(step)")
        for (key, id) in contents.owners {
            #expect(owners.contains(key: key), "\(step) \(key)")
            #expect((owners[key] ?? nil)?.id ?? -1 == id, "\(step) \(key)")
        }
        #expect(large.map { $0 } == contents.numbers.filter { $0 > 4 }.sorted(), "\(step)")
        #expect(descending.map { $0 } == contents.numbers.sorted(by: >), "\(step)")
        var seen: Set<Int> = []
        #expect(distinct.map { $0 } == contents.list.filter { seen.insert($0).inserted }, "\(step)")
        #expect(
            dear.map { $0 }
                == contents.prices.sorted { $0.key < $1.key }.map(\.value)
                .filter { $0 > 4 },
            "\(step)"
        )
        #expect(dear.sum() == contents.prices.values.filter { $0 > 4 }.reduce(0, +), "\(step)")
        #expect(
            ranked.map(\.id).sorted() == contents.others.filter { ranks[$0] ?? 0 > 0 }.sorted(),
            "\(step)"
        )
    }
}

@Suite("Freezing sets and maps")
struct FreezingCollectionsTests {
    @Test("every frozen version keeps its contents, on every thread, whatever comes after")
    func randomHistory() throws {
        let (realm, shelf) = try opened("randomHistory")
        var random = SplitMix64(seed: Scale.seed)
        var contents = Contents()
        var history: [(FrozenShelf, Contents)] = []
        let all = Array(realm.objects(Shelf.self))
        let ranks = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.rank) })
        for step in 0..<(60 * Scale.factor) {
            try realm.write {
                for _ in 0..<3 {
                    let number = Int.random(in: 0..<9, using: &random)
                    let key = "k\(Int.random(in: 0..<6, using: &random))"
                    let other = all[Int.random(in: 0..<all.count, using: &random)]
                    switch Int.random(in: 0..<9, using: &random) {
                    case 0:
                        shelf.texts.insert(key)
                        contents.texts.insert(key)
                    case 1:
                        shelf.texts.remove(key)
                        contents.texts.remove(key)
                    case 2:
                        shelf.numbers.insert(number)
                        contents.numbers.insert(number)
                    case 3:
                        shelf.numbers.remove(number)
                        contents.numbers.remove(number)
                    case 4:
                        shelf.others.insert(other)
                        contents.others.insert(other.id)
                    case 5:
                        shelf.others.remove(other)
                        contents.others.remove(other.id)
                    case 6:
                        shelf.prices[key] = number
                        contents.prices[key] = number
                        shelf.list.append(number)
                        contents.list.append(number)
                    case 7:
                        shelf.prices[key] = nil
                        contents.prices[key] = nil
                    default:
                        shelf.owners.updateValue(number == 0 ? nil : other, forKey: key)
                        contents.owners[key] = number == 0 ? -1 : other.id
                    }
                }
            }
            if step % 3 == 0 { history.append((FrozenShelf(shelf), contents)) }
        }
        let box = Box(value: history)
        let check: @Sendable () -> Void = {
            for (step, (frozen, contents)) in box.value.enumerated() {
                frozen.check(contents, ranks, "seed \(Scale.seed), version \(step)")
            }
        }
        check()
        onThread(check)
    }

    @Test("thawing gives the live collection, nil once its object is deleted")
    func thawing() throws {
        let (realm, shelf) = try opened("thawingCollections")
        try realm.write {
            shelf.numbers.insert(objectsIn: [1, 2])
            shelf.prices["a"] = 1
        }
        let set = Box(value: shelf.numbers.freeze())
        let map = Box(value: shelf.prices.freeze())
        let values = Box(value: shelf.numbers.filter("self > 1").freeze())
        #expect(set.value.thaw() == shelf.numbers && map.value.thaw() == shelf.prices)
        #expect(set.value.freeze() === set.value && map.value.freeze() === map.value)
        try realm.write {
            shelf.numbers.insert(3)
            shelf.prices["b"] = 2
        }
        onThread {
            #expect(set.value.count == 2 && set.value.thaw()?.count == 3)
            #expect(map.value.keys == ["a"] && map.value.thaw()?.keys == ["a", "b"])
            #expect(
                values.value.map { $0 } == [2] && values.value.thaw().map { Array($0) } == [2, 3]
            )
        }
        try realm.write { realm.delete(shelf) }
        #expect(set.value.thaw() == nil && map.value.thaw() == nil && values.value.thaw() == nil)
        #expect(set.value.count == 2 && map.value["a"] == 1 && values.value.sum() == 2)
    }

    @Test("sets, maps and results of values are handed to other threads")
    func handingOver() throws {
        let (realm, shelf) = try opened("handingOver")
        try realm.write {
            shelf.numbers.insert(objectsIn: [1, 5])
            shelf.owners.updateValue(shelf, forKey: "me")
        }
        let numbers = ThreadSafeReference(to: shelf.numbers)
        let owners = ThreadSafeReference(to: shelf.owners)
        let sorted = ThreadSafeReference(to: shelf.numbers.sorted(ascending: false))
        let configuration = realm.configuration
        onThread {
            guard let realm = try? Realm(configuration: configuration) else {
                Issue.record("not opened")
                return
            }
            #expect(realm.resolve(numbers).map { Array($0) } == [1, 5])
            #expect(realm.resolve(sorted).map { Array($0) } == [5, 1])
            let owners = realm.resolve(owners)
            #expect((owners?["me"] ?? nil)?.id == 0)
            try? realm.write { owners?.removeAll() }
        }
        realm.refresh()
        #expect(shelf.owners.isEmpty)
    }

    @Test("threads read one frozen set and map at once while a writer commits")
    func concurrentReaders() throws {
        let (realm, shelf) = try opened("concurrentReaders")
        try realm.write {
            shelf.texts.insert(objectsIn: (0..<300).map { "text \($0)" })
            for id in 0..<300 { shelf.prices["\(id)"] = id }
        }
        let texts = Box(value: shelf.texts.freeze())
        let prices = Box(value: shelf.prices.freeze())
        let dear = Box(value: shelf.prices.filter("self >= 150").freeze())
        let group = DispatchGroup()
        for seed in 1...4 {
            group.enter()
            Thread {
                defer { group.leave() }
                var random = SplitMix64(seed: UInt64(seed))
                for _ in 0..<(50 * Scale.factor) {
                    let id = Int.random(in: 0..<300, using: &random)
                    #expect(texts.value.contains("text \(id)") && texts.value.count == 300)
                    #expect(prices.value["\(id)"] == id && dear.value.count == 150)
                }
            }.start()
        }
        for _ in 0..<(20 * Scale.factor) {
            try realm.write {
                shelf.texts.removeAll()
                shelf.prices["x"] = (shelf.prices["x"] ?? 0) + 1
            }
        }
        group.wait()
    }

    @Test("changing a frozen set or map traps")
    func frozenTraps() async {
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (_, shelf) = try opened("frozenSet")
            shelf.numbers.freeze().insert(1)
        }
        expect(set, says: "Attempting to modify a frozen object", "Shelf.numbers")
        let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (_, shelf) = try opened("frozenMap")
            shelf.prices.freeze()["a"] = 1
        }
        expect(map, says: "Attempting to modify a frozen object", "Shelf.prices")
    }
}
