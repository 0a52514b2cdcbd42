import Foundation
import Testing

@testable import Domesday

private enum Suit: String, PersistableEnum { case hearts, spades }

private class Child: EmbeddedObject {
    @Persisted var number = 0
    @Persisted var grandchild: Grandchild?
}

private class Grandchild: EmbeddedObject { @Persisted var text = "" }

private class Item: Object {
    @Persisted var number = 0
    @Persisted(originProperty: "items") var holders: LinkingObjects<Holder>
    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

private class Holder: Object {
    @Persisted var ints: List<Int>
    @Persisted var optInts: List<Int?>
    @Persisted var strings: List<String>
    @Persisted var optStrings: List<String?>
    @Persisted var items: List<Item>
    @Persisted var children: List<Child>
    @Persisted var bools: List<Bool>
    @Persisted var optBools: List<Bool?>
    @Persisted var floats: List<Float>
    @Persisted var doubles: List<Double?>
    @Persisted var dates: List<Date>
    @Persisted var datas: List<Data?>
    @Persisted var uuids: List<UUID?>
    @Persisted var ids: List<ObjectId>
    @Persisted var suits: List<Suit?>
    @Persisted var bytes: List<Int8>
}

private let holderClasses: [ObjectBase.Type] = [
    Holder.self, Item.self, Child.self, Grandchild.self,
]

private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

/// Applies random changes to a list and an array and compares them after each.
private func churn<Element>(
    _ list: List<Element>,
    seed: UInt64,
    steps: Int = 300,
    _ make: (Int) -> Element
) {
    var random = Generator(state: seed)
    var model = Array(list)
    for step in 0..<steps {
        let n = model.count
        func index() -> Int { Int.random(in: 0..<n, using: &random) }
        let value = make(step)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            list.append(value)
            model.append(value)
        case 2:
            let at = Int.random(in: 0...n, using: &random)
            list.insert(value, at: at)
            model.insert(value, at: at)
        case 3 where n > 0:
            let at = index()
            list.remove(at: at)
            model.remove(at: at)
        case 4 where n > 0:
            let at = index()
            list[at] = value
            model[at] = value
        case 5 where n > 1:
            let (from, to) = (index(), index())
            list.move(from: from, to: to)
            model.insert(model.remove(at: from), at: to)
        case 6 where n > 1:
            let (i, j) = (index(), index())
            list.swapAt(i, j)
            model.swapAt(i, j)
        case 7 where n > 2:
            let (i, j) = (index(), index())
            let range = min(i, j)..<max(i, j)
            list.replaceSubrange(range, with: [value, value])
            model.replaceSubrange(range, with: [value, value])
        case 8 where n > 2:
            let offsets = IndexSet([index(), index()])
            list.remove(atOffsets: offsets)
            for offset in offsets.reversed() { model.remove(at: offset) }
        case 9 where n > 2:
            let offsets = IndexSet([index(), index()])
            let to = Int.random(in: 0...n, using: &random)
            list.move(fromOffsets: offsets, toOffset: to)
            let moved = offsets.map { model[$0] }
            let before = to - offsets.filter { $0 < to }.count
            for offset in offsets.reversed() { model.remove(at: offset) }
            model.insert(contentsOf: moved, at: before)
        case 10 where n > 20:
            list.removeFirst(7)
            list.removeLast(5)
            model.removeFirst(7)
            model.removeLast(5)
        case 11:
            list.append(objectsIn: [value, value])
            model += [value, value]
        default: break
        }
        if Array(list) != model || list.count != model.count || list.last != model.last {
            Issue.record("seed \(seed), step \(step): \(Array(list)) != \(model)")
            return
        }
    }
    list.removeAll()
    #expect(list.isEmpty && list.first == nil && list.last == nil)
}

@Suite("Lists")
struct ListObjectsTests {
    private func churnAll(_ holder: Holder) {
        churn(holder.ints, seed: 1) { $0 }
        churn(holder.optInts, seed: 2) { $0 % 3 == 0 ? nil : $0 }
        churn(holder.strings, seed: 3) { String(repeating: "ä", count: $0 % 7) }
        churn(holder.optStrings, seed: 4) { $0 % 3 == 0 ? nil : "\($0)" }
        churn(holder.bools, seed: 5) { $0 % 2 == 0 }
        churn(holder.optBools, seed: 6) { $0 % 3 == 0 ? nil : $0 % 2 == 0 }
        churn(holder.floats, seed: 7) { Float($0) }
        churn(holder.doubles, seed: 8) { $0 % 3 == 0 ? nil : Double($0) }
        churn(holder.dates, seed: 9) { Date(timeIntervalSinceReferenceDate: Double($0)) }
        churn(holder.datas, seed: 10) { $0 % 3 == 0 ? nil : Data(count: $0 % 5) }
        churn(holder.uuids, seed: 11) { $0 % 3 == 0 ? nil : UUID() }
        churn(holder.ids, seed: 12) { _ in ObjectId.generate() }
        churn(holder.suits, seed: 13) { $0 % 3 == 0 ? nil : $0 % 2 == 0 ? .hearts : .spades }
        churn(holder.bytes, seed: 14) { Int8(truncatingIfNeeded: $0) }
    }

