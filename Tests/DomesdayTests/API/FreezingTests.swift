import Dispatch
import Foundation
import Testing

@testable import Domesday

private class Frost: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var count: Int
    @Persisted var text: String
    @Persisted var friend: Frost?
    @Persisted var friends: List<Frost>
    @Persisted var numbers: List<Int>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Frost>
}

/// Frozen values on their way to other threads.
private struct Box<Value>: @unchecked Sendable {
    // @unchecked: frozen values may be used by several threads at once.
    let value: Value
}

private func configuration(_ name: String) -> Realm.Configuration {
    .init(inMemoryIdentifier: name, objectTypes: [Frost.self])
}

private func filled(_ name: String, _ count: Int = 600) throws -> Realm {
    let realm = try Realm(configuration: configuration(name))
    try realm.write {
        for id in 0..<count {
            let object = Frost(value: ["id": id, "name": "n\(id % 7)", "count": 1])
            object.text = String(repeating: "x", count: id % 90 == 0 ? 9000 : id % 50)
            object.numbers.append(objectsIn: [id, id + 1])
            realm.add(object)
        }
        let all = realm.objects(Frost.self)
        for object in all {
            object.friend = all[(object.id * 7 + 1) % count]
            object.friends.append(all[(object.id * 3 + 1) % count])
        }
    }
    return realm
}

private func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    done.wait()
}

private func expect(_ result: ExitTest.Result?, says texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output.prefix(600))") }
}

@Suite("Freezing")
struct FreezingTests {
    @Test("everything that is frozen keeps what it showed, on every thread")
    func keepsVersion() throws {
        let realm = try filled("keepsVersion")
        let object = try #require(realm.object(ofType: Frost.self, forPrimaryKey: 5))
        let frozen = Box(
            value: (
                realm: realm.freeze(), object: object.freeze(), friends: object.friends.freeze(),
                numbers: object.numbers.freeze(), friendOf: object.friendOf.freeze(),
                all: realm.objects(Frost.self).freeze(),
                some: realm.objects(Frost.self).filter("name == 'n3' AND friend.count == 1")
                    .sorted(byKeyPath: "id", ascending: false).freeze(),
                listed: object.friends.filter("count == 1").freeze()
            )
        )
        let friendOf = object.friendOf.map(\.id)
        try realm.write {
            object.name = "changed"
            for other in realm.objects(Frost.self) { other.count += 1 }
            object.friends.removeAll()
            realm.delete(realm.objects(Frost.self).filter("name == 'n3'"))
        }
        @Sendable func check() {
            let frozen = frozen.value
            #expect(frozen.realm.isFrozen && frozen.object.isFrozen && frozen.friends.isFrozen)
            #expect(frozen.all.isFrozen && frozen.numbers.isFrozen && frozen.friendOf.isFrozen)
            #expect(frozen.realm.objects(Frost.self).count == 600)
            #expect(frozen.object.name == "n5" && frozen.object.friend?.id == 36)
            #expect(frozen.object.count == 1 && frozen.object.isFrozen)
            #expect(frozen.friends.map(\.id) == [16] && frozen.numbers.map { $0 } == [5, 6])
            #expect(frozen.object.friends == frozen.friends)
            #expect(frozen.friendOf.map(\.id) == friendOf)
            #expect(frozen.all.map(\.id) == Array(0..<600) && frozen.all[599].id == 599)
            #expect(frozen.some.count == 86 && frozen.some.first?.id == 598)
            #expect(frozen.some.sum(of: \.count) == 86 && frozen.listed.count == 1)
            #expect(frozen.all.filter("name == 'n3'").count == 86)
            #expect(frozen.realm.object(ofType: Frost.self, forPrimaryKey: 90)?.text.count == 9000)
            #expect(frozen.all.select(\.id, \.count).allSatisfy { $0.1 == 1 })
            #expect(frozen.realm.refresh() == false)
        }
        check()
        onThread(check)
    }

