import Foundation
import Testing

@testable import Domesday

private class Card: Projection<DynamicZoo> {
    @Projected(\DynamicZoo.string) var title
    @Projected(\DynamicZoo.friend?.string) var friendTitle
    @Projected(\DynamicZoo.part?.size) var size
    @Projected(\DynamicZoo.ints) var ints
    @Projected(\DynamicZoo.friends.projectTo.id) var friendIds: ProjectedCollection<Int>
    @Projected(\DynamicZoo.parts.projectTo.label) var labels: ProjectedCollection<String?>
}

@Suite("Projections")
struct ProjectionTests {
    private func makeRealm(_ folder: TemporaryFolder) throws -> Realm {
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        try realm.write {
            for id in 0..<6 {
                let zoo = realm.create(
                    DynamicZoo.self,
                    value: ["id": id, "string": "s\(id)", "part": ["size": id], "ints": [id]]
                        as [String: Any]
                )
                zoo.friend = realm.objects(DynamicZoo.self).filter("id == %d", id - 1).first
                zoo.friends.append(objectsIn: realm.objects(DynamicZoo.self))
                zoo.parts.append(DynamicPart(value: ["label": "l\(id)"]))
            }
        }
        return realm
    }

    @Test("a projection shows and changes its object")
    func showing() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let zoo = realm.objects(DynamicZoo.self)[2]
        let card = Card(projecting: zoo)
        #expect(card.title == "s2" && card.friendTitle == "s1" && card.size == 2)
        #expect(Array(card.ints) == [2] && Array(card.friendIds) == [0, 1, 2])
        #expect(card.labels[0] == "l2" && card.labels.realm == realm && card.realm == realm)
        try realm.write {
            card.title = "changed"
            card.friendTitle = "friend"
            card.size = 77
            card.ints.append(3)
            zoo.friends.removeLast()
        }
        #expect(zoo.string == "changed" && zoo.friend?.string == "friend" && zoo.part?.size == 77)
        #expect(Array(zoo.ints) == [2, 3] && Array(card.friendIds) == [0, 1])
        #expect(card == Card(projecting: realm.objects(DynamicZoo.self)[2]))
        #expect(card.hashValue == Card(projecting: zoo).hashValue && card.rootObject === zoo)
        #expect(
            card.description.hasPrefix(
                "Card<DynamicZoo> {\n\ttitle = changed;\n\tfriendTitle = friend;"
            )
        )
        let first = Card(projecting: realm.objects(DynamicZoo.self)[0])
        #expect(first.friendTitle == nil)
        try realm.write { first.friendTitle = "nobody" }
        let unmanaged = Card(
            projecting: DynamicZoo(value: ["id": 9, "friends": [["id": 4]]] as [String: Any])
        )
        unmanaged.title = "u"
        #expect(unmanaged.rootObject.string == "u" && Array(unmanaged.friendIds) == [4])
        try realm.write { realm.delete(zoo) }
        #expect(card.isInvalidated && !unmanaged.isInvalidated)
    }

    @Test("results of projections are queried and sorted as their objects")
    func results() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let cards = realm.objects(Card.self)
        #expect(cards.count == 6 && cards[3].title == "s3" && cards.last?.title == "s5")
        #expect(cards.map(\.title) == ["s0", "s1", "s2", "s3", "s4", "s5"])
        #expect(Array(cards).count == 6 && Set(cards).count == 6)
        #expect(cards.filter("friend.string == 's1'").map(\.title) == ["s2"])
        #expect(cards.where { $0.part.size > 3 }.map(\.title) == ["s4", "s5"])
        let sorted = cards.sorted(byKeyPath: "id", ascending: false)
        #expect(sorted.first?.title == "s5" && sorted.index(of: cards[5]) == 0)
        #expect(cards.sorted(by: ["string"]).map(\.title) == cards.map(\.title))
    }

    @Test("a property of all elements is seen as a collection")
    func projectTo() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let all = realm.objects(DynamicZoo.self)
        #expect(Array(all.projectTo.string) == ["s0", "s1", "s2", "s3", "s4", "s5"])
        #expect(Array(all.projectTo.part).map { $0?.size } == [0, 1, 2, 3, 4, 5])
        let ids = all[5].friends.projectTo.id
        #expect(
            ids.count == 6 && ids.description.hasPrefix("ProjectedCollection<Int> {\n\t[0] 0\n")
        )
        try realm.write { all[5].friends.removeAll() }
        #expect(ids.isEmpty && !ids.isInvalidated)
    }
}
