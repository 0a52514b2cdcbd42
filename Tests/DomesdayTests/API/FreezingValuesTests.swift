import Dispatch
import Foundation
import Testing

@testable import Domesday

private class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var price: Decimal128
    @Persisted var letter: ZooLetter?
    @Persisted var next: Crate?
    @Persisted var inside: List<Crate>
    @Persisted(originProperty: "inside") var holders: LinkingObjects<Crate>
}

private class CrateCard: Projection<Crate> {
    @Projected(\Crate.id) var number
    @Projected(\Crate.next?.id) var nextNumber
}

/// Frozen values on their way to other threads.
private struct Box<Value>: @unchecked Sendable {
    // @unchecked: frozen values may be used by several threads at once.
    let value: Value
}

private func filled(
    _ name: String,
    _ count: Int = 300,
    _ queue: DispatchQueue? = nil
) throws -> Realm {
    let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "values \(name)", objectTypes: [Crate.self]),
        queue: queue
    )
    try realm.write {
        for id in 0..<count {
            let crate = Crate(value: ["id": id])
            crate.price = Decimal128(id) / 8
            crate.letter = ZooLetter("q")
            realm.add(crate)
            let objects = realm.objects(Crate.self)
            crate.next = objects[id / 2]
            crate.inside.append(objects[id / 3])
            crate.any = .fromArray([
                .int(id), .fromArray([.string("deep \(id)"), .decimal128(crate.price)]),
                .object(objects[id / 2]),
            ])
            crate.anys.append(objectsIn: [.fromArray([.double(0.5)]), .none])
        }
    }
    return realm
}

/// Runs `body` on several threads at once, and waits for all.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for thread in 0..<count {
        group.enter()
        Thread {
            body(thread)
            group.leave()
        }.start()
    }
    group.wait()
}

@Suite("Freezing values")
struct FreezingValuesTests {
    @Test("a frozen object's lists in values, decimals and custom types, on several threads")
    func values() throws {
        let realm = try filled("values")
        let live = try #require(realm.object(ofType: Crate.self, forPrimaryKey: 9))
        let nested = try #require(live.any.listValue?[1].listValue)
        let frozen = Box(value: (crate: live.freeze(), nested: nested.freeze()))
        try realm.write {
            live.any.listValue?[1].listValue?.append(.bool(true))
            live.any = .none
            live.anys.removeAll()
            live.price = 1
            realm.delete(realm.objects(Crate.self).filter("id == 4"))
        }
        onThreads(4) { _ in
            let (crate, nested) = frozen.value
            for _ in 0..<50 {
                let list = crate.any.listValue
                #expect(list?.count == 3 && list?[0] == .int(9) && list?.isFrozen == true)
                #expect(list?[1].listValue?.first == .string("deep 9") && nested.count == 2)
                #expect(nested[1].decimal128Value == Decimal128(9) / 8 && nested.isFrozen)
                #expect(list?[2].object(Crate.self)?.id == 4)
                #expect(crate.anys[0].listValue?.first == .double(0.5) && crate.anys.count == 2)
                #expect(crate.price == Decimal128(9) / 8 && crate.letter == ZooLetter("q"))
                #expect((try? crate.tryValue(forKey: "price")) as? Decimal128 == crate.price)
                #expect((try? crate.inside.tryCount()) == 1 && crate.inside.map(\.id) == [3])
                #expect((try? crate.holders.tryCount()) == 3)
                #expect(crate.holders.map(\.id) == [27, 28, 29])
            }
            let all = crate.realm?.objects(Crate.self)
            #expect(all?.sum(of: \.price) == Decimal128(300 * 299 / 2) / 8)
            #expect(all?.filter("price == %@", Decimal128(9) / 8).first?.id == 9)
        }
        // What was frozen and is there no more thaws to nothing.
        #expect(frozen.value.nested.thaw() == nil && frozen.value.crate.thaw() == live)
    }