    @Test("a version is frozen once, and what is frozen freezes to itself")
    func sharing() throws {
        let realm = try filled("sharing", 3)
        let object = try #require(realm.objects(Frost.self).first)
        #expect(realm.freeze() == realm.freeze() && realm.freeze() != realm)
        #expect(object.freeze() == object.freeze() && object.freeze() != object)
        let frozen = object.freeze()
        #expect(frozen.freeze() === frozen && frozen.realm == realm.freeze())
        let before = realm.freeze()
        try realm.write { object.count = 2 }
        #expect(realm.freeze() != before)
    }

    @Test("thawing gives the live object of the thread, nil once it is deleted")
    func thawing() throws {
        let realm = try filled("thawing")
        let object = try #require(realm.object(ofType: Frost.self, forPrimaryKey: 5))
        let frozen = Box(value: (object.freeze(), object.friends.freeze()))
        let some = Box(value: realm.objects(Frost.self).filter("name == 'n5'").freeze())
        #expect(object.thaw() === object && frozen.value.0.thaw() == object)
        #expect(frozen.value.0.realm?.thaw() == realm)
        try realm.write { object.count = 9 }
        onThread {
            let live = frozen.value.0.thaw()
            #expect(live?.count == 9 && live?.isFrozen == false && frozen.value.0.count == 1)
            #expect(some.value.thaw()?.count == 85)
            try? live?.realm?.write { live?.count = 10 }
        }
        realm.refresh()
        #expect(object.count == 10)
        try realm.write { realm.delete(object) }
        #expect(frozen.value.0.thaw() == nil && frozen.value.1.thaw() == nil)
        #expect(some.value.thaw()?.count == 84 && some.value.count == 85)
        #expect(frozen.value.0.id == 5)
    }

    @Test("steps and calculations of a query are the same when it is frozen and thawed")
    func steps() throws {
        let realm = try filled("steps")
        let all = realm.objects(Frost.self)
        let live = [
            all.sorted(byKeyPath: "id", ascending: false).limit(5),
            all.distinct(by: ["name"]).offset(2),
            all.limit(20).filter("id + 1 > 10"),
            all.filter("SUBQUERY(friends, $friend, $friend.id > id).@count > 0"),
        ]
        let expected = live.map { $0.map(\.id) }
        let frozen = Box(value: live.map { $0.freeze() })
        try realm.write { realm.delete(all.filter("id < 10 OR id > 80")) }
        onThread {
            #expect(frozen.value.map { $0.map(\.id) } == expected)
            #expect(frozen.value.map(\.count) == expected.map(\.count))
            let thawed = frozen.value.compactMap { $0.thaw() }
            #expect(thawed.count == 4 && thawed[0].count == 5)
            #expect(thawed[0].first?.id != expected[0].first)
        }
    }

    @Test("freezing within a write shows what was before it")
    func withinWrite() throws {
        let realm = try filled("withinWrite")
        let object = try #require(realm.object(ofType: Frost.self, forPrimaryKey: 5))
        try realm.write {
            object.count = 7
            realm.add(Frost(value: ["id": 1000]))
            #expect(object.freeze().count == 1 && realm.freeze().objects(Frost.self).count == 600)
        }
        #expect(object.freeze().count == 7 && realm.freeze().objects(Frost.self).count == 601)
    }

