import Foundation
import Testing

@testable import Domesday

private final class Box: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var box: Box?
    @Persisted(originProperty: "box") var boxes: LinkingObjects<Box>
}

private final class Thing: Object {
    @Persisted var name = ""
}

private final class Stranger: Object {
    @Persisted var x = 0
}

private let classes: [ObjectBase.Type] = [Box.self, Thing.self]

@Suite("Values of any type")
struct AnyRealmValueTests {
    private let file: ReopenedRealm

    init() throws { file = try ReopenedRealm(classes) }

    @Test("equality: by type and value, lists by elements")
    func equality() {
        #expect(AnyRealmValue.int(1) != .double(1) && AnyRealmValue.bool(true) != .int(1))
        #expect(AnyRealmValue.decimal128("1.0") == .decimal128("1"))
        #expect(AnyRealmValue.fromArray([.int(1), .none]) == .fromArray([.int(1), .none]))
        #expect(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(2)]))
        #expect(Set<AnyRealmValue>([.int(1), .int(1), .string("1"), .none, .none]).count == 3)
        #expect(AnyRealmValue.int(3).intValue == 3 && AnyRealmValue.int(3).stringValue == nil)
        #expect(AnyRealmValue.fromArray([.int(3)]).listValue?.first == .int(3))
        let thing = Thing()
        #expect(AnyRealmValue.object(thing).object(Thing.self) === thing)
        #expect(AnyRealmValue.object(thing).object(Box.self) == nil)
    }

    @Test("objects inside are added with their owner, and read as the same object")
    func links() throws {
        try file.open { realm in
            let box = Box()
            let thing = Thing()
            thing.name = "in a list"
            box.any = .fromArray([.object(thing), .fromArray([.object(box), .object(thing)])])
            box.anys.append(objectsIn: [.object(thing), .int(1)])
            try realm.write { realm.add(box) }
            #expect(thing.realm != nil && realm.objects(Thing.self).count == 1)
            let inner = try #require(box.any.listValue)
            #expect(inner[0].object(Thing.self) == thing)
            #expect(inner[0].dynamicObject?["name"] as? String == "in a list")
            #expect(AnyRealmValue.int(1).dynamicObject == nil)
            #expect(AnyRealmValue.object(Thing()).dynamicObject == nil)
            #expect(inner[1].listValue?[0].object(Box.self) == box)
            // What a value leads to is no link.
            #expect(box.boxes.isEmpty)
        }
        try file.open { realm in
            let box = try #require(realm.objects(Box.self).first)
            #expect(box.any.listValue?[0].object(Thing.self)?.name == "in a list")
            #expect(box.anys[0].object(Thing.self)?.name == "in a list")
        }
    }

    @Test("deleting an object makes none of every value that leads to it, at any depth")
    func deleting() throws {
        try file.open { realm in
            let (thing, other) = (Thing(), Thing())
            let box = Box()
            box.any = .fromArray([
                .object(thing), .int(1), .fromArray([.object(other), .object(thing)]),
            ])
            box.anys.append(objectsIn: [.object(thing), .object(other), .object(thing)])
            let second = Box()
            second.id = 2
            second.any = .object(thing)
            try realm.write {
                realm.add([box, second])
                realm.delete(thing)
            }
            #expect(box.any == .fromArray([.none, .int(1), .fromArray([.object(other), .none])]))
            #expect(Array(box.anys) == [.none, .object(other), .none])
            #expect(second.any == .none)
            try realm.write { realm.deleteAll() }
            #expect(realm.isEmpty)
        }
    }

    @Test("links that are replaced, removed or overwritten are forgotten")
    func replacing() throws {
        try file.open { realm in
            let things = (0..<4).map { _ in Thing() }
            let box = Box()
            try realm.write {
                realm.add(things)
                realm.add(box)
                box.any = .object(things[0])
                box.any = .object(things[1])
                box.anys.append(objectsIn: things.map { .object($0) })
                box.anys.remove(at: 0)
                box.anys[0] = .int(7)
                box.anys.removeLast()
                box.any = .fromArray([.object(things[2]), .object(things[2])])
            }
            #expect(Array(box.anys) == [.int(7), .object(things[2])])
        }
        try file.open { realm in
            let things = Array(realm.objects(Thing.self))
            let box = try #require(realm.objects(Box.self).first)
            try realm.write { realm.delete([things[0], things[1], things[3]]) }
            #expect(box.any == .fromArray([.object(things[2]), .object(things[2])]))
            try realm.write { realm.delete(box) }
            try realm.write { realm.delete(things[2]) }
        }
    }

