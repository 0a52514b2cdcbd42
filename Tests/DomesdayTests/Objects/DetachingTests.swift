import Foundation
import Testing

@testable import Domesday

@Suite("Detached copies")
struct DetachingTests {
    private func makeRealm(_ folder: TemporaryFolder) throws -> Realm {
        try Realm(configuration: DynamicWorld.configuration(folder))
    }

    @Test("a copy has every value and belongs to no Realm")
    func values() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let zoo = try realm.write {
            let zoo = realm.create(DynamicZoo.self, value: ["id": 1])
            for (name, value) in DynamicWorld.values { zoo[name] = value }
            zoo.strings.append(objectsIn: ["a", nil])
            zoo.parts.append(DynamicPart(value: ["label": "p"]))
            return zoo
        }
        let scalars = DynamicWorld.values.map(\.name) + ["id", "strings", "ints", "moods"]
        for copy in [zoo.detached(), zoo.detached(depth: 0), zoo.detached().detached()] {
            #expect(copy.realm == nil && copy != zoo && type(of: copy) == DynamicZoo.self)
            for name in scalars {
                #expect(DynamicWorld.text(copy[name]) == DynamicWorld.text(zoo[name]), "\(name)")
            }
            #expect(copy.parts[0].label == "p" && copy.parts[0].realm == nil)
        }
        let dynamic = realm.dynamicObjects("DynamicZoo")[0].detached()
        #expect(dynamic.realm == nil && dynamic.objectSchema.className == "DynamicZoo")
        for name in scalars {
            #expect(DynamicWorld.text(dynamic[name]) == DynamicWorld.text(zoo[name]), "\(name)")
        }
        dynamic.string = "changed"
        try realm.write { realm.add(dynamic, update: .modified) }
        #expect(zoo.string == "changed" && dynamic == zoo)
    }

    @Test("cycles stay cycles, and depth ends links")
    func graphs() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let first = try realm.write {
            let zoos = (0..<5).map { realm.create(DynamicZoo.self, value: ["id": $0]) }
            for (index, zoo) in zoos.enumerated() {
                zoo.friend = zoos[(index + 1) % 5]
                zoo.friends.append(objectsIn: zoos)
                zoo.part = DynamicPart(value: ["maker": zoos[4]])
            }
            return zoos[0]
        }
        let copy = first.detached()
        #expect(copy.friend?.friend?.friend?.friend?.friend === copy)
        #expect(copy.friends.map(\.id) == [0, 1, 2, 3, 4] && copy.friends[0] === copy)
        #expect(copy.part?.maker === copy.friends[4] && copy.admirers.isEmpty)
        let none = first.detached(depth: 0)
        #expect(none.friend == nil && none.friends.isEmpty && none.part?.maker == nil)
        let one = first.detached(depth: 1)
        #expect(one.friend?.id == 1 && one.friend?.friend == nil && one.friends.count == 5)
        #expect(one.part?.maker?.id == 4 && one.part?.maker === one.friends[4])
        let all = realm.objects(DynamicZoo.self).detached(depth: 1)
        #expect(all.map(\.id) == [0, 1, 2, 3, 4] && all[0].friend === all[1])
        for zoo in all + [copy, one] {
            zoo.friends.removeAll()
            zoo.friend = nil
        }
    }

    @Test("chains of any length are copied")
    func chains() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let last = try realm.write {
            var last: DynamicZoo?
            for id in 0..<20_000 {
                let zoo = realm.create(DynamicZoo.self, value: ["id": id])
                zoo.friend = last
                last = zoo
            }
            return last
        }
        var zoo = try #require(last).detached()
        var count = 1
        // Taken apart from its head: else the release recurses, as with all Swift objects.
        while let next = zoo.friend {
            zoo.friend = nil
            zoo = next
            count += 1
        }
        #expect(count == 20_000 && zoo.id == 0)
    }

    @Test("same objects are equal and have one identity, copies do not")
    func identity() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let zoo = try realm.write { realm.create(DynamicZoo.self, value: ["id": 1]) }
        let again = try #require(realm.object(ofType: DynamicZoo.self, forPrimaryKey: 1))
        let dynamic = realm.dynamicObjects("DynamicZoo")[0]
        let copy = zoo.detached()
        #expect(
            zoo == again && zoo !== again && Set([zoo, again, dynamic as ObjectBase]).count == 1
        )
        #expect(zoo.isEqual(again) && zoo.isEqual(dynamic) && !zoo.isEqual(copy) && !zoo.isEqual(1))
        #expect(zoo.isSameObject(as: dynamic) && !zoo.isSameObject(as: copy) && copy == copy)
        #expect(
            Identified(zoo).id == Identified(again).id && Identified(zoo).id != Identified(copy).id
        )
    }

    private struct Identified {
        let id: Int
        init(_ object: ObjectBase) { id = object.hashValue }
    }
}
