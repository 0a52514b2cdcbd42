import Dispatch
import Foundation
import Testing

@testable import Domesday

/// One delivery, as text.
private func text<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
    switch change {
    case .initial(let collection): "initial \(collection.count)"
    case .update(let collection, let deletions, let insertions, let modifications):
        "\(collection.count) \(deletions) \(insertions) \(modifications)"
    case .error: "error"
    }
}

@Suite("Delivery of notifications")
struct DeliveryTests {
    @Test("on a queue: at first, after own commits and those of others, in turns of the queue")
    func onQueue() throws {
        let observatory = Observatory()
        let log = Counter<[String]>([])
        let token = try observatory.observe { realm in
            let token = realm.objects(Node.self).observe { log.value.append(text($0)) }
            #expect(log.value == [])
            return token
        }
        #expect(observatory.wait { log.value == ["initial 0"] })
        try observatory.observe { realm in
            try realm.write { realm.add(Node(value: ["id": 1])) }
            #expect(log.value.count == 1)
        }
        #expect(observatory.wait { log.value.count == 2 })
        try observatory.write { $0.objects(Node.self)[0].name = "x" }
        #expect(observatory.wait { log.value.count == 3 })
        #expect(log.value == ["initial 0", "1 [] [0] []", "1 [] [] [0]"])
        token.invalidate()
        try observatory.write { $0.deleteAll() }
        observatory.queue.sync {}
        observatory.queue.sync {}
        #expect(log.value.count == 3)
    }

    @Test("what waits is told before a write begins, and by refresh")
    func synchronously() throws {
        let observatory = Observatory()
        try observatory.observe { realm in
            var log: [String] = []
            let token = realm.objects(Node.self).observe { log.append(text($0)) }
            try observatory.write { $0.add(Node(value: ["id": 1])) }
            realm.refresh()
            #expect(log == ["initial 1"])
            try observatory.write { $0.add(Node(value: ["id": 2])) }
            try realm.write {
                #expect(log == ["initial 1", "2 [] [1] []"])
                realm.add(Node(value: ["id": 3]))
            }
            #expect(log.count == 2)
            realm.refresh()
            #expect(log.last == "3 [] [2] []")
            realm.refresh()
            #expect(log.count == 3)
            withExtendedLifetime(token) {}
        }
    }

    @Test("a commit can be kept from some observers")
    func withoutNotifying() throws {
        let observatory = Observatory()
        try observatory.observe { realm in
            var log: [String] = []
            var others = 0
            let nodes = realm.objects(Node.self)
            let token = nodes.observe { log.append(text($0)) }
            let other = nodes.observe { _ in others += 1 }
            realm.refresh()
            try realm.write(withoutNotifying: [token]) { realm.add(Node(value: ["id": 1])) }
            realm.refresh()
            #expect(log == ["initial 0"] && others == 2)
            try realm.write { realm.add(Node(value: ["id": 2])) }
            realm.refresh()
            #expect(log == ["initial 0", "2 [] [1] []"] && others == 3)
            realm.beginWrite()
            realm.delete(nodes)
            try realm.commitWrite(withoutNotifying: [token, other])
            realm.refresh()
            #expect(log.count == 2 && others == 3)
        }
    }

