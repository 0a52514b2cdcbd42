import Foundation
import Testing

@testable import Domesday

/// A Realm and the plain state it should be in.
///
/// **Threads.** One at a time: `realm` is whichever Realm belongs to the current one.
final class ModelWorld {
    var state = WorldState()
    var random: SplitMix64
    /// Another one than `ownRealm` for the length of a transaction or a comparison elsewhere.
    var realm: Realm
    let ownRealm: Realm
    /// Accessors of `ownRealm` that stay, and what they were made for.
    var held: [HeldNode] = []
    /// Frozen versions, and what they are to hold.
    var frozen: [(Realm, WorldState)] = []
    private(set) var stepCount = 0
    var generation = 0

    init(seed: UInt64, realm: Realm) {
        random = SplitMix64(seed: seed)
        self.realm = realm
        ownRealm = realm
    }

    func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    func nextGeneration() -> Int {
        generation += 1
        return generation
    }

    // MARK: choosing

    var anyID: Int? { state.nodes.keys.sorted().randomElement(using: &random) }
    var anyLeaf: String? { state.leaves.keys.sorted().randomElement(using: &random) }

    func newID() -> Int {
        while true {
            let id = roll(10) == 0 ? Int.random(&random) : roll(500) - 100
            if state.nodes[id] == nil { return id }
        }
    }

    func newLeafName() -> String {
        while true {
            let name =
                roll(20) == 0 ? String(repeating: "🦊", count: roll(3000)) : "leaf \(roll(200))"
            if state.leaves[name] == nil { return name }
        }
    }

    func node(_ id: Int) -> ModelNode {
        guard let node = realm.object(ofType: ModelNode.self, forPrimaryKey: id) else {
            fatalError("node \(id) is not in the Realm")
        }
        return node
    }

    func leaf(_ name: String) -> ModelLeaf {
        guard let leaf = realm.object(ofType: ModelLeaf.self, forPrimaryKey: name) else {
            fatalError("leaf '\(name)' is not in the Realm")
        }
        return leaf
    }

    // MARK: making

    /// A node like any; its links lead to what there is, or to itself.
    func randomNode(_ id: Int) -> NodeState {
        var node = NodeState(generation: nextGeneration())
        for index in node.values.indices where roll(2) == 0 {
            node.values[index] = ModelField.all[index].random(&random)
        }
        node.link = roll(5) == 0 ? id : roll(2) == 0 ? anyID : nil
        node.leaf = roll(2) == 0 ? anyLeaf : nil
        node.children = (0..<roll(4)).compactMap { _ in roll(8) == 0 ? id : anyID }
        node.leaves = (0..<roll(4)).compactMap { _ in anyLeaf }
        node.numbers = (0..<roll(4)).map { _ in Int.random(&random) }
        node.texts = (0..<roll(4)).map { _ in String?.random(&random) }
        node.part = roll(2) == 0 ? randomPart() : nil
        node.parts = (0..<roll(3)).map { _ in randomPart() }
        node.textSet = Set((0..<roll(4)).map { _ in Array(String.random(&random).utf8) })
        node.friends = Set((0..<roll(4)).compactMap { _ in roll(8) == 0 ? id : anyID })
        for key in Self.mapKeys where roll(3) == 0 {
            node.counts.updateValue(Int?.random(&random), forKey: key)
            node.named.updateValue(roll(4) == 0 ? nil : anyID, forKey: key)
            if roll(2) == 0 { node.partMap.updateValue(randomPart(), forKey: key) }
        }
        return node
    }

    static let mapKeys = ["", "a", "b.c", "$d", "\u{e9}"]

    var anyKey: String { Self.mapKeys[roll(Self.mapKeys.count)] }

    func randomPart() -> PartState {
        PartState(
            number: Int.random(&random),
            text: String.random(&random),
            inner: roll(2) == 0 ? roll(100) : nil,
            target: roll(2) == 0 ? anyID : nil
        )
    }

    func unmanaged(_ part: PartState) -> ModelPart {
        let object = ModelPart()
        object.number = part.number
        object.text = part.text
        object.inner = part.inner.map { ModelInner(value: ["value": $0]) }
        object.target = part.target.map { node($0) }
        return object
    }

