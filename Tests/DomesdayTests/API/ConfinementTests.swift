import Dispatch
import Foundation
import Testing

@testable import Domesday

private class ConfinedPerson: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "Ann"
    @Persisted var friends: List<ConfinedPerson>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<ConfinedPerson>
}

private func configuration(_ name: String) -> Realm.Configuration {
    .init(inMemoryIdentifier: name, objectTypes: [ConfinedPerson.self])
}

/// What may be done with a Realm and what came from it.
private enum Use: String, CaseIterable, Codable, Sendable {
    case read, set, append, count, backLinks, isInvalidated, objects, write, beginWrite, refresh
    case lookUp

    func run(_ realm: Realm, _ person: ConfinedPerson, _ list: List<ConfinedPerson>) throws {
        switch self {
        case .read: _ = person.name
        case .set: person.name = "Bea"
        case .append: list.append(person)
        case .count: _ = list.count
        case .backLinks: _ = person.friendOf.count
        case .isInvalidated: _ = person.isInvalidated
        case .objects: _ = realm.objects(ConfinedPerson.self).count
        case .write: try realm.write {}
        case .beginWrite: realm.beginWrite()
        case .refresh: realm.refresh()
        case .lookUp: _ = realm.object(ofType: ConfinedPerson.self, forPrimaryKey: 0)
        }
    }

    /// What the trap must name beside place and thread.
    var subject: String {
        switch self {
        case .read, .set: "Property 'ConfinedPerson.name' of the object with key 1"
        case .append, .count: "Property 'ConfinedPerson.friends' of the object with key 1"
        case .backLinks, .isInvalidated: "'ConfinedPerson"
        case .objects, .write, .beginWrite, .refresh, .lookUp: "The Realm"
        }
    }
}

/// A person in a Realm, with everything that may be used; for one thread at a time.
private struct Opened: @unchecked Sendable {
    // @unchecked: the tests hand it to wrong threads on purpose.
    let realm: Realm
    let person: ConfinedPerson
    let list: List<ConfinedPerson>

    init(_ realm: Realm) throws {
        self.realm = realm
        let person = ConfinedPerson()
        try realm.write { realm.add(person) }
        self.person = person
        list = person.friends
    }

    func use(_ use: Use) throws { try use.run(realm, person, list) }
}

private actor Keeper {
    private var opened: Opened?

    func open() throws -> Opened {
        let schemas = try SchemaBuilder.schemas(of: [ConfinedPerson.self])
        let store = try Store(pages: MemoryPageStore(path: "kept"), cacheByteLimit: 1 << 20)
        let reader = StoreReader(store: store)
        try SchemaSynchronizer(reader: reader, schemas: schemas, version: 0).run(isReadOnly: false)
        let state = try RealmState(
            reader: reader,
            schemas: schemas,
            path: "kept",
            confinement: .onActor(self),
            openedAt: "ConfinementTests.swift:1"
        )
        let opened = try Opened(Realm(state: state))
        self.opened = opened
        return opened
    }

    /// Uses it in a task that does not run here.
    func leak() async throws {
        let opened = try open()
        try opened.use(.read)
        await Task.yield()
        try opened.use(.read)
        try await Task.detached { try opened.use(.read) }.value
    }

    /// Its place is where its code runs, on whatever thread, and nowhere else.
    func checkPlace() async {
        let home = Confinement.onActor(self).home
        #expect(home.isCurrent)
        for _ in 0..<100 {
            let isThere = await Task.detached { home.isCurrent }.value
            #expect(!isThere && home.isCurrent)
        }
    }

    /// Uses it before and after a suspension, which may change the thread.
    func run() async throws -> String {
        let opened = try self.opened ?? open()
        try opened.realm.write { opened.person.name = "before" }
        for _ in 0..<10 { await Task.yield() }
        try opened.realm.write { opened.person.name += " and after" }
        for use in Use.allCases where use != .set && use != .append && use != .beginWrite {
            try opened.use(use)
        }
        return opened.person.name
    }
}

/// Runs `body` on a thread of its own and waits for it.
private func onThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.name = name
    thread.start()
    done.wait()
}

