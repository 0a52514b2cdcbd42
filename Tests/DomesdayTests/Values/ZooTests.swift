import Foundation
import Testing

@testable import Domesday

@Suite("Objects with every type of value")
struct ZooTests {
    private let file: ReopenedRealm

    init() throws { file = try ReopenedRealm(zooClasses) }

    @Test("unmanaged, added, reopened, changed and reopened: all values come back")
    func added() throws {
        let zoo = ValueZoo.full(1)
        let expected = zoo.contents
        #expect(expected.count == 38)
        try file.open { realm in
            try realm.write { realm.add(zoo) }
            #expect(zoo.contents == expected)
        }
        try file.open { realm in
            let stored = try #require(realm.object(ofType: ValueZoo.self, forPrimaryKey: 1))
            #expect(stored.contents == expected)
            try realm.write {
                let plain = ValueZoo()
                for property in ClassSchema.of(ValueZoo.self).properties
                where property.isStored && !property.isPrimaryKey {
                    stored[property.name] = plain[property.name]
                }
            }
        }
        try file.open { realm in
            let stored = try #require(realm.object(ofType: ValueZoo.self, forPrimaryKey: 1))
            let plain = ValueZoo()
            plain.id = 1
            #expect(stored.contents == plain.contents)
            #expect(realm.state.table(of: ZooPointObject.self)?.reader.count == 1)
        }
    }

    @Test("a row that nothing was written to reads as defaults")
    func defaults() throws {
        try file.open { realm in
            try realm.write { realm.add(ValueZoo()) }
            let stored = try #require(realm.objects(ValueZoo.self).first)
            #expect(stored.decimal == 0 && stored.any == .none && stored.kind == .cat)
            #expect(stored.letter == ZooLetter("a") && stored.point == ZooPoint(x: 0, y: 0))
            #expect(stored.maybePoint == nil && stored.maybeDecimal == nil)
        }
    }

    @Test("created from another object, from a dictionary of dynamic values, and updated")
    func created() throws {
        try file.open { realm in
            let source = ValueZoo.full(1)
            try realm.write {
                let copy = realm.create(ValueZoo.self, value: source)
                #expect(copy.contents == source.contents)
                let made = realm.create(
                    ValueZoo.self,
                    value: [
                        "id": 2, "decimal": "0.10", "maybeDecimal": 5, "any": [1, "x", NSNull()],
                        "kind": 2, "word": "no", "ratio": 0.25, "small": 7, "letter": "k",
                        "meters": 9, "point": ["x": 3], "maybePoint": [4, 5],
                        "decimals": [1, "2.5", 0.1], "anys": [true, 2, NSNull()],
                        "maybeLetters": ["u", NSNull()], "points": [["x": 1], ["y": 2]],
                    ] as [String: Any]
                )
                #expect(made.decimal.stringValue == "0.10" && made.maybeDecimal == 5)
                #expect(made.any == .fromArray([.int(1), .string("x"), .none]))
                #expect(made.kind == .dog && made.word == .no && made.ratio == .third)
                #expect(made.letter == ZooLetter("k") && made.meters == ZooMeters(value: 9))
                #expect(made.point == ZooPoint(x: 3, y: 0))
                #expect(made.maybePoint == ZooPoint(x: 4, y: 5))
                #expect(Array(made.decimals) == ["1", "2.5", "0.1"])
                #expect(Array(made.anys) == [.bool(true), .int(2), .none])
                #expect(Array(made.maybeLetters) == [ZooLetter("u"), nil])
                #expect(Array(made.points) == [ZooPoint(x: 1, y: 0), ZooPoint(x: 0, y: 2)])
                _ = realm.create(
                    ValueZoo.self,
                    value: ["id": 2, "any": 7, "maybePoint": NSNull()] as [String: Any],
                    update: .modified
                )
                #expect(made.any == .int(7) && made.maybePoint == nil && made.maybeDecimal == 5)
            }
        }
    }

    @Test("elements of a list that are embedded go when they are removed or replaced")
    func embeddedElements() throws {
        try file.open { realm in
            let zoo = ValueZoo.full(1)
            try realm.write {
                realm.add(zoo)
                zoo.points.remove(at: 0)
                zoo.points[0] = ZooPoint(x: 70, y: 80)
                zoo.points.append(ZooPoint(x: 9, y: 9))
            }
            #expect(Array(zoo.points) == [ZooPoint(x: 70, y: 80), ZooPoint(x: 9, y: 9)])
            // Two points, two elements.
            #expect(realm.state.table(of: ZooPointObject.self)?.reader.count == 4)
            try realm.write { realm.delete(zoo) }
            #expect(realm.state.table(of: ZooPointObject.self)?.reader.count == 0)
        }
    }

    @Test("values that fit no property are refused with class, property and value")
    func refused() throws {
        try file.open { realm in
            realm.beginWrite()
            for (name, value) in [
                ("kind", 99), ("letter", "long"), ("decimal", "x"), ("any", Int.self), ("point", 1),
            ] as [(String, Any)] {
                #expect {
                    _ = try realm.state.create(
                        ValueZoo.self,
                        value: ["id": 3, name: value] as [String: Any],
                        update: .error
                    )
                } throws: {
                    let text = ($0 as? Realm.Error)?.message ?? ""
                    return text.hasPrefix("Invalid value '") && text.contains("'ValueZoo.\(name)'")
                }
            }
            realm.cancelWrite()
        }
    }
}
