import Foundation
import Testing

@testable import Domesday

// What happens to the Realm and to the state alike. All inside a write.
extension ModelWorld {
    func step() {
        countStep()
        switch roll(36) {
        case 0..<4: addNode()
        case 4: addLeaf()
        case 5..<7: createNode()
        case 7: updateNode()
        case 8: replaceNode()
        case 9..<15: setField()
        case 15..<17: setLink()
        case 17..<20: changeChildren()
        case 20..<22: changeLeaves()
        case 22..<24: changeScalars()
        case 24..<27: changeParts()
        case 27, 28: delete()
        case 29..<32: changeSets()
        case 32..<35: changeMaps()
        default: if roll(60) == 0 { deleteAll() } else { deleteMany() }
        }
    }

    // MARK: adding

    private func addNode() {
        let id = newID()
        let node = randomNode(id)
        let object = unmanaged(id, node)
        realm.add(object)
        state.nodes[id] = node
        if roll(4) == 0, realm == ownRealm {
            held.append(HeldNode(object, id, node.generation))
        }
    }

    private func addLeaf() {
        let name = newLeafName()
        let leaf = LeafState(weight: Double?.random(&random).flatMap { $0.isNaN ? 0 : $0 })
        let object = ModelLeaf()
        object.name = name
        object.weight = leaf.weight
        realm.add(object)
        state.leaves[name] = leaf
    }

    /// A dictionary with new objects inside: a leaf, children, parts.
    private func createNode() {
        let id = newID()
        var node = NodeState(generation: nextGeneration())
        var contents: [String: Any] = ["id": id]
        for (index, field) in ModelField.all.enumerated() where roll(3) == 0 {
            node.values[index] = field.random(&random)
            contents[field.name] = node.values[index].value
        }
        if roll(2) == 0 {
            let name = newLeafName()
            contents["leaf"] = ["name": name, "weight": 2.5] as [String: Any]
            state.leaves[name] = LeafState(weight: 2.5)
            node.leaf = name
        }
        node.numbers = (0..<roll(4)).map { _ in Int.random(&random) }
        contents["numbers"] = node.numbers
        node.parts = (0..<roll(3)).map { _ in randomPart() }
        contents["parts"] = node.parts.map { dictionary($0) }
        if roll(2) == 0 {
            let part = randomPart()
            node.part = part
            contents["part"] = dictionary(part)
        }
        if roll(2) == 0 {
            node.textSet = [[97], Array(String.random(&random).utf8)]
            contents["textSet"] = node.textSet.map { String(decoding: $0, as: UTF8.self) }
            node.counts = ["a": nil, "b": 2]
            contents["counts"] = ["a": NSNull(), "b": 2] as [String: Any]
            let part = randomPart()
            node.partMap = ["p": part, "none": nil]
            contents["partMap"] = ["p": dictionary(part), "none": NSNull()] as [String: Any]
            if let other = anyID {
                node.friends = [other]
                contents["friends"] = [self.node(other)]
                node.named = ["n": other]
                contents["named"] = ["n": self.node(other)]
            }
        }
        var children: [Any] = []
        var made: [Int: NodeState] = [:]
        for _ in 0..<roll(3) {
            if roll(2) == 0, let other = anyID {
                children.append(self.node(other))
                node.children.append(other)
            } else {
                var child = NodeState(generation: nextGeneration())
                child.numbers = [4]
                let other = newID()
                if other == id || made[other] != nil { continue }
                children.append(["id": other, "numbers": [4]] as [String: Any])
                made[other] = child
                node.children.append(other)
            }
        }
        contents["children"] = children
        realm.create(ModelNode.self, value: contents, update: roll(2) == 0 ? .error : .modified)
        state.nodes.merge(made) { _, new in new }
        state.nodes[id] = node
    }

    private func dictionary(_ part: PartState) -> [String: Any] {
        [
            "number": part.number,
            "text": part.text,
            "inner": part.inner.map { ["value": $0] as Any } ?? NSNull(),
            "target": part.target.map { node($0) as Any } ?? NSNull(),
        ]
    }

    // MARK: updating by primary key

    /// Only what the dictionary says changes.
    private func updateNode() {
        guard let id = anyID, var node = state.nodes[id] else { return }
        var contents: [String: Any] = ["id": id]
        for (index, field) in ModelField.all.enumerated() where roll(6) == 0 {
            node.values[index] = field.random(&random)
            contents[field.name] = node.values[index].value
        }
        if roll(3) == 0 {
            node.link = anyID
            contents["link"] = node.link.map { self.node($0) }
        }
        if roll(3) == 0 {
            node.texts = [nil, "x", String.random(&random)]
            contents["texts"] = node.texts as [Any?]
        }
        if roll(3) == 0 {
            node.part = nil
            contents["part"] = NSNull()
        }
        realm.create(ModelNode.self, value: contents, update: roll(2) == 0 ? .all : .modified)
        state.nodes[id] = node
    }

    /// An unmanaged object with a known key overwrites everything.
    private func replaceNode() {
        guard let id = anyID, let old = state.nodes[id] else { return }
        var node = randomNode(id)
        node.generation = old.generation
        if roll(2) == 0 { node.values = old.values }
        let object = unmanaged(id, node)
        realm.add(object, update: roll(2) == 0 ? .all : .modified)
        state.nodes[id] = node
    }

    // MARK: changing

