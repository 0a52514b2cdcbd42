import Foundation
import Testing

@testable import Domesday

private final class RuleNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var plain: RuleNode?
    @Persisted(deleteRule: .cascade) var child: RuleNode?
    @Persisted(deleteRule: .cascade) var children: List<RuleNode>
    @Persisted(deleteRule: .cascade) var childSet: MutableSet<RuleNode>
    @Persisted(deleteRule: .cascade) var childMap: Map<String, RuleNode?>
    @Persisted(deleteRule: .deny) var guarded: RuleNode?
    @Persisted(deleteRule: .deny) var guardedMap: Map<String, RuleNode?>
    @Persisted(deleteRule: .nullify) var friends: List<RuleNode>
    @Persisted var owner: RuleNode?
    @Persisted var keeper: RuleNode?
    @Persisted var part: RulePart?
    @Persisted(originProperty: "owner", deleteRule: .cascade) var owned: LinkingObjects<RuleNode>
    @Persisted(originProperty: "keeper", deleteRule: .deny) var kept: LinkingObjects<RuleNode>
}

private final class RulePart: EmbeddedObject {
    @Persisted(deleteRule: .cascade) var node: RuleNode?
}

private final class RuleOwner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(deleteRule: .deny) var dogs: List<RuleDog>
}

private final class RuleDog: Object {
    @Persisted var name = ""
    @Persisted var kennel: RuleKennel?
}

private final class RuleKennel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(originProperty: "kennel", deleteRule: .deny) var dogs: LinkingObjects<RuleDog>
}

private final class BadRules: Object {
    @Persisted(deleteRule: .cascade) var number: Int
    @Persisted(deleteRule: .deny) var part: RulePart?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Delete rules")
struct DeleteRuleTests {
    private func open(_ types: [ObjectBase.Type]) throws -> Realm {
        try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
        )
    }

    private func nodes(_ count: Int) throws -> (Realm, Results<RuleNode>) {
        let realm = try open([RuleNode.self, RulePart.self])
        try realm.write {
            for id in 0..<count { realm.create(RuleNode.self, value: ["id": id]) }
        }
        return (realm, realm.objects(RuleNode.self))
    }

    @Test("cascade goes on over links, lists, sets, maps and embedded objects, in one delete")
    func cascade() throws {
        let (realm, all) = try nodes(12)
        let nodes = Array(all)
        try realm.write {
            nodes[0].child = nodes[1]
            nodes[1].children.append(objectsIn: [nodes[2], nodes[3], nodes[2]])
            nodes[2].childSet.insert(nodes[4])
            nodes[3].childMap["k"] = nodes[5]
            nodes[4].part = RulePart(value: ["node": nodes[6]])
            nodes[7].owner = nodes[6]
            nodes[8].plain = nodes[7]
            nodes[9].friends.append(objectsIn: [nodes[8], nodes[0]])
        }
        try realm.write { realm.delete(nodes[0]) }
        #expect(all.map(\.id) == [8, 9, 10, 11])
        #expect(nodes[8].plain == nil && nodes[9].friends.map(\.id) == [8])
        #expect(try realm.findings == [])
    }

    @Test("cycles end")
    func cycles() throws {
        let (realm, all) = try nodes(5)
        try realm.write {
            all[0].child = all[1]
            all[1].children.append(all[2])
            all[2].childSet.insert(all[0])
            all[3].child = all[3]
        }
        try realm.write { realm.delete(all[1]) }
        #expect(all.map(\.id) == [3, 4])
        try realm.write { realm.delete(all[0]) }
        #expect(all.map(\.id) == [4])
    }

    @Test("a long chain takes no deep stack")
    func chain() throws {
        let (realm, all) = try nodes(0)
        try realm.write {
            var last: RuleNode?
            for id in 0..<20_000 {
                let node = realm.create(RuleNode.self, value: ["id": id])
                node.child = last
                last = node
            }
            if let last { realm.delete(last) }
        }
        #expect(all.isEmpty)
        #expect(try realm.findings == [])
    }

