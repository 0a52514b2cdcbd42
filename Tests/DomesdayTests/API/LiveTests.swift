import Foundation
import Testing

@testable import Domesday

private class LiveItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: LiveItem?
    @Persisted var others: List<LiveItem>
    @Persisted(originProperty: "next") var previous: LinkingObjects<LiveItem>
}

/// What happens to whoever looks while something changes.
@Suite("Looking while it changes")
struct LiveTests {
    private let folder: TemporaryFolder
    private let configuration: Realm.Configuration
    private let realm: Realm

    init() throws {
        folder = try TemporaryFolder()
        configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("live.domesday"),
            objectTypes: [LiveItem.self]
        )
        realm = try Realm(configuration: configuration)
        try realm.write {
            var last: LiveItem?
            for id in 0..<700 {
                let item = LiveItem(value: ["id": id])
                item.next = last
                realm.add(item)
                last = item
            }
        }
    }

    @Test("deleting each visited object visits them all")
    func deletingVisited() throws {
        var visited: [Int] = []
        try realm.write {
            for item in realm.objects(LiveItem.self) {
                visited.append(item.id)
                realm.delete(item)
            }
        }
        #expect(visited == Array(0..<700))
        #expect(realm.isEmpty)
    }

    @Test("an object that is deleted before its turn is not visited")
    func deletingAhead() throws {
        var visited: [Int] = []
        try realm.write {
            for item in realm.objects(LiveItem.self) {
                visited.append(item.id)
                let ahead = realm.object(ofType: LiveItem.self, forPrimaryKey: item.id + 1)
                if let ahead { realm.delete(ahead) }
            }
        }
        #expect(visited == Array(stride(from: 0, to: 700, by: 2)))
    }

    @Test("a refresh while visiting goes on among what is left")
    func refreshing() throws {
        var visited: [Int] = []
        for item in realm.objects(LiveItem.self) {
            visited.append(item.id)
            guard item.id == 300 else { continue }
            let configuration = configuration
            let thread = Thread {
                guard let realm = try? Realm(configuration: configuration) else { return }
                try? realm.write {
                    for id in 0..<690 where id != 300 {
                        guard
                            let item = realm.object(ofType: LiveItem.self, forPrimaryKey: id)
                        else { continue }
                        realm.delete(item)
                    }
                    realm.add(LiveItem(value: ["id": 5000]))
                }
            }
            thread.start()
            while !thread.isFinished { usleep(1000) }
            #expect(realm.refresh())
            #expect(item.id == 300)
        }
        #expect(visited == Array(0...300) + Array(690..<700))
        #expect(realm.objects(LiveItem.self).count == 12)
    }

    @Test("visiting a list shows what it held at first, whatever the body removes")
    func list() throws {
        let item = try #require(realm.object(ofType: LiveItem.self, forPrimaryKey: 3))
        try realm.write { item.others.append(objectsIn: realm.objects(LiveItem.self).prefix(10)) }
        var visited: [Int] = []
        try realm.write {
            for other in item.others {
                visited.append(other.id)
                if other.id == 4 { item.others.removeAll() }
                if other.id == 5 { item.others.append(item) }
            }
        }
        #expect(visited == Array(0..<10))
        #expect(item.others.map(\.id) == [3])
    }

    @Test("visiting back-links shows what linked at first, whatever the body unlinks")
    func backLinks() throws {
        let target = try #require(realm.object(ofType: LiveItem.self, forPrimaryKey: 0))
        try realm.write { for item in realm.objects(LiveItem.self) { item.next = target } }
        #expect(target.previous.count == 700)
        var visited = 0
        try realm.write {
            for item in target.previous {
                item.next = nil
                visited += 1
            }
        }
        #expect(visited == 700)
        #expect(target.previous.isEmpty)
    }

    @Test("a Realm that is let go in a write undoes it, and others may write")
    func abandonedWrite() throws {
        let configuration = configuration
        let thread = Thread {
            guard let realm = try? Realm(configuration: configuration) else { return }
            realm.beginWrite()
            realm.deleteAll()
        }
        thread.start()
        while !thread.isFinished { usleep(1000) }
        try realm.write { realm.add(LiveItem(value: ["id": 1000])) }
        #expect(realm.objects(LiveItem.self).count == 701)
    }

    @Test("invalidating ends objects and collections, and leaves the Realm usable")
    func invalidate() throws {
        let item = try #require(realm.objects(LiveItem.self).first)
        let others = item.others
        realm.beginWrite()
        realm.delete(item)
        realm.invalidate()
        #expect(item.isInvalidated && others.isInvalidated && !realm.isInWriteTransaction)
        #expect(realm.objects(LiveItem.self).count == 700)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }
}
