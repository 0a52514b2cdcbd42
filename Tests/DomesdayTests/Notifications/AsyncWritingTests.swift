import Dispatch
import Foundation
import Testing

@testable import Domesday

@Suite("Asynchronous writing")
struct AsyncWritingTests {
    @Test("writes run in order, and tell when they are done")
    func order() throws {
        let observatory = Observatory()
        let log = Counter<[String]>([])
        try observatory.observe { realm in
            for id in 0..<5 {
                realm.writeAsync {
                    log.value.append("write \(id)")
                    realm.add(Node(value: ["id": id]))
                } onComplete: { error in
                    #expect(error == nil)
                    log.value.append("done \(id)")
                }
            }
            #expect(realm.isPerformingAsynchronousWriteOperations && log.value == [])
            // A write at once comes between, whoever waits.
            try realm.write { realm.add(Node(value: ["id": 100])) }
            #expect(realm.objects(Node.self).map(\.id) == [100])
        }
        #expect(observatory.wait { log.value.count == 10 })
        #expect(log.value.filter { $0.hasPrefix("write") } == (0..<5).map { "write \($0)" })
        #expect(log.value.filter { $0.hasPrefix("done") } == (0..<5).map { "done \($0)" })
        try observatory.observe { realm in
            realm.refresh()
            #expect(realm.objects(Node.self).map(\.id) == [100, 0, 1, 2, 3, 4])
            #expect(!realm.isPerformingAsynchronousWriteOperations)
        }
    }

    @Test("begun writes are committed, cancelled, or undone")
    func beginning() throws {
        let observatory = Observatory()
        let log = Counter<[String]>([])
        try observatory.observe { realm in
            realm.beginAsyncWrite {
                realm.add(Node(value: ["id": 1]))
                realm.commitAsyncWrite { _ in log.value.append("committed") }
            }
            realm.beginAsyncWrite {
                realm.add(Node(value: ["id": 2]))
                realm.cancelWrite()
                log.value.append("cancelled")
            }
            realm.beginAsyncWrite {
                realm.add(Node(value: ["id": 3]))
                log.value.append("left")
            }
            let taken = realm.beginAsyncWrite { log.value.append("never") }
            try realm.cancelAsyncWrite(taken)
            #expect(throws: Realm.Error.self) { try realm.cancelAsyncWrite(taken) }
            realm.writeAsync { log.value.append("last") }
        }
        #expect(observatory.wait { log.value.count == 4 })
        #expect(Set(log.value) == ["committed", "cancelled", "left", "last"])
        try observatory.observe { realm in
            realm.refresh()
            #expect(realm.objects(Node.self).map(\.id) == [1])
        }
    }

    @Test("waiting for another writer blocks nobody, and both get their turn")
    func waiting() throws {
        let observatory = Observatory()
        let done = Counter(0)
        let ids = Counter<[Int]>([])
        try observatory.write { other in
            try observatory.observe { realm in
                realm.writeAsync {
                    ids.value = realm.objects(Node.self).map(\.id)
                    realm.add(Node(value: ["id": 2]))
                } onComplete: { _ in
                    done.value += 1
                }
            }
            // The queue is free while the lock is not.
            observatory.queue.sync {}
            #expect(done.value == 0)
            other.add(Node(value: ["id": 1]))
        }
        #expect(observatory.wait { done.value == 1 })
        #expect(ids.value == [1])
    }