    @Test("threads read one frozen Realm at once while a writer commits")
    func concurrentReaders() throws {
        let folder = try TemporaryFolder()
        let configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("frozen"),
            objectTypes: [Frost.self]
        )
        try autoreleasing {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for id in 0..<1500 {
                    let object = Frost(value: ["id": id, "name": "n\(id % 7)", "count": 1])
                    object.text = String(repeating: "x", count: id % 100 == 0 ? 9000 : id % 50)
                    realm.add(object)
                }
                let all = realm.objects(Frost.self)
                for object in all { object.friends.append(all[(object.id * 3 + 1) % 1500]) }
                realm.delete(all.filter("id == 700"))
            }
        }
        // Opened afresh: nothing is in memory.
        let realm = try Realm(configuration: configuration)
        let object = Box(
            value: try #require(realm.object(ofType: Frost.self, forPrimaryKey: 5)?.freeze())
        )
        let all = Box(value: realm.objects(Frost.self).freeze())
        let some = Box(
            value: realm.objects(Frost.self).filter("name == 'n3' AND count == 1")
                .sorted(byKeyPath: "text").freeze()
        )
        let group = DispatchGroup()
        for seed in 1...4 {
            group.enter()
            Thread {
                defer { group.leave() }
                var random = SplitMix64(seed: UInt64(seed))
                for _ in 0..<(40 * Scale.factor) {
                    let id = Int.random(in: 0..<1499, using: &random)
                    let frozen = object.value.realm
                    if let found = frozen?.object(ofType: Frost.self, forPrimaryKey: id) {
                        #expect(found.count == 1 && found.name == "n\(id % 7)")
                        #expect(found.friends.first?.count ?? 1 == 1)
                        #expect(found.text.count == (id % 100 == 0 ? 9000 : id % 50))
                        #expect(found.friendOf.allSatisfy { $0.count == 1 })
                    }
                    #expect(all.value[id].count == 1 && all.value.sum(of: \.count) == 1499)
                    #expect(some.value.count == 214 && some.value[7].name == "n3")
                    #expect(object.value.friends.count == 1 && object.value.name == "n5")
                }
            }.start()
        }
        for round in 1...(20 * Scale.factor) {
            try realm.write {
                for object in realm.objects(Frost.self) { object.count = round + 1 }
            }
        }
        group.wait()
    }

    @Test("a version is given up with the last value that was frozen at it")
    func release() throws {
        let realm = try filled("release")
        weak var state: RealmState?
        weak var reader: StoreReader?
        do {
            let frozen = try #require(realm.objects(Frost.self).first?.freeze())
            state = frozen.realm?.state
            reader = state?.reader
            #expect(realm.activeVersions.contains { $0.isFrozen } && frozen.id == 0)
            #expect(realm.activeVersions.count == 2)
        }
        #expect(state == nil && reader == nil)
        #expect(realm.activeVersions.map(\.isFrozen) == [false])
    }

    @Test("active versions say who reads what")
    func activeVersions() throws {
        let realm = try filled("activeVersions", 3)
        let frozen = realm.freeze()
        try realm.write { realm.objects(Frost.self)[0].count = 2 }
        let versions = realm.activeVersions
        #expect(versions.count == 2 && versions[0].isFrozen && !versions[1].isFrozen)
        #expect(versions[0].version + 1 == versions[1].version)
        #expect(versions[1].holder.contains("FreezingTests.swift"))
        #expect(versions[0].since <= versions[1].since)
        withExtendedLifetime(frozen) {}
    }
}

private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }

@Suite("Traps of freezing")
struct FreezingTrapTests {
    @Test("what a frozen Realm refuses", arguments: 0..<9)
    func refusals(_ number: Int) async {
        let result: ExitTest.Result?
        switch number {
        case 0:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try filled("a", 3).freeze().write {}
            }
            expect(result, says: "Can't perform transactions on a frozen Realm")
        case 1:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try filled("a", 3).objects(Frost.self)[0].freeze().name = "x"
            }
            expect(
                result,
                says:
                    "Attempting to modify a frozen object - call thaw on the Object instance first.",
                "Property 'Frost.name' of the object with key 1"
            )
        case 2:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try filled("a", 3).objects(Frost.self)[0].freeze().numbers.append(3)
            }
            expect(result, says: "Attempting to modify a frozen object")
        case 3:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = Frost().freeze()
            }
            expect(result, says: "Unmanaged objects cannot be frozen.")
        case 4:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = Frost().thaw()
            }
            expect(result, says: "Unmanaged objects cannot be thawed.")
        case 5:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try filled("a", 3)
                realm.beginWrite()
                let object = Frost(value: ["id": 77])
                realm.add(object)
                _ = object.freeze()
            }
            expect(
                result,
                says: "Cannot freeze an object in the same write transaction as it was created in."
            )
        case 6:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try filled("a", 3).freeze()
                realm.invalidate()
                _ = realm.objects(Frost.self)
            }
            expect(result, says: "Cannot read from a frozen Realm which has been invalidated.")
        case 7:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try filled("a", 3)
                let object = realm.objects(Frost.self)[0]
                try realm.write { realm.delete(object) }
                _ = object.freeze()
            }
            expect(result, says: "Object has been deleted or invalidated.")
        default:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                var configuration = configuration("limited")
                configuration.maximumNumberOfActiveVersions = 2
                let realm = try Realm(configuration: configuration)
                var frozen: [Realm] = []
                for id in 0..<4 {
                    frozen.append(realm.freeze())
                    try realm.write { realm.add(Frost(value: ["id": id])) }
                }
            }
            expect(
                result,
                says: "Number of active versions (3) in the Realm exceeded the limit of 2",
                "FreezingTests.swift"
            )
        }
    }
}

