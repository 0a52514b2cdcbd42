import Foundation
import Testing

@testable import Domesday

private final class Bag: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
}

private final class Item: Object {
    @Persisted var name = ""
}

private let classes: [ObjectBase.Type] = [Bag.self, Item.self]

/// A value as plain data; objects by key.
private indirect enum Tree: Equatable {
    case leaf(Int?)
    case item(ObjectKey)
    case list([Tree])
    case dictionary([String: Tree])

    init(_ value: AnyRealmValue) {
        switch value {
        case .list(let list): self = .list(list.map { Tree($0) })
        case .dictionary(let map):
            self = .dictionary(
                Dictionary(uniqueKeysWithValues: map.map { ($0.key, Tree($0.value)) })
            )
        case .object(let object): self = .item(object.objectBinding.key)
        default: self = .leaf(value.intValue)
        }
    }

    /// What is left when an object is deleted.
    func without(_ key: ObjectKey) -> Tree {
        switch self {
        case .item(key): .leaf(nil)
        case .list(let elements): .list(elements.map { $0.without(key) })
        case .dictionary(let entries): .dictionary(entries.mapValues { $0.without(key) })
        default: self
        }
    }
}

@Suite("Dictionaries in values of any type")
struct DictionaryValueTests {
    private let file: ReopenedRealm

    init() throws { file = try ReopenedRealm(classes) }

    @Test("equality is by entries, whatever their order")
    func equality() {
        let value = AnyRealmValue.fromDictionary(["a": .int(1), "b": .none])
        #expect(value == .fromDictionary(["b": .none, "a": .int(1)]))
        #expect(value != .fromDictionary(["a": .int(1)]))
        #expect(value != .fromDictionary(["a": .int(1), "b": .int(0)]))
        #expect(value != .fromArray([.int(1), .none]) && value != .none)
        #expect(Set([value, .fromDictionary(["a": .int(1), "b": .none])]).count == 1)
        #expect(value.dictionaryValue?["a"] == .int(1) && value.listValue == nil)
        // Other bytes are another key, also where they spell the same text.
        let keys = AnyRealmValue.fromDictionary(["\u{e9}": .int(1)])
        #expect(keys != .fromDictionary(["e\u{301}": .int(1)]))
    }

    @Test("a dictionary is a live view in properties and collections, at any depth")
    func live() throws {
        try file.open { realm in
            let bag = Bag()
            bag.any = .fromDictionary(["list": .fromArray([.fromDictionary([:])]), "x": .int(1)])
            bag.anys.append(.fromDictionary(["k": .string("v")]))
            bag.map["inner"] = .fromDictionary(["deep": .fromDictionary(["deeper": .none])])
            try realm.write { realm.add(bag) }
            let outer = try #require(bag.any.dictionaryValue)
            let innermost = try #require(outer["list"]?.listValue?[0].dictionaryValue)
            let element = try #require(bag.anys[0].dictionaryValue)
            let deep = try #require(bag.map["inner"]?.dictionaryValue?["deep"]?.dictionaryValue)
            try realm.write {
                innermost["new"] = .fromArray([.int(7)])
                outer["a"] = .bool(true)
                outer["x"] = nil
                element.merge(["k": .int(2), "z": .int(3)].map { (key: $0, value: $1) }) { $1 }
                element.removeObject(for: "absent")
                deep["deeper"] = .fromDictionary(["bottom": .double(0.5)])
                deep["text"] = .string(String(repeating: "long", count: 5000))
            }
            #expect(outer.keys == ["a", "list"] && outer.count == 2)
            #expect(innermost["new"]?.listValue?[0] == .int(7))
            #expect(element.keys == ["k", "z"] && element["k"] == .int(2))
            #expect(bag.any.dictionaryValue == outer && outer != element)
            #expect(outer.realm == realm && !outer.isFrozen && !outer.isInvalidated)
        }
        try file.open { realm in
            let bag = try #require(realm.objects(Bag.self).first)
            let deep = bag.map["inner"]?.dictionaryValue?["deep"]?.dictionaryValue
            #expect(deep?["deeper"]?.dictionaryValue?["bottom"] == .double(0.5))
            #expect(deep?["text"]?.stringValue?.count == 20_000)
            #expect(bag.any.dictionaryValue?["a"] == .bool(true))
            try realm.write { bag.any.dictionaryValue?.removeAll() }
            #expect(bag.any == .fromDictionary([:]))
        }
    }

