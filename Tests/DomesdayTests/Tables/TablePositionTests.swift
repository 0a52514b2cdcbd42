import Testing

@testable import Domesday

/// Objects found by their place in a table: at once where no key is missing, by counting otherwise.
@Suite("Positions in a table")
struct TablePositionTests {
    final class Item: Object {
        @Persisted var number: Int
    }

    let realm: RealmState
    let table: TableReader

    init() throws {
        realm = try makeRealmState([Item.self])
        table = realm.requireTable(of: Item.self).reader
    }

    private func add(_ count: Int) throws {
        for _ in 0..<count { try realm.add(Item(), update: .error) }
    }

    /// Whether each position leads to the key that a walk over the table finds there.
    private func expectPositions(_ count: Int, _ comment: Comment) throws {
        let keys = try table.allKeys()
        #expect(keys.count == count, comment)
        for (position, key) in keys.enumerated() {
            guard let found = try table.object(at: position) else {
                Issue.record("nothing at \(position): \(comment)")
                return
            }
            #expect(found.key == key, comment)
            let view = ClusterView(found.location.cluster)
            #expect(view.key(found.location.row) == key, comment)
        }
        #expect(try table.object(at: count) == nil, comment)
    }

    @Test(
        "a position is a row, whatever was inserted, deleted or cancelled",
        arguments: [true, false]
    )
    func positions(asksFirst: Bool) throws {
        try realm.write { try add(700) }
        if asksFirst { try expectPositions(700, "no gaps") }
        try realm.write {
            if asksFirst { try expectPositions(700, "nothing changed yet") }
            try add(300)
            try expectPositions(1000, "with pending objects")
        }
        try expectPositions(1000, "with more objects")
        try realm.beginWrite()
        try table.delete([5, 400])
        try expectPositions(998, "with pending gaps")
        try add(20)
        try expectPositions(1018, "with pending gaps and objects")
        realm.cancelWrite()
        try expectPositions(1000, "cancelled")
        try realm.write { try add(3) }
        try expectPositions(1003, "with keys that a cancelled write has spent")
        try realm.write { try table.delete([1]) }
        try expectPositions(1002, "without the first")
    }

    @Test("deletes at the end or of whole clusters do not mislead")
    func gaps() throws {
        try realm.write { try add(768) }
        try expectPositions(768, "full clusters")
        try realm.write { try table.delete(Array(257...512)) }
        try expectPositions(512, "without a cluster")
        try realm.write { try table.delete(Array(760...768)) }
        try expectPositions(503, "without the last")
        try realm.write { try realm.requireTable(of: Item.self).reader.deleteAll() }
        try expectPositions(0, "empty")
        try realm.write { try add(300) }
        try expectPositions(300, "filled anew")
    }
}