    @Test("dynamic objects of a frozen Realm, first asked for by several threads at once")
    func dynamicObjects() throws {
        let realm = try filled("dynamic")
        for _ in 0..<20 {
            let object = try #require(realm.dynamicObject(ofType: "Crate", forPrimaryKey: 10))
            let frozen = Box(value: (realm: realm.freeze(), object: object.freeze()))
            try realm.write { object.price = Decimal128(object.id as? Int ?? 0) }
            onThreads(4) { thread in
                let (realm, object) = frozen.value
                let crates = realm.dynamicObjects("Crate")
                #expect(crates.count == 300 && crates[thread].id as? Int == thread)
                #expect((object.next as? DynamicObject)?.id as? Int == 5)
                #expect(object.dynamicList("inside").first?.id as? Int == 3)
                let linking = object.linkingObjects(ofType: "Crate", property: "inside")
                #expect(linking.map { $0.id as? Int } == [30, 31, 32])
                #expect((object.holders as? LinkingObjects<DynamicObject>) == linking)
            }
            let linking = object.linkingObjects(ofType: "Crate", property: "next").freeze()
            #expect(linking.thaw()?.count == 2 && linking.map { $0.id as? Int } == [20, 21])
            #expect(frozen.value.object.thaw() == object)
            let few = realm.dynamicObjects("Crate").filter("next.id == 5").freeze()
            #expect(few.first?.id as? Int == 10 && few.thaw()?.count == 2)
            let reference = ThreadSafeReference(to: object)
            #expect(realm.resolve(reference) == object)
        }
    }

    @Test("a frozen Realm that is invalidated ends its dynamic objects as well")
    func invalidating() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let frozen = try filled("invalidating", 3).freeze()
            let object = frozen.dynamicObjects("Crate")[0]
            frozen.invalidate()
            _ = object.price
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("invalidated"), "\(output.prefix(600))")
    }

    @Test("projections, sections and collections of hidden type freeze and thaw")
    func wrapped() throws {
        let realm = try filled("wrapped", 30)
        let card = CrateCard(projecting: realm.objects(Crate.self)[8])
        let hidden = AnyRealmCollection(realm.objects(Crate.self).filter("id < 10"))
        let sections = realm.objects(Crate.self).sectioned(
            by: { $0.id % 3 },
            sortDescriptors: [SortDescriptor(keyPath: "id")]
        )
        let frozen = Box(
            value: (card.freeze(), hidden.freeze(), sections.freeze(), sections[1].freeze())
        )
        try realm.write { realm.delete(realm.objects(Crate.self).filter("id IN {4, 9, 10}")) }
        onThreads(3) { _ in
            let (card, hidden, sections, section) = frozen.value
            #expect(card.isFrozen && card.number == 8 && card.nextNumber == 4)
            #expect(hidden.isFrozen && hidden.count == 10 && hidden[9].id == 9)
            #expect(sections.isFrozen && sections.allKeys == [0, 1, 2] && sections[0].count == 10)
            #expect(section.map(\.id) == Array(stride(from: 1, to: 30, by: 3)))
        }
        #expect(frozen.value.0.thaw() == card && card.nextNumber == nil)
        #expect(frozen.value.1.thaw()?.count == 8 && hidden.count == 8)
        #expect(frozen.value.2.thaw()?[0].count == 9 && frozen.value.3.thaw()?.count == 8)
    }

    @Test("a list inside a value, a dynamic object and a hidden collection are observed")
    func observing() throws {
        let queue = DispatchQueue(label: "observing")
        try queue.sync { try observing(try filled("observing", 20, queue)) }
    }

    private func observing(_ realm: Realm) throws {
        let crate = realm.objects(Crate.self)[9]
        let dynamic = try #require(realm.dynamicObject(ofType: "Crate", forPrimaryKey: 9))
        let nested = try #require(crate.any.listValue?[1].listValue)
        var lists: [String] = []
        var values: [String] = []
        var counts: [Int] = []
        let tokens = [
            nested.observe { change in
                guard case .update(let list, let deleted, let inserted, let modified) = change
                else { return }
                lists.append("\(list.isInvalidated) \(deleted) \(inserted) \(modified)")
            },
            dynamic.observe(keyPaths: ["price", "any"]) { change in
                guard case .change(_, let properties) = change else { return }
                for property in properties where property.name == "price" {
                    values.append("\(property.oldValue ?? "-") \(property.newValue ?? "-")")
                }
                for property in properties where property.name == "any" {
                    let old = (property.oldValue as? AnyRealmValue)?.listValue
                    values.append("any \(old?[1].listValue?.count ?? -1)")
                }
            },
            AnyRealmCollection(realm.objects(Crate.self)).observe { change in
                if case .update(let all, _, _, _) = change { counts.append(all.count) }
            },
        ]
        realm.refresh()
        try realm.write {
            nested.insert(.bool(true), at: 0)
            crate.price = 7
        }
        try realm.write { crate.any = .none }
        realm.refresh()
        for token in tokens { token.invalidate() }
        #expect(lists == ["false [] [0] []", "false [0, 1, 2] [] []"])
        #expect(values == ["1.125 7", "any 2", "any 3"])
        #expect(counts == [20, 20])
    }
}