    @Test("objects in dictionaries are added with their owner, and none once they are deleted")
    func links() throws {
        try file.open { realm in
            let (item, other) = (Item(), Item())
            let bag = Bag()
            bag.any = .fromDictionary([
                "item": .object(item), "more": .fromArray([.object(other), .object(item)]),
            ])
            try realm.write { realm.add(bag) }
            #expect(item.realm != nil && realm.objects(Item.self).count == 2)
            let map = try #require(bag.any.dictionaryValue)
            try realm.write { map["third"] = .object(Item()) }
            #expect(realm.objects(Item.self).count == 3)
            try realm.write { realm.delete(item) }
            #expect(map["item"] == AnyRealmValue.none && map.contains(key: "item"))
            #expect(map["more"] == .fromArray([.object(other), .none]))
            try realm.write {
                map["third"] = nil
                realm.deleteAll()
            }
        }
    }

    @Test("random changes of live lists and dictionaries are those of plain ones")
    func randomHistories() throws {
        for history in 0..<(4 * Scale.factor) {
            let seed = Scale.seed &+ UInt64(history)
            var random = SplitMix64(seed: seed)
            let file = try ReopenedRealm(classes)
            var models: [Tree] = Array(repeating: .leaf(nil), count: 3)
            try file.open { realm in
                try realm.write {
                    for _ in 0..<6 { realm.add(Item()) }
                    let bag = Bag()
                    bag.anys.append(.none)
                    bag.map["root"] = AnyRealmValue.none
                    realm.add(bag)
                }
            }
            for session in 0..<4 {
                try file.open { realm in
                    let bag = try #require(realm.objects(Bag.self).first)
                    for step in 0..<12 {
                        try realm.write {
                            for _ in 0..<3 { change(bag, &models, &random) }
                            let items = realm.objects(Item.self)
                            if Int.random(in: 0..<9, using: &random) == 0,
                                let item = items.randomElement(using: &random)
                            {
                                models = models.map { $0.without(item.objectBinding.key) }
                                realm.delete(item)
                                realm.add(Item())
                            }
                        }
                        let found = [
                            Tree(bag.any), Tree(bag.anys[0]), Tree(bag.map["root"] ?? .none),
                        ]
                        #expect(found == models, "seed \(seed), session \(session), step \(step)")
                    }
                }
            }
        }
    }

    /// Changes one of the three roots, or a collection somewhere inside it.
    private func change(_ bag: Bag, _ models: inout [Tree], _ random: inout SplitMix64) {
        let root = Int.random(in: 0..<3, using: &random)
        let value =
            switch root {
            case 0: bag.any
            case 1: bag.anys[0]
            default: bag.map["root"] ?? .none
            }
        if changeInside(value, &models[root], bag, &random) { return }
        let (new, model) = self.value(bag, &random, depth: 0)
        switch root {
        case 0: bag.any = new
        case 1: bag.anys[0] = new
        default: bag.map["root"] = new
        }
        models[root] = model
    }