    private func setField() {
        guard let id = anyID, let index = ModelField.all.indices.randomElement(using: &random)
        else { return }
        let field = ModelField.all[index]
        let value = field.random(&random)
        switch roll(3) {
        case 0: node(id)[field.name] = value.value
        default: field.set(node(id), value)
        }
        state.nodes[id]?.values[index] = value
    }

    private func setLink() {
        guard let id = anyID else { return }
        let object = node(id)
        switch roll(5) {
        case 0:
            object.link = nil
            state.nodes[id]?.link = nil
        case 1, 2:
            guard let other = anyID else { return }
            object.link = node(other)
            state.nodes[id]?.link = other
        case 3:
            // An unmanaged object becomes managed by being linked.
            let leaf = ModelLeaf()
            leaf.name = newLeafName()
            leaf.holder = object
            object.leaf = leaf
            state.leaves[leaf.name] = LeafState(holder: id)
            state.nodes[id]?.leaf = leaf.name
        default:
            guard let name = anyLeaf else { return }
            leaf(name).holder = roll(3) == 0 ? nil : object
            state.leaves[name]?.holder = leaf(name).holder == nil ? nil : id
        }
    }

    private func changeChildren() {
        guard let id = anyID, var children = state.nodes[id]?.children else { return }
        edit(node(id).children, &children, { self.node($0) }) { self.anyID ?? id }
        state.nodes[id]?.children = children
    }

    private func changeLeaves() {
        guard let id = anyID, let name = anyLeaf, var leaves = state.nodes[id]?.leaves
        else { return }
        edit(node(id).leaves, &leaves, { self.leaf($0) }) { self.anyLeaf ?? name }
        state.nodes[id]?.leaves = leaves
    }

    private func changeScalars() {
        guard let id = anyID, var node = state.nodes[id] else { return }
        let object = self.node(id)
        if roll(2) == 0 {
            edit(object.numbers, &node.numbers, { $0 }) { Int.random(&self.random) }
        } else {
            edit(object.texts, &node.texts, { $0 }) { String?.random(&self.random) }
        }
        state.nodes[id] = node
    }

    private func changeParts() {
        guard let id = anyID, var node = state.nodes[id] else { return }
        let object = self.node(id)
        switch roll(6) {
        case 0:
            node.part = roll(3) == 0 ? nil : randomPart()
            object.part = node.part.map { unmanaged($0) }
        case 1:
            let value = roll(100)
            object.part?.number = value
            object.part?.inner = roll(2) == 0 ? nil : ModelInner(value: [value])
            node.part?.number = value
            node.part?.inner = object.part?.inner.map(\.value)
        case 2:
            let target = roll(3) == 0 ? nil : anyID
            object.part?.target = target.map { self.node($0) }
            node.part?.target = target
        case 3:
            // Embedded objects cannot be appended twice, but they can change places.
            guard node.parts.count > 1 else { return }
            let (from, to) = (roll(node.parts.count), roll(node.parts.count))
            object.parts.move(from: from, to: to)
            node.parts.insert(node.parts.remove(at: from), at: to)
        default:
            edit(object.parts, &node.parts, { self.unmanaged($0) }) { self.randomPart() }
        }
        state.nodes[id] = node
    }

    /// One change of a list, made to an array too.
    private func edit<Element, Plain>(
        _ list: List<Element>,
        _ plain: inout [Plain],
        _ element: (Plain) -> Element,
        _ make: () -> Plain
    ) {
        let count = plain.count
        switch roll(10) {
        case 0, 1:
            let new = make()
            list.append(element(new))
            plain.append(new)
        case 2:
            let (new, index) = (make(), roll(count + 1))
            list.insert(element(new), at: index)
            plain.insert(new, at: index)
        case 3 where count > 0:
            let index = roll(count)
            list.remove(at: index)
            plain.remove(at: index)
        case 4 where count > 0:
            let (new, index) = (make(), roll(count))
            list[index] = element(new)
            plain[index] = new
        case 5 where count > 0:
            let (from, to) = (roll(count), roll(count))
            list.move(from: from, to: to)
            plain.insert(plain.remove(at: from), at: to)
        case 6 where count > 0:
            let (i, j) = (roll(count), roll(count))
            list.swapAt(i, j)
            plain.swapAt(i, j)
        case 7 where roll(4) == 0:
            list.removeAll()
            plain.removeAll()
        case 8:
            let start = roll(count + 1)
            let end = start + roll(count - start + 1)
            let new = (0..<roll(4)).map { _ in make() }
            list.replaceSubrange(start..<end, with: new.map(element))
            plain.replaceSubrange(start..<end, with: new)
        default:
            let new = (0..<(roll(40) == 0 ? 300 : roll(3))).map { _ in make() }
            list.append(objectsIn: new.map(element))
            plain += new
        }
    }

    // MARK: deleting

    private func delete() {
        if roll(3) == 0, let name = anyLeaf {
            realm.delete(leaf(name))
            state.delete(leaf: name)
        } else if let id = anyID {
            realm.delete(node(id))
            state.delete(node: id)
        }
    }

    private func deleteMany() {
        guard let id = anyID, let node = state.nodes[id], state.nodes.count > 30 else { return }
        if roll(2) == 0 {
            // A live list shrinks while it is deleted from.
            realm.delete(self.node(id).children)
            for child in Set(node.children) { state.delete(node: child) }
        } else {
            let ids = Set((0..<roll(10)).compactMap { _ in anyID })
            realm.delete(ids.sorted().map { self.node($0) })
            for id in ids { state.delete(node: id) }
        }
    }

    private func deleteAll() {
        realm.deleteAll()
        state = WorldState()
    }
}
