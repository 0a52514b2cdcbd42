import Foundation
import Testing

@testable import Domesday

private class Depot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var numbers: MutableSet<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var others: MutableSet<Depot>
    @Persisted var prices: Map<String, Int>
    @Persisted var owners: Map<String, Depot?>
}

/// A collection without keys: what it was told, against the elements then and now.
private final class SetWatch<Element: Hashable> {
    var token: NotificationToken?
    let elements: () -> [Element]
    var known: [Element]
    var calls: [(deletions: [Int], insertions: [Int], modifications: [Int])] = []
    var initialCalls = 0

    init<C: RealmCollection>(_ collection: C, _ identity: @escaping (C.Element) -> Element) {
        elements = { collection.map(identity) }
        known = collection.map(identity)
        token = collection.observe { [unowned self] change in
            switch change {
            case .initial: initialCalls += 1
            case .update(_, let deletions, let insertions, let modifications):
                calls.append((deletions, insertions, modifications))
            case .error: Issue.record("error")
            }
        }
    }

    /// - Parameter isModified: of an element that stayed.
    func check(_ context: String, _ isModified: (Element) -> Bool = { _ in false }) {
        let now = elements()
        defer {
            known = now
            calls = []
        }
        #expect(initialCalls == 1 && calls.count <= 1, "\(context)")
        let call = calls.first ?? ([], [], [])
        // Each element is there once, so sets of them say all.
        let (before, after) = (Set(known), Set(now))
        let gone = known.indices.filter { !after.contains(known[$0]) }
        let new = now.indices.filter { !before.contains(now[$0]) }
        let stayed = known.indices.filter { after.contains(known[$0]) && isModified(known[$0]) }
        #expect(call.deletions == gone, "\(context) \(known) \(now)")
        #expect(call.insertions == new, "\(context) \(known) \(now)")
        #expect(call.modifications == stayed, "\(context) \(known) \(now)")
        #expect(calls.isEmpty == (gone.isEmpty && new.isEmpty && stayed.isEmpty), "\(context)")
    }
}

/// A map: what it was told, against its entries then and now.
private final class MapWatch<Value: RealmCollectionValue> {
    var token: NotificationToken?
    let entries: () -> [String: Int?]
    var known: [String: Int?]
    var calls: [(deletions: [String], insertions: [String], modifications: [String])] = []
    var initialCalls = 0

    init(
        _ map: Map<String, Value>,
        keyPaths: [String]? = nil,
        _ identity: @escaping (Value) -> Int?
    ) {
        let entries: () -> [String: Int?] = {
            Dictionary(uniqueKeysWithValues: map.map { ($0.key, identity($0.value)) })
        }
        self.entries = entries
        known = entries()
        token = map.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: initialCalls += 1
            case .update(_, let deletions, let insertions, let modifications):
                calls.append((deletions, insertions, modifications))
            case .error: Issue.record("error")
            }
        }
    }

    /// - Parameter isModified: of a value that stayed.
    func check(_ context: String, _ isModified: (Int) -> Bool = { _ in false }) {
        let now = entries()
        defer {
            known = now
            calls = []
        }
        #expect(initialCalls == 1 && calls.count <= 1, "\(context)")
        let call = calls.first ?? ([], [], [])
        let gone = known.keys.filter { now[$0] == nil }.sorted()
        let new = now.keys.filter { known[$0] == nil }.sorted()
        let changed = now.keys.filter { key in
            guard let before = known[key], let after = now[key] else { return false }
            return before != after || after.map { isModified($0) } ?? false
        }.sorted()
        #expect(call.deletions == gone, "\(context) \(known) \(now)")
        #expect(call.insertions == new, "\(context) \(known) \(now)")
        #expect(call.modifications == changed, "\(context) \(known) \(now)")
        #expect(calls.isEmpty == (gone.isEmpty && new.isEmpty && changed.isEmpty), "\(context)")
    }
}