@Suite("Confinement")
struct ConfinementTests {
    private func expect(_ result: ExitTest.Result?, _ use: Use, owner: String, opened: String) {
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let texts = [
            "Realm accessed from incorrect thread.", use.subject, "belongs to \(owner)",
            "accessed on thread '", "opened at \(opened)",
        ]
        for text in texts { #expect(output.contains(text), "\(output.prefix(500))") }
    }

    @Test(
        "a thread's Realm used on another one traps and names everything",
        arguments: Use.allCases
    )
    fileprivate func thread(_ use: Use) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [use = use as Use] in
            let opened = try Opened(Realm(configuration: configuration("thread")))
            onThread(named: "elsewhere") { try? opened.use(use) }
        }
        expect(result, use, owner: "thread '", opened: "DomesdayTests/ConfinementTests.swift:")
    }

    @Test("a queue's Realm used off the queue traps and names everything", arguments: Use.allCases)
    fileprivate func queue(_ use: Use) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [use = use as Use] in
            let queue = DispatchQueue(label: "library")
            let opened = try queue.sync {
                try Opened(Realm(configuration: configuration("queue"), queue: queue))
            }
            onThread(named: "elsewhere") { try? opened.use(use) }
        }
        expect(
            result,
            use,
            owner: "queue 'library'",
            opened: "DomesdayTests/ConfinementTests.swift:"
        )
    }

    @Test("an actor's Realm used outside of it traps and names everything", arguments: Use.allCases)
    fileprivate func actor(_ use: Use) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [use = use as Use] in
            let opened = try await Keeper().open()
            onThread(named: "elsewhere") { try? opened.use(use) }
        }
        expect(result, use, owner: "actor Keeper", opened: "ConfinementTests.swift:1")
    }

    @Test("a Realm for a queue cannot be opened off the queue")
    func openingOffQueue() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = DispatchQueue(label: "library")
            _ = try Realm(configuration: configuration("off"), queue: queue)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Realm opened from incorrect dispatch queue."))
    }

    @Test("a queue's Realm works in every block of the queue, whatever thread runs it")
    func queueWorks() throws {
        let queue = DispatchQueue(label: "library")
        let target = DispatchQueue(label: "above", target: queue)
        nonisolated(unsafe) var opened: Opened?
        nonisolated(unsafe) var threads: Set<UInt> = []
        nonisolated(unsafe) var failure: (any Error)?
        for round in 0..<20 {
            let done = DispatchSemaphore(value: 0)
            // Of another queue's thread, of this one, and of a queue that leads here.
            let block = {
                do {
                    let open =
                        try opened
                        ?? Opened(Realm(configuration: configuration("works"), queue: queue))
                    opened = open
                    threads.insert(Confinement.currentThread.owner)
                    try open.realm.write { open.person.name = "\(round)" }
                    for use in Use.allCases where ![.set, .append, .beginWrite].contains(use) {
                        try open.use(use)
                    }
                } catch { failure = error }
                done.signal()
            }
            nonisolated(unsafe) let work = block
            switch round % 3 {
            case 0: queue.async { work() }
            case 1: target.async { work() }
            default: onThread(named: "caller") { queue.sync { work() } }
            }
            done.wait()
        }
        #expect(failure == nil)
        #expect(threads.count > 1)
        queue.sync {
            #expect(opened?.person.name == "19")
            opened = nil
        }
    }

    @Test("a queue's Realm used in a block of another queue traps, also inside one of its own")
    func nestedQueue() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = DispatchQueue(label: "library")
            let other = DispatchQueue(label: "elsewhere")
            try queue.sync {
                let opened = try Opened(Realm(configuration: configuration("nested"), queue: queue))
                try opened.use(.read)
                other.sync {}
                try opened.use(.read)
                try other.sync { try opened.use(.read) }
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Realm accessed from incorrect thread."), "\(output.prefix(500))")
        #expect(output.contains("belongs to queue 'library'"))
        #expect(output.contains("Property 'ConfinedPerson.name' of the object with key 1"))
    }

    @Test(
        "an actor's Realm used in a task outside of the actor traps, while the actor waits for it"
    )
    func nestedTask() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try await Keeper().leak()
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Realm accessed from incorrect thread."), "\(output.prefix(500))")
        #expect(output.contains("belongs to actor Keeper"))
    }

    @Test("the place of a queue and of an actor is known only while their code runs")
    func places() async {
        let queue = DispatchQueue(label: "library")
        let other = DispatchQueue(label: "elsewhere")
        let home = Confinement.onQueue(queue).home
        #expect(!home.isCurrent)
        queue.sync {
            #expect(home.isCurrent)
            other.sync { #expect(!home.isCurrent) }
            #expect(home.isCurrent)
        }
        other.sync { queue.sync { #expect(home.isCurrent) } }
        #expect(!home.isCurrent && !ConfinedPlace.nowhere.isCurrent)
        await withCheckedContinuation { done in
            queue.async {
                #expect(home.isCurrent)
                done.resume()
            }
        }
        #expect(!home.isCurrent)
        await Keeper().checkPlace()
    }

    @Test("an actor's Realm works on the actor, also after a suspension")
    func actorWorks() async throws {
        #expect(try await Keeper().run() == "before and after")
    }

    @Test("each thread has its Realm, and sees what others committed after a refresh")
    func manyThreads() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("many.domesday")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [ConfinedPerson.self])
        let realm = try Realm(configuration: configuration)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                let realm = try Realm(configuration: configuration)
                for number in 0..<10 {
                    try realm.write {
                        let person = ConfinedPerson()
                        person.id = thread * 10 + number
                        realm.add(person)
                    }
                }
            } catch { Issue.record(error) }
        }
        realm.refresh()
        #expect(realm.objects(ConfinedPerson.self).map(\.id).sorted() == Array(0..<80))
    }
}
