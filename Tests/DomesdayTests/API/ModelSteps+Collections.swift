import Foundation
import Testing

@testable import Domesday

// What happens to sets and maps.
extension ModelWorld {
    func changeSets() {
        guard let id = anyID, var node = state.nodes[id] else { return }
        let object = self.node(id)
        let texts = (0..<roll(4)).map { _ in String.random(&random) }
        let bytes = texts.map { Array($0.utf8) }
        let others = (0..<roll(5)).compactMap { _ in anyID }
        switch roll(8) {
        case 0, 1:
            object.textSet.insert(objectsIn: texts)
            node.textSet.formUnion(bytes)
        case 2:
            let known = node.textSet.sorted { $0.lexicographicallyPrecedes($1) }
            guard let text = known.randomElement(using: &random) else { return }
            object.textSet.remove(String(decoding: text, as: UTF8.self))
            node.textSet.remove(text)
        case 3, 4:
            object.friends.insert(objectsIn: others.map { self.node($0) })
            node.friends.formUnion(others)
        case 5:
            for other in others { object.friends.remove(self.node(other)) }
            node.friends.subtract(others)
        case 6:
            guard let other = anyID else { return }
            object.friends.formIntersection(self.node(other).friends)
            node.friends.formIntersection(state.nodes[other]?.friends ?? [])
        default:
            if roll(2) == 0 { object.textSet.removeAll() } else { object.friends.removeAll() }
            if object.textSet.isEmpty { node.textSet = [] }
            if object.friends.isEmpty { node.friends = [] }
        }
        state.nodes[id] = node
    }

    func changeMaps() {
        guard let id = anyID, var node = state.nodes[id] else { return }
        let object = self.node(id)
        let key = anyKey
        switch roll(9) {
        case 0:
            let value = Int?.random(&random)
            object.counts.updateValue(value, forKey: key)
            node.counts.updateValue(value, forKey: key)
        case 1:
            object.counts[key] = nil
            node.counts.removeValue(forKey: key)
        case 2:
            let new = Self.mapKeys.filter { _ in roll(2) == 0 }.map { (key: $0, value: roll(9)) }
            object.counts.merge(new.map { (key: $0.key, value: Int?.some($0.value)) }) { old, _ in
                old
            }
            for (key, value) in new where node.counts[key] == nil {
                node.counts.updateValue(value, forKey: key)
            }
        case 3:
            let other = roll(4) == 0 ? nil : anyID
            object.named.updateValue(other.map { self.node($0) }, forKey: key)
            node.named.updateValue(other, forKey: key)
        case 4:
            object.named.removeObject(for: key)
            node.named.removeValue(forKey: key)
        case 5:
            let part = roll(5) == 0 ? nil : randomPart()
            object.partMap.updateValue(part.map { unmanaged($0) }, forKey: key)
            node.partMap.updateValue(part, forKey: key)
        case 6:
            object.partMap[key] = nil
            node.partMap.removeValue(forKey: key)
        case 7:
            let value = AnyRealmValue.random(&random)
            object.anys[key] = value
            node.anys[key] = value.bits
        default:
            // A live collection inside a value.
            switch object.anys[key] {
            case .list(let list): list.append(.int(roll(9)))
            case .dictionary(let map): map["new"] = .int(roll(9))
            default: return
            }
            node.anys[key] = object.anys[key]?.bits
        }
        state.nodes[id] = node
    }
}