    func unmanaged(_ id: Int, _ state: NodeState) -> ModelNode {
        let object = ModelNode()
        object.id = id
        for (field, value) in zip(ModelField.all, state.values) { field.set(object, value) }
        func linked(_ other: Int) -> ModelNode {
            other == id && self.state.nodes[id] == nil ? object : node(other)
        }
        object.link = state.link.map(linked)
        object.leaf = state.leaf.map { leaf($0) }
        object.children.append(objectsIn: state.children.map(linked))
        object.leaves.append(objectsIn: state.leaves.map { leaf($0) })
        object.numbers.append(objectsIn: state.numbers)
        object.texts.append(objectsIn: state.texts)
        object.part = state.part.map { unmanaged($0) }
        object.parts.append(objectsIn: state.parts.map { unmanaged($0) })
        for text in state.textSet.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            object.textSet.insert(String(decoding: text, as: UTF8.self))
        }
        object.friends.insert(objectsIn: state.friends.sorted().map(linked))
        for (key, value) in state.counts { object.counts.updateValue(value, forKey: key) }
        for (key, value) in state.named {
            object.named.updateValue(value.map(linked), forKey: key)
        }
        for (key, value) in state.partMap {
            object.partMap.updateValue(value.map { unmanaged($0) }, forKey: key)
        }
        return object
    }

    // MARK: comparing

    static func read(_ part: ModelPart) -> PartState {
        PartState(
            number: part.number,
            text: part.text,
            inner: part.inner?.value,
            target: part.target?.id
        )
    }

    static func read(_ node: ModelNode) -> NodeState {
        NodeState(
            values: ModelField.all.map { $0.get(node) },
            link: node.link?.id,
            leaf: node.leaf?.name,
            children: node.children.map(\.id),
            leaves: node.leaves.map(\.name),
            numbers: Array(node.numbers),
            texts: Array(node.texts),
            part: node.part.map(read),
            parts: node.parts.map(read),
            textSet: Set(node.textSet.map { Array($0.utf8) }),
            friends: Set(node.friends.map(\.id)),
            counts: Dictionary(uniqueKeysWithValues: node.counts.map { ($0.key, $0.value) }),
            anys: Dictionary(uniqueKeysWithValues: node.anys.map { ($0.key, $0.value.bits) }),
            named: Dictionary(uniqueKeysWithValues: node.named.map { ($0.key, $0.value?.id) }),
            partMap: Dictionary(
                uniqueKeysWithValues: node.partMap.map { ($0.key, $0.value.map(read)) }
            )
        )
    }

    /// Compares everything that can be seen through `realm` with a state.
    func verify(_ state: WorldState, _ note: String) {
        func fail(_ text: String) {
            Issue.record("\(note), step \(stepCount), seed \(Scale.seed): \(text)")
        }
        let nodes = realm.objects(ModelNode.self)
        if nodes.count != state.nodes.count {
            fail("\(nodes.count) nodes, not \(state.nodes.count)")
        }
        var seen: Set<Int> = []
        for (index, object) in nodes.enumerated() {
            let id = object.id
            guard let expected = state.nodes[id], seen.insert(id).inserted else {
                fail("node \(id) should not be there")
                continue
            }
            if let difference = Self.read(object).difference(from: expected) {
                fail("node \(id) has \(difference)")
            }
            if roll(8) == 0, nodes[index] != object || node(id) != object {
                fail("node \(id) is another one by its index or its key")
            }
        }
        let leaves = realm.objects(ModelLeaf.self)
        if leaves.count != state.leaves.count {
            fail("\(leaves.count) leaves, not \(state.leaves.count)")
        }
        for leaf in leaves {
            let found = LeafState(weight: leaf.weight, holder: leaf.holder?.id)
            if found != state.leaves[leaf.name] {
                fail("leaf '\(leaf.name.prefix(20))' is \(found)")
            }
        }
        verifyBackLinks(state, fail)
        verifyParts(state, fail)
        let absent = (0..<1000).first { state.nodes[$0] == nil }
        if let absent, realm.object(ofType: ModelNode.self, forPrimaryKey: absent) != nil {
            fail("node \(absent) is found by its key")
        }
    }

    private func verifyBackLinks(_ state: WorldState, _ fail: (String) -> Void) {
        var linkedBy: [Int: [Int]] = [:]
        var parents: [Int: [Int]] = [:]
        var targets: [Int: Int] = [:]
        var friends: [Int: [Int]] = [:]
        var named: [Int: [Int]] = [:]
        var leafNodes: [String: Int] = [:]
        var leafLists: [String: Int] = [:]
        for (id, node) in state.nodes {
            if let link = node.link { linkedBy[link, default: []].append(id) }
            for child in node.children { parents[child, default: []].append(id) }
            for friend in node.friends { friends[friend, default: []].append(id) }
            for case let other? in node.named.values { named[other, default: []].append(id) }
            for target in node.allParts.compactMap(\.target) { targets[target, default: 0] += 1 }
            if let leaf = node.leaf { leafNodes[leaf, default: 0] += 1 }
            for leaf in node.leaves { leafLists[leaf, default: 0] += 1 }
        }
        for object in realm.objects(ModelNode.self) {
            let id = object.id
            if object.linkedBy.map(\.id).sorted() != (linkedBy[id] ?? []).sorted()
                || object.linkedBy.count != linkedBy[id]?.count ?? 0
            {
                fail("node \(id) is linked by \(object.linkedBy.map(\.id))")
            }
            if object.parents.map(\.id).sorted() != (parents[id] ?? []).sorted()
                || object.parents.count != parents[id]?.count ?? 0
            {
                fail("node \(id) has parents \(object.parents.map(\.id))")
            }
            if object.befriendedBy.map(\.id).sorted() != (friends[id] ?? []).sorted() {
                fail("node \(id) is befriended by \(object.befriendedBy.map(\.id))")
            }
            if object.namedBy.map(\.id).sorted() != (named[id] ?? []).sorted() {
                fail("node \(id) is named by \(object.namedBy.map(\.id))")
            }
            if object.targetedBy.count != targets[id] ?? 0 {
                fail("node \(id) is the target of \(object.targetedBy.count) parts")
            }
        }
        for object in realm.objects(ModelLeaf.self)
        where object.nodes.count != leafNodes[object.name] ?? 0
            || object.lists.count != leafLists[object.name] ?? 0
        {
            fail("leaf '\(object.name.prefix(20))' has wrong back-links")
        }
    }

    /// Embedded objects exist as long as their owners have them, and no longer.
    private func verifyParts(_ state: WorldState, _ fail: (String) -> Void) {
        let parts = state.nodes.values.flatMap(\.allParts)
        let stored = realm.state.requireTable(of: ModelPart.self).reader.count
        if stored != parts.count { fail("\(stored) parts, not \(parts.count)") }
        let inner = realm.state.requireTable(of: ModelInner.self).reader.count
        if inner != parts.compactMap(\.inner).count { fail("\(inner) inner parts") }
    }

    /// Accessors, lists and back-links from before follow their objects, and end with them.
    func verifyHeld(_ note: String) {
        for held in held {
            let expected = state.nodes[held.id]
            let isThere = expected?.generation == held.generation
            func fail(_ text: String) {
                Issue.record(
                    "\(note), step \(stepCount), seed \(Scale.seed): held node \(held.id) \(text)"
                )
            }
            for isInvalidated in [
                held.node.isInvalidated, held.children.isInvalidated, held.parents.isInvalidated,
            ] where isInvalidated == isThere {
                fail("is invalid: \(isInvalidated)")
            }
            guard isThere, let expected else { continue }
            if let difference = Self.read(held.node).difference(from: expected) {
                fail("has \(difference)")
            }
            if held.children.map(\.id) != expected.children { fail("has another list") }
            let parents = state.nodes.flatMap { id, node in
                node.children.filter { $0 == held.id }.map { _ in id }
            }
            if held.parents.map(\.id).sorted() != parents.sorted() { fail("has other parents") }
        }
    }

    func countStep() { stepCount += 1 }
}

/// An accessor and the collections it gave, and the object they were made for.
struct HeldNode {
    let node: ModelNode
    let children: List<ModelNode>
    let parents: LinkingObjects<ModelNode>
    let id: Int
    let generation: Int

    init(_ node: ModelNode, _ id: Int, _ generation: Int) {
        self.node = node
        children = node.children
        parents = node.parents
        self.id = id
        self.generation = generation
    }
}