    @Test("deny names the object, the property and what is at the other end; nothing is deleted")
    func deny() throws {
        let realm = try open([RuleOwner.self, RuleDog.self, RuleKennel.self])
        try realm.write {
            let owner = realm.create(RuleOwner.self, value: ["name": "Ann"])
            let dog = RuleDog(value: ["name": "Rex"])
            owner.dogs.append(dog)
            dog.kennel = realm.create(RuleKennel.self, value: ["id": 5])
        }
        let owners = realm.objects(RuleOwner.self)
        let kennels = realm.objects(RuleKennel.self)
        realm.beginWrite()
        let forward = #expect(throws: Realm.Error.self) { try realm.tryDelete(owners[0]) }
        #expect(
            forward.map { "\($0)" }
                == "Cannot delete the object of class 'RuleOwner' with the primary "
                + "key 'Ann': 'RuleOwner.dogs', whose delete rule is 'deny', still leads to 1 object "
                + "of class 'RuleDog': key 1."
        )
        let backward = #expect(throws: Realm.Error.self) { try realm.tryDelete(kennels) }
        #expect(
            backward.map { "\($0)" } == "Cannot delete the object of class 'RuleKennel' with the "
                + "primary key 5: 1 object of class 'RuleDog' still link to it through "
                + "'RuleDog.kennel', which denies that: key 1."
        )
        #expect(owners.count == 1 && kennels.count == 1 && realm.isInWriteTransaction)
        // What it leads to goes first.
        realm.delete(owners[0].dogs)
        realm.delete(owners)
        realm.delete(kennels)
        try realm.commitWrite()
        #expect(realm.isEmpty)
    }

    @Test("delete traps where tryDelete throws")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            let (realm, all) = try DeleteRuleTests().nodes(2)
            try realm.write {
                all[0].guarded = all[1]
                realm.delete(all[0])
            }
        }
    }

    @Test("what is deleted with it denies nothing; deleteAll asks nobody")
    func together() throws {
        let (realm, all) = try nodes(4)
        try realm.write {
            all[0].guarded = all[1]
            all[1].child = all[0]
            all[2].keeper = all[3]
        }
        try realm.write { try realm.tryDelete(all.filter("id < 2")) }
        #expect(all.map(\.id) == [2, 3])
        try realm.write { realm.deleteAll() }
        #expect(all.isEmpty)
    }

    @Test("objects of several classes that are deleted at once deny each other nothing")
    func classes() throws {
        let realm = try open([RuleOwner.self, RuleDog.self, RuleKennel.self])
        try realm.write {
            let owner = realm.create(RuleOwner.self, value: ["name": "Ann"])
            let dog = RuleDog()
            owner.dogs.append(dog)
            dog.kennel = realm.create(RuleKennel.self, value: ["id": 5])
            let kennel = try #require(dog.kennel)
            #expect(throws: Realm.Error.self) { try realm.tryDelete([owner, kennel] as [Object]) }
            #expect(realm.objects(RuleOwner.self).count == 1)
            try realm.tryDelete([owner, kennel, dog] as [Object])
        }
        #expect(realm.isEmpty)
    }

    @Test("taking an object out of a relation deletes nothing")
    func unlinking() throws {
        let (realm, all) = try nodes(3)
        try realm.write {
            all[0].child = all[1]
            all[0].children.append(all[2])
        }
        try realm.write {
            all[0].child = nil
            all[0].children.removeAll()
        }
        #expect(all.count == 3)
    }

    @Test("a cancelled delete leaves everything")
    func cancel() throws {
        let (realm, all) = try nodes(3)
        try realm.write { all[0].children.append(objectsIn: all) }
        realm.beginWrite()
        realm.delete(all[0])
        #expect(all.isEmpty)
        realm.cancelWrite()
        #expect(all.map(\.id) == [0, 1, 2] && all[0].children.count == 3)
    }

    @Test("rules are kept in the store, and change without a migration")
    func stored() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("store.domesday")
        let types: [ObjectBase.Type] = [RuleOwner.self, RuleDog.self, RuleKennel.self]
        try autoreleased {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: types))
            try realm.write {
                realm.create(RuleOwner.self, value: ["name": "Ann", "dogs": [["name": "Rex"]]])
            }
            #expect(realm.schema["RuleOwner"]?.properties.last?.deleteRule == .deny)
        }
        try autoreleased {
            let realm = try Realm(configuration: .stored(at: url))
            try realm.write {
                let owners = realm.dynamicObjects("RuleOwner")
                #expect(throws: Realm.Error.self) { try realm.tryDelete(owners) }
                let kennel = realm.dynamicCreate("RuleKennel", value: ["id": 1])
                realm.dynamicObjects("RuleDog").first?["kennel"] = kennel
                #expect(throws: Realm.Error.self) { try realm.tryDelete(kennel) }
            }
        }
        try autoreleased {
            let cascading = ObjectSchema(
                className: "RuleOwner",
                properties: [
                    Property("name", .string, isPrimaryKey: true),
                    .links("dogs", to: "RuleDog", deleteRule: .cascade),
                ]
            )
            let realm = try Realm(configuration: .stored(at: url, [cascading]))
            try realm.write { realm.delete(realm.dynamicObjects("RuleOwner")) }
            #expect(realm.dynamicObjects("RuleDog").isEmpty)
            #expect(try realm.findings == [])
        }
    }

    @Test("only relations to objects that are not embedded have one")
    func errors() {
        let error = #expect(throws: Realm.Error.self) {
            try open([BadRules.self, RulePart.self, RuleNode.self])
        }
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("Property 'BadRules.number' of type 'int' cannot have a delete rule"))
        #expect(
            text.contains("Property 'BadRules.part' of type 'object' cannot have a delete rule")
        )
    }
}