@Suite("Observing sets and maps")
struct SetAndMapNotificationTests {
    /// One random change of the first depot's collections, or of what they hold.
    private func change(_ realm: Realm, _ random: inout SplitMix64) {
        let all = realm.objects(Depot.self)
        guard let depot = realm.object(ofType: Depot.self, forPrimaryKey: 0) else { return }
        let number = Int.random(in: 0..<9, using: &random)
        let key = "k\(Int.random(in: 0..<6, using: &random))"
        // Not the depot itself: the others link to nothing, so only their ranks modify them.
        let other = all[Int.random(in: 1..<all.count, using: &random)]
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: depot.numbers.insert(number)
        case 2: depot.numbers.remove(number)
        case 3: depot.texts.insert(key)
        case 4: depot.texts.remove(key)
        case 5, 6: depot.others.insert(other)
        case 7: depot.others.remove(other)
        case 8: depot.prices[key] = number
        case 9: depot.prices[key] = nil
        case 10: depot.owners.updateValue(number == 0 ? nil : other, forKey: key)
        case 11: depot.owners.removeObject(for: key)
        case 12: if other.id > 3 { realm.delete(other) }
        default: other.rank += 1
        }
    }

    private func ranks(_ realm: Realm) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: realm.objects(Depot.self).map { ($0.id, $0.rank) })
    }

    @Test("what is told is the difference of what was there and what is there")
    func histories() throws {
        for history in 0..<(12 * Scale.factor) {
            let seed = Scale.seed &+ UInt64(history)
            var random = SplitMix64(seed: seed)
            let observatory = Observatory(objectTypes: [Depot.self])
            try observatory.write { realm in
                for id in 0..<10 { realm.add(Depot(value: ["id": id])) }
            }
            try observatory.observe { realm in
                let depot = try #require(realm.object(ofType: Depot.self, forPrimaryKey: 0))
                let numbers = SetWatch(depot.numbers) { $0 }
                let texts = SetWatch(depot.texts) { $0 }
                let others = SetWatch(depot.others) { $0.id }
                let large = SetWatch(depot.numbers.filter("self > 3").sorted(ascending: false)) {
                    $0
                }
                let values = SetWatch(depot.prices.sorted().distinct()) { $0 }
                let prices = MapWatch(depot.prices) { $0 }
                let owners = MapWatch(depot.owners) { $0?.id }
                let shallow = MapWatch(depot.owners, keyPaths: []) { $0?.id }
                realm.refresh()
                for step in 0..<60 {
                    let before = ranks(realm)
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        try observatory.write { change($0, &random) }
                    }
                    realm.refresh()
                    let after = ranks(realm)
                    let context = "seed \(seed), step \(step)"
                    numbers.check(context)
                    texts.check(context)
                    large.check(context)
                    values.check(context)
                    prices.check(context)
                    shallow.check(context)
                    let isModified: (Int) -> Bool = { before[$0] != after[$0] }
                    others.check(context, isModified)
                    owners.check(context, isModified)
                }
            }
        }
    }

    @Test("a set and a map tell once that their object is gone")
    func deletedOwner() throws {
        let observatory = Observatory(objectTypes: [Depot.self])
        try observatory.write { realm in
            let depot = Depot(value: ["id": 0])
            depot.numbers.insert(objectsIn: [1, 2])
            depot.prices["a"] = 1
            realm.add(depot)
        }
        try observatory.observe { realm in
            let depot = try #require(realm.object(ofType: Depot.self, forPrimaryKey: 0))
            var told: [String] = []
            let tokens = [
                depot.numbers.observe {
                    if case .update(_, let deletions, _, _) = $0 { told.append("set \(deletions)") }
                },
                depot.numbers.sorted().observe {
                    if case .update(_, let deletions, _, _) = $0 {
                        told.append("values \(deletions)")
                    }
                },
                depot.prices.observe {
                    if case .update(_, let deletions, _, _) = $0 { told.append("map \(deletions)") }
                },
            ]
            realm.refresh()
            try observatory.write { $0.delete($0.objects(Depot.self)) }
            realm.refresh()
            #expect(told == ["set [0, 1]", "values [0, 1]", "map [\"a\"]"])
            try observatory.write { $0.add(Depot(value: ["id": 1])) }
            realm.refresh()
            #expect(told.count == 3)
            tokens.forEach { $0.invalidate() }
        }
    }

    @Test("a map tells a queue, of that queue's own Realm, and by named key paths")
    func onAnotherQueue() throws {
        let observatory = Observatory(objectTypes: [Depot.self])
        try observatory.write { realm in
            for id in 0..<2 { realm.add(Depot(value: ["id": id])) }
            let all = realm.objects(Depot.self)
            all[0].owners["other"] = all[1]
        }
        let log = Counter<[String]>([])
        let queue = observatory.queue
        let realm = try Realm(configuration: observatory.configuration)
        let depot = try #require(realm.object(ofType: Depot.self, forPrimaryKey: 0))
        let prices = depot.prices.observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            log.value.append("prices \(text(change))")
        }
        let owners = depot.owners.observe(keyPaths: ["rank"], on: queue) { change in
            log.value.append("owners \(text(change))")
        }
        let typed = depot.owners.observe(keyPaths: [\Depot.numbers], on: queue) { change in
            log.value.append("typed \(text(change))")
        }
        #expect(observatory.wait { log.value.count == 3 })
        log.value = []
        try observatory.write { realm in
            realm.objects(Depot.self)[0].prices["a"] = 1
            realm.objects(Depot.self)[1].rank = 1
        }
        #expect(observatory.wait { log.value.count == 2 })
        #expect(log.value.sorted() == ["owners 1 [] [] [\"other\"]", "prices 1 [] [\"a\"] []"])
        try observatory.write { $0.objects(Depot.self)[1].numbers.insert(1) }
        #expect(observatory.wait { log.value.count == 3 })
        #expect(log.value.last == "typed 1 [] [] [\"other\"]")
        withExtendedLifetime((prices, owners, typed)) {}
    }

    @Test("a map tells an actor, and gives its changes as a sequence of frozen maps")
    @MainActor
    func asynchronously() async throws {
        let observatory = Observatory(objectTypes: [Depot.self])
        try observatory.write { $0.add(Depot(value: ["id": 0])) }
        let watcher = MapWatcher()
        try await watcher.watch(observatory.configuration)
        let realm = try await Realm(configuration: observatory.configuration)
        let depot = try #require(realm.objects(Depot.self).first)
        var log: [String] = []
        var maps: [Map<String, Int>] = []
        for await change in depot.prices.changes {
            log.append(text(change))
            if case .update(let map, _, _, _) = change { maps.append(map) }
            if log.count == 4 { break }
            let key = "k\(log.count % 2)"
            try observatory.write { realm in
                realm.objects(Depot.self)[0].prices[key] = log.count
            }
        }
        #expect(
            log == [
                "initial 0", "1 [] [\"k1\"] []", "2 [] [\"k0\"] []", "2 [] [] [\"k1\"]",
            ]
        )
        #expect(maps.map { $0["k1"] } == [1, 1, 3] && maps.allSatisfy(\.isFrozen))
        for _ in 0..<2000 {
            if await watcher.modified == ["k1"] { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(await watcher.modified == ["k1"])
        var iterator = depot.prices.changes.makeAsyncIterator()
        _ = await iterator.next(isolation: MainActor.shared)
        try observatory.write { $0.deleteAll() }
        #expect(await iterator.next(isolation: MainActor.shared) == nil)
        await watcher.stop()
    }
}

private func text<V>(_ change: RealmMapChange<Map<String, V>>) -> String {
    switch change {
    case .initial(let map): "initial \(map.count)"
    case .update(let map, let deletions, let insertions, let modifications):
        "\(map.count) \(deletions) \(insertions) \(modifications)"
    case .error: "error"
    }
}

private actor MapWatcher {
    /// All keys that were told as modified.
    var modified: [String] = []
    private var token: NotificationToken?

    func watch(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration, actor: self)
        token = await realm.objects(Depot.self)[0].prices.observe(on: self) { watcher, change in
            if case .update(_, _, _, let keys) = change { watcher.modified += keys }
        }
    }

    func stop() { token = nil }
}