    @Test("a callback may write; each observer is told what fits what it sees")
    func writingInCallback() throws {
        let observatory = Observatory()
        try observatory.observe { realm in
            var first: [String] = []
            var second: [String] = []
            let nodes = realm.objects(Node.self)
            let tokens = [
                nodes.observe { change in
                    first.append(text(change))
                    guard nodes.count < 3 else { return }
                    try? realm.write { realm.add(Node(value: ["id": nodes.count + 10])) }
                },
                nodes.observe { second.append(text($0)) },
            ]
            realm.refresh()
            #expect(first == ["initial 0"] && second == ["initial 1"])
            for _ in 0..<5 { realm.refresh() }
            #expect(first == ["initial 0", "1 [] [0] []", "2 [] [1] []", "3 [] [2] []"])
            #expect(second == ["initial 1", "2 [] [1] []", "3 [] [2] []"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("a thousand commits: none is lost, none told twice")
    func thousandCommits() throws {
        let observatory = Observatory()
        let seen = Counter<[Int]>([])
        let calls = Counter(0)
        let token = try observatory.observe { realm in
            realm.objects(Node.self).observe { change in
                calls.change { $0 += 1 }
                guard case .update(let nodes, let deletions, let insertions, let modified) = change
                else { return }
                #expect(deletions.isEmpty && modified.isEmpty)
                seen.change { $0 += insertions.map { nodes[$0].id } }
            }
        }
        #expect(observatory.wait { calls.value == 1 })
        let group = DispatchGroup()
        for part in 0..<2 {
            group.enter()
            Thread {
                defer { group.leave() }
                guard let realm = try? Realm(configuration: observatory.configuration) else {
                    return
                }
                for id in 0..<500 {
                    try? realm.write { realm.add(Node(value: ["id": part * 500 + id])) }
                }
            }.start()
        }
        group.wait()
        #expect(observatory.wait { seen.value.count >= 1000 })
        observatory.queue.sync {}
        #expect(seen.value.count == 1000 && Set(seen.value).count == 1000)
        withExtendedLifetime(token) {}
    }

    @Test("observe(on:) another queue tells there, of that queue's own objects")
    func onAnotherQueue() throws {
        let observatory = Observatory()
        try observatory.write { $0.add(Node(value: ["id": 1])) }
        let log = Counter<[String]>([])
        let queue = observatory.queue
        let realm = try Realm(configuration: observatory.configuration)
        let token = realm.objects(Node.self).filter("rank == 0").observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            log.value.append(text(change))
        }
        #expect(observatory.wait { log.value == ["initial 1"] })
        let node = try #require(realm.objects(Node.self).first)
        let objectLog = Counter<[String]>([])
        let objectToken = node.observe(on: queue) { change in
            guard case .change(let node, let properties) = change else {
                return objectLog.value.append("deleted")
            }
            objectLog.value.append("\(node.name) \(properties.map(\.name))")
        }
        queue.sync {}
        try realm.write { node.name = "changed" }
        #expect(observatory.wait { log.value.count == 2 && objectLog.value.count == 1 })
        try realm.write { realm.delete(node) }
        #expect(observatory.wait { log.value.count == 3 && objectLog.value.count == 2 })
        #expect(log.value == ["initial 1", "1 [] [] [0]", "0 [0] [] []"])
        #expect(objectLog.value == ["changed [\"name\"]", "deleted"])
        withExtendedLifetime((token, objectToken)) {}
    }

    @Test("a thread with a run loop is told in its turns, one without is refused")
    func runLoop() async throws {
        let observatory = Observatory()
        let log = Counter<[String]>([])
        let isReady = DispatchSemaphore(value: 0)
        Thread {
            let loop = RunLoop.current
            loop.perform {
                guard let realm = try? Realm(configuration: observatory.configuration) else {
                    return
                }
                let token = realm.objects(Node.self).observe { log.value.append(text($0)) }
                isReady.signal()
                let timer = Timer(timeInterval: 0.01, repeats: true) { timer in
                    if log.value.count == 2 {
                        token.invalidate()
                        timer.invalidate()
                    }
                }
                RunLoop.current.add(timer, forMode: .default)
            }
            let end = Date(timeIntervalSinceNow: 20)
            while log.value.count < 2, Date() < end {
                _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
            }
        }.start()
        isReady.wait()
        for _ in 0..<2000 where log.value.count < 1 { usleep(2000) }
        try observatory.write { $0.add(Node(value: ["id": 1])) }
        for _ in 0..<5000 where log.value.count < 2 { usleep(2000) }
        #expect(log.value == ["initial 0", "1 [] [0] []"])
    }

    @Test("the main actor is told while it awaits")
    @MainActor
    func mainActor() async throws {
        let observatory = Observatory()
        let realm = try Realm(configuration: observatory.configuration)
        var log: [String] = []
        let token = realm.objects(Node.self).observe { log.append(text($0)) }
        for _ in 0..<2000 where log.count < 1 { try await Task.sleep(for: .milliseconds(2)) }
        try observatory.write { $0.add(Node(value: ["id": 1])) }
        for _ in 0..<2000 where log.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(log == ["initial 0", "1 [] [0] []"])
        withExtendedLifetime(token) {}
    }

    @Test("an actor is told of its own Realm's objects")
    func actor() async throws {
        let observatory = Observatory()
        try observatory.write { $0.add(Node(value: ["id": 1])) }
        let watcher = Watcher()
        try await watcher.watch(observatory.configuration)
        for _ in 0..<2000 {
            if await watcher.log.count == 1 { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        try observatory.write { $0.objects(Node.self)[0].name = "x" }
        for _ in 0..<2000 {
            if await watcher.log.count == 3 { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        let log = await watcher.log
        #expect(log == ["initial 1", "1 [] [] [0]", "object [\"name\"]"])
        await watcher.stop()
    }

    @Test("changes come as an asynchronous sequence of frozen collections")
    @MainActor
    func sequence() async throws {
        let observatory = Observatory()
        let realm = try Realm(configuration: observatory.configuration)
        var log: [String] = []
        for await change in realm.objects(Node.self).changes {
            log.append(text(change))
            if log.count == 4 { break }
            try observatory.write { $0.add(Node(value: ["id": log.count])) }
        }
        #expect(log == ["initial 0", "1 [] [0] []", "2 [] [1] []", "3 [] [2] []"])
        let node = try #require(realm.objects(Node.self).first)
        let observed = node.changes.makeAsyncIterator()
        var iterator = observed
        try observatory.write { $0.objects(Node.self)[0].rank = 3 }
        if case .change(let node, let properties)? = await iterator.next(
            isolation: MainActor.shared
        ) {
            #expect(node.isFrozen && node.rank == 3 && properties.map(\.name) == ["rank"])
        } else {
            Issue.record("no change")
        }
        try observatory.write { $0.deleteAll() }
        guard case .deleted? = await iterator.next(isolation: MainActor.shared) else {
            Issue.record("not deleted")
            return
        }
        #expect(await iterator.next(isolation: MainActor.shared) == nil)
    }

    @Test("objects tell which properties changed, from what to what")
    func objects() throws {
        let observatory = Observatory()
        try observatory.write { realm in
            let tag = Tag(value: ["id": 1])
            realm.add(tag)
            realm.add(Node(value: ["id": 1, "name": "a", "tag": tag, "numbers": [1]]))
        }
        try observatory.observe { realm in
            let node = try #require(realm.objects(Node.self).first)
            var log: [String] = []
            var deep: [String] = []
            let describe = { (change: ObjectChange<Node>) -> String in
                guard case .change(let object, let properties) = change else { return "deleted" }
                #expect(object === node)
                return properties.map {
                    "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")"
                }.joined(separator: ", ")
            }
            let tokens = [
                node.observe { log.append(describe($0)) },
                node.observe(keyPaths: [\.tag?.weight, \.rank]) { deep.append(describe($0)) },
            ]
            try observatory.write { realm in
                let node = realm.objects(Node.self)[0]
                node.name = "b"
                node.note = "n"
                node.numbers.append(2)
            }
            try observatory.write { $0.objects(Node.self)[0].name = "c" }
            realm.refresh()
            #expect(log == ["name a c, note nil n, numbers nil nil"] && deep == [])
            try observatory.write { $0.objects(Tag.self)[0].weight = 5 }
            realm.refresh()
            #expect(log.count == 1 && deep == ["tag nil nil"])
            try realm.write { node.rank = 7 }
            realm.refresh()
            #expect(log.last == "rank 0 7" && deep.last == "rank 0 7")
            try realm.write { node.rank = 7 }
            realm.refresh()
            #expect(log.count == 2)
            try realm.write { realm.delete(node) }
            realm.refresh()
            #expect(log.last == "deleted" && deep.last == "deleted")
            try realm.write { realm.add(Node(value: ["id": 1])) }
            realm.refresh()
            #expect(log.count == 3 && deep.count == 3)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("Realms tell when they move, or should")
    func realms() throws {
        let observatory = Observatory()
        try observatory.observe { realm in
            var log: [Realm.Notification] = []
            let token = realm.observe { notification, other in
                #expect(other == realm)
                log.append(notification)
            }
            try realm.write { realm.add(Node(value: ["id": 1])) }
            #expect(log == [.didChange])
            try observatory.write { $0.add(Node(value: ["id": 2])) }
            #expect(log.count == 1 && realm.refresh() && log.count == 2)
            realm.autorefresh = false
            try observatory.write { $0.add(Node(value: ["id": 3])) }
            realm.state.turn()
            #expect(log == [.didChange, .didChange, .refreshRequired])
            #expect(realm.objects(Node.self).count == 2)
            withExtendedLifetime(token) {}
        }
    }

    @Test("a Realm of a queue moves on between turns unless told not to")
    func autorefresh() throws {
        let observatory = Observatory()
        let kept = Counter<Observation.Handed<Realm>?>(nil)
        try observatory.observe { kept.value = Observation.Handed($0) }
        try observatory.write { $0.add(Node(value: ["id": 1])) }
        #expect(observatory.wait { kept.value?.value.objects(Node.self).count == 1 })
        observatory.queue.sync { kept.value?.value.autorefresh = false }
        try observatory.write { $0.add(Node(value: ["id": 2])) }
        for _ in 0..<10 { observatory.queue.sync {} }
        observatory.queue.sync {
            #expect(kept.value?.value.objects(Node.self).count == 1)
            kept.value?.value.refresh()
            #expect(kept.value?.value.objects(Node.self).count == 2)
        }
        kept.value = nil
    }

    @Test("nothing is left of an observation that ended")
    func release() throws {
        let observatory = Observatory()
        weak var store: Store?
        weak var reader: StoreReader?
        weak var notifier: Notifier?
        try observatory.observe { realm in
            store = realm.state.reader.store
            reader = realm.state.reader
            try realm.write { realm.add(Node(value: ["id": 1])) }
            let node = realm.objects(Node.self)[0]
            let tokens = [
                realm.objects(Node.self).observe { _ in }, node.observe { _ in },
                node.others.observe { _ in }, realm.observe { _, _ in },
            ]
            notifier = tokens[0].notifier(in: realm.state)
            realm.refresh()
            try realm.write { node.rank = 1 }
            observatory.close()
            #expect(notifier != nil && realm.activeVersions.count == 1)
            tokens[1].invalidate()
        }
        // The turns that were asked for end by themselves.
        for _ in 0..<3 { observatory.queue.sync {} }
        #expect(notifier == nil)
        #expect(reader == nil && store == nil)
    }
}

private actor Watcher {
    var log: [String] = []
    private var tokens: [NotificationToken] = []

    func watch(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration, actor: self)
        let nodes = realm.objects(Node.self)
        tokens = [
            await nodes.observe(on: self) { watcher, change in watcher.log.append(text(change)) },
            await nodes[0].observe(on: self) { watcher, change in
                if case .change(_, let properties) = change {
                    watcher.log.append("object \(properties.map(\.name))")
                }
            },
        ]
    }

    func stop() { tokens = [] }
}
