import Foundation
import Testing

@testable import Domesday

/// Random changes of a list, a set and a map, made to Swift's own collections too, with transactions
/// that are cancelled and stores that are reopened.
private struct HistoryCheck: ZooCheck {
    let seed: UInt64

    func check<Element: RealmCollectionValue & ModelScalar>(_ type: Element.Type) throws {
        let folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("zoo"),
            objectTypes: [Holding<Element>.self]
        )
        var model = Model<Element>(random: SplitMix64(seed: seed))
        // Against a set that is not managed, too: its rules are the same.
        let twin = Holding<Element>()
        for round in 0..<(6 * Scale.factor) {
            // By turns in leaves of a few elements, and as they usually are.
            configuration.leafByteLimit = round % 2 == 0 ? 200 : SequenceRoot.usualLeafByteLimit
            let realm = try Realm(configuration: configuration)
            if realm.isEmpty { try realm.write { _ = realm.create(Holding<Element>.self) } }
            let object = try #require(realm.objects(Holding<Element>.self).first)
            for transaction in 0..<4 {
                let before = model
                let cancels = model.roll(3) == 0
                realm.beginWrite()
                for _ in 0..<model.roll(30) {
                    let step = model.change(object)
                    if !cancels { step(twin) }
                }
                if cancels {
                    realm.cancelWrite()
                    let random = model.random
                    model = before
                    model.random = random
                } else {
                    try realm.commitWrite()
                }
                let note = "seed \(seed), \(type), round \(round), transaction \(transaction)"
                #expect(model.difference(from: object) == nil, "\(note)")
                #expect(model.difference(from: twin) == nil, "unmanaged, \(note)")
                #expect(try realm.findings == [], "\(note)")
            }
        }
    }

    private struct Model<Element: RealmCollectionValue & ModelScalar> {
        var random: SplitMix64
        var list: [Element] = []
        /// By identity.
        var set: [String: Element] = [:]
        var map: [[UInt8]: Element] = [:]

        init(random: SplitMix64) { self.random = random }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

        func difference(from object: Holding<Element>) -> String? {
            if object.list.map(\.bits) != list.map(\.bits) { return "list" }
            if object.list.count != list.count { return "list.count" }
            if object.set.map(setIdentity).sorted() != set.keys.sorted() { return "set" }
            if object.set.count != set.count { return "set.count" }
            let entries = map.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            if object.map.keys.map({ Array($0.utf8) }) != entries.map(\.key) { return "map.keys" }
            if object.map.values.map(\.bits) != entries.map(\.value.bits) { return "map.values" }
            if object.map.count != map.count { return "map.count" }
            return nil
        }

        /// Changes the object and the model.
        ///
        /// - Returns: the same change, to be made to another object in the same state.
        mutating func change(_ object: Holding<Element>) -> (Holding<Element>) -> Void {
            let step: (Holding<Element>) -> Void =
                switch roll(3) {
                case 0: changeList()
                case 1: changeSet()
                default: changeMap()
                }
            step(object)
            return step
        }

        private mutating func some(_ limit: Int) -> [Element] {
            (0..<roll(limit)).map { _ in Element.random(&random) }
        }

        private mutating func changeList() -> (Holding<Element>) -> Void {
            let count = list.count
            let new = some(roll(10) == 0 ? 300 : 4)
            switch roll(7) {
            case 0:
                list += new
                return { $0.list.append(objectsIn: new) }
            case 1:
                let at = roll(count + 1)
                list.insert(contentsOf: new, at: at)
                return { $0.list.insert(contentsOf: new, at: at) }
            case 2:
                let start = roll(count + 1)
                let range = start..<(start + roll(min(count - start, 40) + 1))
                list.replaceSubrange(range, with: new)
                return { $0.list.replaceSubrange(range, with: new) }
            case 3 where count > 0:
                let (from, to) = (roll(count), roll(count))
                list.insert(list.remove(at: from), at: to)
                return { $0.list.move(from: from, to: to) }
            case 4 where count > 0:
                let (i, j) = (roll(count), roll(count))
                list.swapAt(i, j)
                return { $0.list.swapAt(i, j) }
            case 5 where count > 0:
                let offsets = IndexSet((0..<4).map { _ in roll(count) })
                for offset in offsets.reversed() { list.remove(at: offset) }
                return { $0.list.remove(atOffsets: offsets) }
            case 6 where count > 0:
                let (at, value) = (roll(count), Element.random(&random))
                list[at] = value
                return { $0.list[at] = value }
            default: return { _ in }
            }
        }

        private mutating func changeSet() -> (Holding<Element>) -> Void {
            let new = some(roll(8) == 0 ? 200 : 4)
            let others = Set(new.map(setIdentity))
            func other() -> MutableSet<Element> {
                let set = MutableSet<Element>()
                set.insert(objectsIn: new)
                return set
            }
            let all = set.sorted { $0.key < $1.key }.map(\.value)
            switch roll(9) {
            case 0, 1:
                for value in new where set[setIdentity(value)] == nil {
                    set[setIdentity(value)] = value
                }
                return { $0.set.insert(objectsIn: new) }
            case 2:
                for value in new where set[setIdentity(value)] == nil {
                    set[setIdentity(value)] = value
                }
                return { $0.set.formUnion(other()) }
            case 3, 4:
                let value = Element.random(&random)
                if set[setIdentity(value)] == nil { set[setIdentity(value)] = value }
                return { $0.set.insert(value) }
            case 5 where !all.isEmpty:
                let value = all[roll(all.count)]
                set[setIdentity(value)] = nil
                return { $0.set.remove(value) }
            case 6:
                set = set.filter { !others.contains($0.key) }
                return { $0.set.subtract(other()) }
            case 7 where roll(4) == 0:
                set = set.filter { others.contains($0.key) }
                return { $0.set.formIntersection(other()) }
            case 8:
                let isSubset = others.isSubset(of: set.keys)
                let intersects = !others.isDisjoint(with: set.keys)
                return {
                    #expect(other().isSubset(of: $0.set) == isSubset)
                    #expect(other().intersects($0.set) == intersects)
                    #expect($0.set.intersects(other()) == intersects)
                }
            default: return { _ in }
            }
        }

        private mutating func changeMap() -> (Holding<Element>) -> Void {
            let new = some(roll(8) == 0 ? 100 : 4).map { (key: String.random(&random), value: $0) }
            switch roll(5) {
            case 0, 1:
                for (key, value) in new { map[Array(key.utf8)] = value }
                return { for (key, value) in new { $0.map[key] = value } }
            case 2:
                for (key, value) in new where map[Array(key.utf8)] == nil {
                    map[Array(key.utf8)] = value
                }
                return { $0.map.merge(new) { old, _ in old } }
            case 3:
                for (key, value) in new { map[Array(key.utf8)] = value }
                return { $0.map.merge(new) { _, new in new } }
            case 4 where !map.isEmpty:
                let keys = map.keys.sorted { $0.lexicographicallyPrecedes($1) }
                let key = keys[roll(keys.count)]
                map[key] = nil
                return { $0.map[String(decoding: key, as: UTF8.self)] = nil }
            default: return { _ in }
            }
        }
    }
}

@Suite("Random histories of collections")
struct CollectionModelTests {
    @Test("lists, sets and maps behave as Swift's own", arguments: ZooType.all)
    func history(_ type: ZooType) throws {
        for offset in 0..<UInt64(Scale.factor) {
            try type.run(HistoryCheck(seed: Scale.seed + offset))
        }
    }
}