/// Random graphs and random deletes, against sets of numbers.
@Suite("Delete rules against a model")
struct DeleteRuleModelTests {
    private struct Model {
        var plain: Int?, child: Int?, guarded: Int?, owner: Int?, keeper: Int?, part: Int?
        var children: [Int] = [], friends: [Int] = []
        var childSet: Set<Int> = []
        var childMap: [String: Int?] = [:], guardedMap: [String: Int?] = [:]

        var cascades: [Int] {
            [child, part].compactMap { $0 } + children + childSet
                + childMap.values.compactMap { $0 }
        }
        var denials: [Int] { (guarded.map { [$0] } ?? []) + guardedMap.values.compactMap { $0 } }

        mutating func lose(_ gone: Set<Int>) {
            func kept(_ id: Int?) -> Int? { id.flatMap { gone.contains($0) ? nil : $0 } }
            (plain, child, guarded) = (kept(plain), kept(child), kept(guarded))
            (owner, keeper, part) = (kept(owner), kept(keeper), kept(part))
            children.removeAll(where: gone.contains)
            friends.removeAll(where: gone.contains)
            childSet.subtract(gone)
            childMap = childMap.mapValues(kept)
            guardedMap = guardedMap.mapValues(kept)
        }
    }

    /// What goes with some nodes; nil if a rule denies it.
    private static func closure(_ start: Set<Int>, _ model: [Int: Model]) -> Set<Int>? {
        var gone = start
        var grows = true
        while grows {
            let before = gone.count
            for id in gone { gone.formUnion(model[id]?.cascades ?? []) }
            for (id, node) in model where node.owner.map(gone.contains) ?? false { gone.insert(id) }
            grows = gone.count > before
        }
        for id in gone where !Set(model[id]?.denials ?? []).isSubset(of: gone) { return nil }
        for (id, node) in model where !gone.contains(id) {
            if node.keeper.map(gone.contains) ?? false { return nil }
        }
        return gone
    }