    /// - Returns: false if the value is no collection, or is to be replaced.
    private func changeInside(
        _ value: AnyRealmValue,
        _ model: inout Tree,
        _ bag: Bag,
        _ random: inout SplitMix64
    ) -> Bool {
        let goesDeeper = Int.random(in: 0..<3, using: &random) > 0
        switch (value, model) {
        case (.list(let list), .list(var elements)):
            if goesDeeper, let index = elements.indices.randomElement(using: &random),
                changeInside(list[index], &elements[index], bag, &random)
            {
                model = .list(elements)
                return true
            }
            let index = Int.random(in: 0...elements.count, using: &random)
            if index < elements.count, Bool.random(using: &random) {
                list.remove(at: index)
                elements.remove(at: index)
            } else {
                let (new, tree) = self.value(bag, &random, depth: 3)
                list.insert(new, at: index)
                elements.insert(tree, at: index)
            }
            model = .list(elements)
            return true
        case (.dictionary(let map), .dictionary(var entries)):
            if goesDeeper, let key = entries.keys.sorted().randomElement(using: &random),
                let inner = map[key], var tree = entries[key],
                changeInside(inner, &tree, bag, &random)
            {
                entries[key] = tree
                model = .dictionary(entries)
                return true
            }
            let key = ["", "a", "b", "é", "key with 'quotes'"].randomElement(using: &random) ?? ""
            if Int.random(in: 0..<3, using: &random) == 0 {
                map[key] = nil
                entries[key] = nil
            } else {
                let (new, tree) = self.value(bag, &random, depth: 3)
                map[key] = new
                entries[key] = tree
            }
            model = .dictionary(entries)
            return true
        default: return false
        }
    }