@Suite("Handing over to other threads")
struct HandingOverTests {
    @Test("references resolve to the same objects and collections elsewhere")
    func resolving() throws {
        let realm = try filled("resolving")
        let object = try #require(realm.object(ofType: Frost.self, forPrimaryKey: 5))
        let references = (
            ThreadSafeReference(to: object), ThreadSafeReference(to: object.friends),
            ThreadSafeReference(to: try #require(object.friends.first).friendOf),
            ThreadSafeReference(to: realm.objects(Frost.self).filter("name == 'n5'"))
        )
        try realm.write { object.count = 3 }
        onThread {
            guard let realm = try? Realm(configuration: configuration("resolving")) else {
                Issue.record("cannot open")
                return
            }
            #expect(realm.resolve(references.0)?.count == 3)
            #expect(realm.resolve(references.1)?.first?.id == 16)
            #expect(realm.resolve(references.2)?.map(\.id) == [5, 205, 405])
            #expect(realm.resolve(references.3)?.count == 85)
            #expect(references.0.isInvalidated)
        }
    }

    @Test("an older Realm moves on to a reference's version, and deleted objects give nil")
    func advancing() throws {
        let realm = try filled("advancing", 3)
        let added = Box(value: Lock<ThreadSafeReference<Frost>?>(nil))
        onThread {
            guard let other = try? Realm(configuration: configuration("advancing")) else { return }
            try? other.write {
                let object = Frost(value: ["id": 50])
                other.add(object)
                // Not committed yet.
                let reference = ThreadSafeReference(to: object)
                added.value.withLock { $0 = reference }
            }
        }
        let reference = try #require(added.value.withLock { $0 })
        #expect(realm.objects(Frost.self).count == 3)
        let object = try #require(realm.resolve(reference))
        #expect(object.id == 50 && realm.objects(Frost.self).count == 4)
        let last = ThreadSafeReference(to: object)
        try realm.write { realm.delete(object) }
        #expect(realm.resolve(last) == nil)
    }

    @Test("a thread-safe variable follows its object on every thread")
    func threadSafe() throws {
        let realm = try filled("threadSafe", 3)
        let variable = ThreadSafe(wrappedValue: realm.objects(Frost.self).first)
        onThread {
            guard let object = variable.wrappedValue else {
                Issue.record("not there")
                return
            }
            try? object.realm?.write { object.count = 42 }
        }
        realm.refresh()
        #expect(variable.wrappedValue?.count == 42)
        // The old version was let go.
        #expect(
            realm.activeVersions.map(\.version).min() == realm.activeVersions.map(\.version).max()
        )
        try realm.write { realm.deleteAll() }
        #expect(variable.wrappedValue == nil)
        variable.wrappedValue = nil
        #expect(variable.wrappedValue == nil)
    }

    @Test("misuse of references traps", arguments: 0..<4)
    func misuse(_ number: Int) async {
        let result: ExitTest.Result?
        switch number {
        case 0:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = ThreadSafeReference(to: Frost())
            }
            expect(result, says: "Cannot construct reference to unmanaged object")
        case 1:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try filled("a", 3)
                let reference = ThreadSafeReference(to: realm.objects(Frost.self)[0])
                _ = realm.resolve(reference)
                _ = realm.resolve(reference)
            }
            expect(result, says: "Can only resolve a thread safe reference once.")
        case 2:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try filled("a", 3)
                let object = realm.objects(Frost.self)[0]
                try realm.write { realm.delete(object) }
                _ = ThreadSafeReference(to: object)
            }
            expect(result, says: "Cannot construct reference to invalidated object")
        default:
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = ThreadSafe(wrappedValue: Frost())
            }
            expect(result, says: "Only managed objects may be wrapped as thread safe.")
        }
    }
}