    @Test("a list inside a value is a live view, at any depth")
    func nestedLists() throws {
        try file.open { realm in
            let box = Box()
            box.any = .fromArray([.fromArray([.int(1)]), .string("x")])
            box.anys.append(objectsIn: [.int(0), .fromArray([.fromArray([])])])
            try realm.write { realm.add(box) }
            let outer = try #require(box.any.listValue)
            let inner = try #require(outer[0].listValue)
            let deep = try #require(box.anys[1].listValue?[0].listValue)
            try realm.write {
                inner.append(objectsIn: [.int(2), .object(Thing())])
                inner[0] = .string("one")
                outer.append(.bool(true))
                deep.append(.fromArray([.string(String(repeating: "long", count: 5000))]))
                deep.append(.int(3))
            }
            #expect(Array(inner.prefix(2)) == [.string("one"), .int(2)])
            #expect(outer.count == 3 && outer[2] == .bool(true) && outer[1] == .string("x"))
            #expect(deep.count == 2 && deep[1] == .int(3))
            #expect(box.anys[1].listValue?[0].listValue == deep)
            try realm.write {
                realm.deleteAll()
            }
        }
    }

    @Test("random trees with objects inside come back, and lose exactly what is deleted")
    func randomTrees() throws {
        var random = SplitMix64(seed: Scale.seed)
        for round in 0..<(3 * Scale.factor) {
            let file = try ReopenedRealm(classes)
            var expected: [Int: (any: String, anys: [String])] = [:]
            var deleted: Set<ObjectKey> = []
            try file.open { realm in
                try realm.write { for _ in 0..<20 { realm.add(Thing()) } }
            }
            for step in 0..<6 {
                try file.open { realm in
                    let things = Array(realm.objects(Thing.self))
                    try realm.write {
                        for _ in 0..<10 {
                            let id = Int.random(in: 0..<30, using: &random)
                            let value = Self.tree(&random, things, 0)
                            let values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                                Self.tree(&random, things, 0)
                            }
                            let box = realm.create(Box.self, value: ["id": id], update: .all)
                            box.any = value
                            box.anys.removeAll()
                            box.anys.append(objectsIn: values)
                            expected[id] = (Self.text(value), values.map { Self.text($0) })
                        }
                        for thing in things where Int.random(in: 0..<8, using: &random) == 0 {
                            deleted.insert(thing.objectBinding.key)
                            realm.delete(thing)
                        }
                    }
                }
                try file.open { realm in
                    let note: Comment = "round \(round), step \(step), seed \(Scale.seed)"
                    #expect(realm.objects(Box.self).count == expected.count, note)
                    for box in realm.objects(Box.self) {
                        let known = expected[box.id]
                        let any = known.map { Self.without($0.any, deleted) }
                        #expect(Self.text(box.any) == any, note)
                        #expect(
                            box.anys.map { Self.text($0) }
                                == known?.anys.map { Self.without($0, deleted) },
                            note
                        )
                    }
                }
            }
        }
    }

    private static func tree(
        _ random: inout SplitMix64,
        _ things: [Thing],
        _ depth: Int
    ) -> AnyRealmValue {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            return things.randomElement(using: &random).map { .object($0) } ?? .none
        case 2 where depth < 6, 3 where depth < 6:
            let count = Int.random(in: 0..<4, using: &random)
            return .fromArray((0..<count).map { _ in tree(&random, things, depth + 1) })
        default: return .tree(&random, depth: 5)
        }
    }

    /// The value as a text in which every object is `<key>`.
    private static func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .object(let object): "<\(object.objectBinding.key)>"
        case .list(let list): "[\(list.map { text($0) }.joined(separator: ", "))]"
        default: value.bits
        }
    }

    private static func without(_ text: String, _ deleted: Set<ObjectKey>) -> String {
        deleted.reduce(text) { $0.replacingOccurrences(of: "<\($1)>", with: "none") }
    }

    // MARK: traps

    @Test("a list that the value no longer holds")
    func staleList() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let realm = try makeRealmState(classes)
            let box = Box()
            box.any = .fromArray([.int(1)])
            try realm.write { try realm.add(box, update: .error) }
            let list = box.any.listValue
            try realm.write { box.any = .int(1) }
            _ = list?.count
        }
        expectStandardError(result, says: "Collection is no longer valid", "Property 'Box.any'")
    }

    @Test("lists too deep, and one that holds itself")
    func depth() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let realm = try makeRealmState(classes)
            let list = List<AnyRealmValue>()
            list.append(.list(list))
            let box = Box()
            box.any = .list(list)
            try realm.write { try realm.add(box, update: .error) }
        }
        expectStandardError(result, says: "Max nesting level reached", "Property 'Box.any'")
    }

    @Test("an object of a class that the Realm does not hold")
    func stranger() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let realm = try makeRealmState(classes)
            let box = Box()
            box.any = .object(Stranger())
            try realm.write { try realm.add(box, update: .error) }
        }
        expectStandardError(result, says: "Object type 'Stranger' is not managed by the Realm")
    }
}

/// Whether what a process said before it ended contains all of `texts`.
func expectStandardError(_ result: ExitTest.Result?, says texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output.prefix(600))") }
}