    private static func text(_ node: Model) -> String {
        let maps = [node.childMap, node.guardedMap].map { map in
            map.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.map { "\($0)" } ?? "nil")" }
        }
        return
            "\([node.plain, node.child, node.guarded, node.owner, node.keeper, node.part].map { $0.map { "\($0)" } ?? "nil" })"
            + "\(node.children)\(node.friends)\(node.childSet.sorted())\(maps)"
    }

    private static func model(_ node: RuleNode) -> Model {
        Model(
            plain: node.plain?.id,
            child: node.child?.id,
            guarded: node.guarded?.id,
            owner: node.owner?.id,
            keeper: node.keeper?.id,
            part: node.part?.node?.id,
            children: node.children.map(\.id),
            friends: node.friends.map(\.id),
            childSet: Set(node.childSet.map(\.id)),
            childMap: Dictionary(
                uniqueKeysWithValues: node.childMap.map { ($0.key, $0.value?.id) }
            ),
            guardedMap: Dictionary(
                uniqueKeysWithValues: node.guardedMap.map { ($0.key, $0.value?.id) }
            )
        )
    }

    @Test("any graph, any delete", arguments: 0..<4)
    func random(_ offset: UInt64) throws {
        let seed = Scale.seed &+ offset
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [RuleNode.self, RulePart.self]
            )
        )
        let all = realm.objects(RuleNode.self)
        var model: [Int: Model] = [:]
        var next = 0
        var refusals = 0
        var cascades = 0
        for round in 0..<40 * Scale.factor {
            realm.beginWrite()
            for _ in 0..<roll(5) {
                realm.create(RuleNode.self, value: ["id": next])
                model[next] = Model()
                next += 1
            }
            let ids = model.keys.sorted()
            for _ in 0..<roll(8) where !ids.isEmpty {
                let (from, to) = (ids[roll(ids.count)], ids[roll(ids.count)])
                guard let source = realm.object(ofType: RuleNode.self, forPrimaryKey: from),
                    let target = realm.object(ofType: RuleNode.self, forPrimaryKey: to)
                else { continue }
                let key = "k\(roll(3))"
                switch roll(11) {
                case 0:
                    source.plain = target
                    model[from]?.plain = to
                case 1:
                    source.child = target
                    model[from]?.child = to
                case 2:
                    source.guarded = target
                    model[from]?.guarded = to
                case 3:
                    source.owner = target
                    model[from]?.owner = to
                case 4:
                    source.keeper = target
                    model[from]?.keeper = to
                case 5:
                    source.part = RulePart(value: ["node": target])
                    model[from]?.part = to
                case 6:
                    source.children.append(target)
                    model[from]?.children.append(to)
                case 7:
                    source.friends.append(target)
                    model[from]?.friends.append(to)
                case 8:
                    source.childSet.insert(target)
                    model[from]?.childSet.insert(to)
                case 9:
                    source.childMap[key] = target
                    model[from]?.childMap[key] = .some(to)
                default:
                    source.guardedMap[key] = target
                    model[from]?.guardedMap[key] = .some(to)
                }
            }
            // Rules would hold everything for good: some links are cut again.
            for id in ids where roll(6) == 0 {
                guard let node = realm.object(ofType: RuleNode.self, forPrimaryKey: id) else {
                    continue
                }
                node.guarded = nil
                model[id]?.guarded = nil
                node.keeper = nil
                model[id]?.keeper = nil
                node.guardedMap.removeAll()
                model[id]?.guardedMap = [:]
            }
            let chosen = Set(
                (0..<roll(4)).compactMap { _ in ids.isEmpty ? nil : ids[roll(ids.count)] }
            )
            let objects = chosen.sorted().compactMap {
                realm.object(ofType: RuleNode.self, forPrimaryKey: $0)
            }
            if let gone = Self.closure(chosen, model) {
                try realm.tryDelete(objects)
                cascades += gone.count - chosen.count
                for id in gone { model[id] = nil }
                for id in model.keys { model[id]?.lose(gone) }
            } else {
                refusals += 1
                #expect(throws: Realm.Error.self) { try realm.tryDelete(objects) }
            }
            let expected = model.keys.sorted().map { "\($0) \(Self.text(model[$0] ?? Model()))" }
            let found = all.sorted(by: \.id).map { "\($0.id) \(Self.text(Self.model($0)))" }
            #expect(Array(found) == expected, "round \(round)")
            try realm.commitWrite()
            if round % 8 == 0 { #expect(try realm.findings == [], "round \(round)") }
        }
        #expect(try realm.findings == [])
        #expect(refusals > 0 && cascades > 0)
    }
}