    @Test("asyncWrite suspends the task, not the actor")
    @MainActor
    func asyncWrite() async throws {
        let observatory = Observatory()
        let realm = try await Realm(configuration: observatory.configuration)
        let isHeld = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        Thread {
            try? observatory.write { other in
                other.add(Node(value: ["id": 1]))
                isHeld.signal()
                release.wait()
            }
        }.start()
        while isHeld.wait(timeout: .now()) == .timedOut { await Task.yield() }
        let task = Task { @MainActor in
            try await realm.asyncWrite {
                realm.add(Node(value: ["id": 2]))
                return realm.objects(Node.self).count
            }
        }
        let cancelled = Task { @MainActor in
            try await realm.asyncWrite { realm.add(Node(value: ["id": 3])) }
        }
        try await Task.sleep(for: .milliseconds(20))
        // Here we are, while both wait.
        #expect(realm.objects(Node.self).isEmpty)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        release.signal()
        #expect(try await task.value == 2)
        #expect(realm.objects(Node.self).map(\.id) == [1, 2])
        await #expect(throws: CancellationError.self) {
            try await realm.asyncWrite {
                realm.deleteAll()
                throw CancellationError()
            }
        }
        #expect(realm.objects(Node.self).count == 2)
        try observatory.write { $0.deleteAll() }
        #expect(await realm.asyncRefresh() || realm.isEmpty)
        #expect(realm.isEmpty)
    }

    // Each waited on a thread of Dispatch's global queue, which tasks run on as well and which has two
    // or four for each processor: enough of them, and none was left for who had been given the lock.
    @Test("many tasks of many actors write one after the other")
    func manyActors() async throws {
        let observatory = Observatory()
        try observatory.write { $0.add(Tag(value: ["id": 1])) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<24 {
                let adder = Adder()
                for _ in 0..<4 {
                    group.addTask { try await adder.add(10, observatory.configuration) }
                }
            }
            try await group.waitForAll()
        }
        try observatory.write { #expect($0.objects(Tag.self)[0].weight == 960) }
    }

    // A thread that waits in `write` may be the one that the task needs to which the lock was offered.
    @Test("actors that block in write leave tasks that wait their turn")
    func blockedActors() async throws {
        let observatory = Observatory()
        try observatory.write { $0.add(Tag(value: ["id": 1])) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                let adder = Adder()
                group.addTask { try await adder.add(5, observatory.configuration) }
                group.addTask { try await adder.addAtOnce(5, observatory.configuration) }
            }
            try await group.waitForAll()
        }
        try observatory.write { #expect($0.objects(Tag.self)[0].weight == 160) }
    }

    // Its request stayed, and was offered the lock for ever.
    @Test("a Realm that took its write back and went leaves no request behind")
    func takenBack() async throws {
        let observatory = Observatory()
        let other = DispatchQueue(label: "other")
        try observatory.write { realm in
            try other.sync {
                let realm = try Realm(configuration: observatory.configuration, queue: other)
                try realm.cancelAsyncWrite(realm.writeAsync {})
            }
            realm.add(Node(value: ["id": 1]))
        }
        let done = Counter(0)
        try observatory.observe { realm in
            realm.writeAsync {
            } onComplete: { _ in
                done.value += 1
            }
        }
        #expect(try await eventually { done.value == 1 })
    }

    // The write at once takes the lock that the other one waits for.
    @Test("a write goes on waiting when one that came between fails")
    func failureBetween() async throws {
        let observatory = Observatory()
        let done = Counter(0)
        try observatory.observe { realm in
            realm.writeAsync {
                realm.add(Node(value: ["id": 1]))
            } onComplete: { _ in
                done.value += 1
            }
            let writer = try realm.state.reader.store.pages.beginWrite()
            #expect(throws: Realm.Error.self) { try realm.write {} }
            writer.rollback()
        }
        #expect(try await eventually { done.value == 1 })
    }

    @Test("completions come in order on an actor")
    func orderOnActor() async throws {
        let observatory = Observatory()
        let heard = Counter<[Int]>([])
        let adder = Adder()
        try await adder.enqueue(60, observatory.configuration, heard)
        #expect(try await eventually { heard.value.count == 60 })
        #expect(heard.value == Array(0..<60))
        await adder.close()
    }

    @Test("Realms are opened for the calling actor, and in the background")
    func opening() async throws {
        let observatory = Observatory()
        try await Adder().add(1, observatory.configuration)
        let opened = Counter<String>("")
        Realm.asyncOpen(
            configuration: observatory.configuration,
            callbackQueue: observatory.queue
        ) { result in
            if case .success(let realm) = result {
                opened.value = "\(realm.objects(Tag.self).count)"
            }
        }
        #expect(observatory.wait { opened.value == "1" })
        Realm.asyncOpen(
            configuration: .init(fileURL: URL(fileURLWithPath: "/nowhere/at/all")),
            callbackQueue: observatory.queue
        ) { result in
            if case .failure = result { opened.value = "failed" }
        }
        #expect(observatory.wait { opened.value == "failed" })
    }

    @Test("misuse traps", arguments: 0..<3)
    func misuse(_ number: Int) async {
        let result: ExitTest.Result?
        let text: String
        switch number {
        case 0:
            text = "Cannot schedule async transaction."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                Thread {
                    _ = try? Realm(configuration: observatory.configuration).writeAsync {}
                }.start()
                sleep(20)
            }
        case 1:
            text = "asyncWrite() can only be called on main thread or actor-isolated Realms"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                let queue = DispatchQueue(label: "own")
                let realm = try queue.sync {
                    Observation.Handed(
                        try Realm(configuration: observatory.configuration, queue: queue).freeze()
                    )
                }
                try await realm.value.asyncWrite {}
            }
        default:
            text = "from inside a commit completion callback"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                try observatory.observe { realm in
                    realm.writeAsync {
                    } onComplete: { _ in
                        realm.writeAsync {}
                    }
                }
                sleep(20)
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(text), "\(output.prefix(600))")
    }
}

private actor Adder {
    func add(_ count: Int, _ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for _ in 0..<count {
            try await realm.asyncWrite {
                guard let tag = realm.objects(Tag.self).first else {
                    return realm.add(Tag(value: ["id": 1, "weight": 1]))
                }
                tag.weight += 1
            }
        }
    }

    private var kept: Realm?

    func enqueue(
        _ count: Int,
        _ configuration: Realm.Configuration,
        _ heard: Counter<[Int]>
    ) async throws {
        let realm = try await Realm.open(configuration: configuration)
        kept = realm
        for number in 0..<count {
            realm.beginAsyncWrite {
                realm.add(Tag(value: ["id": number]))
                realm.commitAsyncWrite(allowGrouping: true) { _ in
                    heard.change { $0.append(number) }
                }
            }
        }
    }

    func close() { kept = nil }

    func addAtOnce(_ count: Int, _ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for _ in 0..<count {
            await Task.yield()
            try realm.write { realm.objects(Tag.self)[0].weight += 1 }
        }
    }
}