    private func value(
        _ bag: Bag,
        _ random: inout SplitMix64,
        depth: Int
    ) -> (AnyRealmValue, Tree) {
        switch Int.random(in: 0..<(depth > 5 ? 3 : 7), using: &random) {
        case 0: return (.none, .leaf(nil))
        case 1:
            let number = Int.random(in: 0..<100, using: &random)
            return (.int(number), .leaf(number))
        case 2:
            let items = bag.realm?.objects(Item.self)
            guard let item = items?.randomElement(using: &random) else {
                return (.none, .leaf(nil))
            }
            return (.object(item), .item(item.objectBinding.key))
        case 3, 4:
            let inner = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                value(bag, &random, depth: depth + 1)
            }
            return (.fromArray(inner.map(\.0)), .list(inner.map(\.1)))
        default:
            var values: [String: AnyRealmValue] = [:]
            var trees: [String: Tree] = [:]
            for key in ["a", "b", "c"] where Bool.random(using: &random) {
                let (value, tree) = value(bag, &random, depth: depth + 1)
                values[key] = value
                trees[key] = tree
            }
            return (.fromDictionary(values), .dictionary(trees))
        }
    }

    @Test("create takes dictionaries and JSON trees, copies take everything along")
    func creating() throws {
        try file.open { realm in
            let json =
                #"{"id": 1, "any": {"a": [1, {"b": null}], "c": {}}, "map": {"m": {"n": 2}}}"#
            let tree = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let bag = try realm.write { realm.create(Bag.self, value: tree) }
            #expect(bag.any.dictionaryValue?["a"]?.listValue?[0] == .int(1))
            #expect(bag.any.dictionaryValue?["c"] == .fromDictionary([:]))
            #expect(bag.map["m"] == .fromDictionary(["n": .int(2)]))
            try realm.write {
                bag.any.dictionaryValue?["item"] = .object(Item(value: ["name": "i"]))
                bag.setValue(["k": 1, "l": [2]] as [String: Any], forKey: "any")
                bag.map["item"] = .fromDictionary(["i": .object(Item(value: ["name": "i"]))])
            }
            #expect(bag.any == .fromDictionary(["k": .int(1), "l": .fromArray([.int(2)])]))
            let copy = bag.detached()
            #expect(copy.any == bag.any && copy.any.dictionaryValue?.realm == nil)
            let item = copy.map["item"]?.dictionaryValue?["i"]?.object(Item.self)
            #expect(item?.name == "i" && item?.realm == nil)
            #expect(bag.detached(depth: 0).map["item"] == .fromDictionary(["i": .none]))
            #expect("\(bag)".contains("[k]: 1"))
            let dynamic = try #require(realm.dynamicObjects("Bag").first)
            #expect(dynamic["any"] as? AnyRealmValue == bag.any)
            try realm.write { dynamic["any"] = ["d": 4] as [String: Any] }
            #expect(bag.any == .fromDictionary(["d": .int(4)]))
            // A dynamic object is one of its class.
            let same = try #require(realm.dynamicObjects("Item").last)
            try realm.write {
                bag.any = .object(same)
                bag.set.insert(.object(same))
            }
            #expect(bag.any.object(Item.self)?.name == "i")
            #expect(bag.set.contains(.object(same)) && bag.set.count == 1)
        }
    }

    @Test("a dictionary is frozen, thawed, handed over and observed where it lies")
    func confined() throws {
        let observatory = Observatory(objectTypes: classes)
        try observatory.write { realm in
            let bag = Bag()
            bag.any = .fromDictionary(["in": .fromDictionary(["x": .int(1)]), "l": .fromArray([])])
            realm.add(bag)
        }
        try observatory.observe { realm in
            let bag = try #require(realm.objects(Bag.self).first)
            let map = try #require(bag.any.dictionaryValue?["in"]?.dictionaryValue)
            let list = try #require(bag.any.dictionaryValue?["l"]?.listValue)
            let (frozen, frozenList) = (map.freeze(), list.freeze())
            var told: [String] = []
            let token = map.observe { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    told.append("\(deletions) \(insertions) \(modifications)")
                }
            }
            let listToken = list.observe { change in
                if case .update(_, _, let insertions, _) = change { told.append("\(insertions)") }
            }
            realm.refresh()
            try observatory.write { realm in
                let outer = realm.objects(Bag.self)[0].any.dictionaryValue
                outer?["in"]?.dictionaryValue?["y"] = .int(2)
                outer?["in"]?.dictionaryValue?["x"] = .int(3)
            }
            realm.refresh()
            #expect(told == ["[] [\"y\"] [\"x\"]"])
            try observatory.write { realm in
                let outer = realm.objects(Bag.self)[0].any.dictionaryValue
                outer?["l"]?.listValue?.append(.none)
                outer?["other"] = .int(1)
            }
            realm.refresh()
            #expect(told.dropFirst() == ["[0]"])
            #expect(frozen.count == 1 && frozen["x"] == .int(1) && frozenList.isEmpty)
            #expect(frozen.isFrozen && frozen.thaw()?.keys == ["x", "y"])
            #expect(frozenList.thaw()?.count == 1)
            #expect(map.filter("self > 2").map { $0 } == [.int(3)])
            #expect(map.values == [.int(3), .int(2)])
            let reference = ThreadSafeReference(to: map)
            #expect(realm.resolve(reference) == map)
            try observatory.write { $0.objects(Bag.self)[0].any = .int(1) }
            realm.refresh()
            #expect(told.contains("[\"x\", \"y\"] [] []") && frozen["x"] == .int(1))
            #expect(frozen.thaw() == nil && frozenList.thaw() == nil)
            token.invalidate()
            listToken.invalidate()
        }
    }

    // MARK: traps

    @Test("a dictionary that the value no longer holds, also where a list lies now")
    func staleDictionary() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try makeRealmState(classes)
            let bag = Bag()
            bag.any = .fromDictionary(["a": .int(1)])
            try realm.write { try realm.add(bag, update: .error) }
            let map = bag.any.dictionaryValue
            try realm.write { bag.any = .fromArray([.int(1)]) }
            _ = map?.count
        }
        expectStandardError(result, says: "Collection is no longer valid", "Property 'Bag.any'")
    }

    @Test("a set holds no dictionary")
    func inSet() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try makeRealmState(classes)
            let bag = Bag()
            try realm.write {
                try realm.add(bag, update: .error)
                bag.set.insert(.fromDictionary([:]))
            }
        }
        expectStandardError(result, says: "A set cannot contain a dictionary.", "Bag.set")
    }

    @Test("a change in a live collection keeps to the depth that is allowed")
    func depth() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let realm = try makeRealmState(classes)
            let bag = Bag()
            try realm.write {
                try realm.add(bag, update: .error)
                bag.any = .fromArray([])
                var list = bag.any.listValue
                for _ in 1..<100 {
                    list?.append(.fromArray([]))
                    list = list?[0].listValue
                }
                FileHandle.standardError.write(Data("a hundred are there\n".utf8))
                list?.append(.fromDictionary([:]))
            }
        }
        expectStandardError(
            result,
            says: "a hundred are there",
            "Max nesting level reached",
            "Bag.any"
        )
    }
}