    @Test("unmanaged lists behave as arrays do")
    func unmanaged() {
        let holder = Holder()
        churnAll(holder)
        churn(holder.items, seed: 20) { Item($0) }
    }

    @Test("managed lists behave as arrays do")
    func managed() throws {
        let realm = try makeRealmState(holderClasses)
        let holder = Holder()
        holder.ints.append(objectsIn: [3, 1, 2])
        holder.items.append(Item(1))
        let ints = holder.ints
        try realm.write {
            try realm.add(holder, update: .error)
            #expect(ints === holder.ints && ints.realm != nil && Array(ints) == [3, 1, 2])
            churnAll(holder)
            churn(holder.items, seed: 20) { Item($0) }
        }
    }

    @Test("iteration visits what was there at its start")
    func iterationIsStable() throws {
        let realm = try makeRealmState(holderClasses)
        let holder = Holder()
        try realm.write {
            try realm.add(holder, update: .error)
            holder.ints.append(objectsIn: 0..<5)
            var visited: [Int] = []
            for value in holder.ints {
                visited.append(value)
                holder.ints.append(value)
            }
            #expect(visited == [0, 1, 2, 3, 4] && holder.ints.count == 10)
        }
    }

    @Test("assigning a list copies its elements")
    func assignment() throws {
        let realm = try makeRealmState(holderClasses)
        let (a, b) = (Holder(), Holder())
        a.ints.append(1)
        b.ints = a.ints
        a.ints.append(2)
        #expect(Array(b.ints) == [1])
        try realm.write {
            try realm.add(a, update: .error)
            a.ints = b.ints
            #expect(Array(a.ints) == [1])
            a.ints = a.ints
            #expect(Array(a.ints) == [1])
            let list = List<Int>()
            list.append(objectsIn: [7, 8])
            a.ints = list
            #expect(Array(a.ints) == [7, 8] && list.realm == nil)
        }
    }

    @Test("embedded elements go when they are removed or replaced, and stay when they are moved")
    func embeddedElements() throws {
        let realm = try makeRealmState(holderClasses)
        let holder = Holder()
        let children = try #require(realm.table(of: Child.self))
        let grandchildren = try #require(realm.table(of: Grandchild.self))
        try realm.write {
            try realm.add(holder, update: .error)
            for number in 0..<4 {
                let child = Child(
                    value: ["number": number, "grandchild": ["text": "g"]] as [String: Any]
                )
                holder.children.append(child)
                #expect(child.realm != nil && child.grandchild?.realm != nil)
            }
            #expect(children.reader.count == 4 && grandchildren.reader.count == 4)
            let first = holder.children[0]
            holder.children.remove(at: 0)
            #expect(first.isInvalidated && children.reader.count == 3)
            holder.children.move(from: 0, to: 2)
            #expect(holder.children.map(\.number) == [2, 3, 1] && grandchildren.reader.count == 3)
            let last = holder.children[2]
            last.grandchild = Grandchild()
            #expect(grandchildren.reader.count == 3)
            last.grandchild = nil
            #expect(grandchildren.reader.count == 2)
            try realm.delete(holder)
            #expect(children.reader.count == 0 && grandchildren.reader.count == 0)
        }
    }

    @Test("linking objects follow links with multiplicity")
    func linkingObjects() throws {
        let realm = try makeRealmState(holderClasses)
        let item = Item(5)
        #expect(item.holders.isEmpty && item.holders.realm == nil)
        let (a, b) = (Holder(), Holder())
        try realm.write {
            a.items.append(objectsIn: [item, item])
            try realm.add(a, update: .error)
            try realm.add(b, update: .error)
            #expect(item.holders.count == 2 && item.holders[0] == a && item.holders[1] == a)
            b.items.append(item)
            #expect(Array(item.holders) == [a, a, b] && item.holders.index(of: b) == 2)
            a.items.removeAll()
            #expect(Array(item.holders) == [b])
            #expect(item.holders.description.hasPrefix("LinkingObjects<Holder> ("))
            try realm.delete(b)
        }
        #expect(item.holders.isEmpty)
    }

    @Test("dynamic access to lists")
    func dynamic() throws {
        let holder = Holder()
        holder["ints"] = [1, 2, 3]
        #expect(holder.ints.value(forKey: "self") as? [Int] == [1, 2, 3])
        holder["items"] = [["number": 4], ["number": 5]]
        #expect(holder.items.value(forKey: "number") as? [Int] == [4, 5])
        holder.items.setValue(9, forKey: "number")
        #expect(holder.items.allSatisfy { $0.number == 9 })
        #expect(holder.ints.description == "List<int> (\n\t[0] 1,\n\t[1] 2,\n\t[2] 3,\n)")
    }
}
