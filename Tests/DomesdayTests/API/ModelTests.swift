import Foundation
import Testing

@testable import Domesday

/// Random operations through the public API, against dictionaries and arrays.
@Suite("A Realm against a model")
struct ModelTests {
    private struct Stop: Error {}

    /// A serial queue with a Realm of its own on the same file.
    private final class Elsewhere {
        let queue = DispatchQueue(label: "elsewhere")
        var realm: Realm?
        /// What the Realm there saw last.
        var seen = WorldState()

        /// Runs `body` on another thread, with the Realm of the queue.
        func run(
            _ configuration: Realm.Configuration,
            _ body: @escaping (Realm, Elsewhere) throws -> Void
        ) throws {
            // SAFETY: this thread waits until the other one is done.
            nonisolated(unsafe) let (this, body) = (self, body)
            nonisolated(unsafe) var failure: (any Error)?
            let done = DispatchSemaphore(value: 0)
            queue.async {
                do {
                    let realm =
                        try this.realm ?? Realm(configuration: configuration, queue: this.queue)
                    this.realm = realm
                    // It is to stay at its version until it is told to move.
                    realm.autorefresh = false
                    try body(realm, this)
                } catch { failure = error }
                done.signal()
            }
            done.wait()
            // Until the queue has let go of what it ran.
            queue.sync {}
            if let failure { throw failure }
        }
    }

    /// One transaction, which may be cancelled, or end in a throw. Returns what is committed now.
    private func transact(
        _ world: ModelWorld,
        _ realm: Realm,
        _ committed: WorldState
    ) throws -> WorldState {
        let before = world.realm
        world.realm = realm
        defer { world.realm = before }
        let steps = world.roll(50)
        switch world.roll(6) {
        case 0:
            realm.beginWrite()
            for _ in 0..<steps { world.step() }
            if world.roll(3) == 0 { world.verify(world.state, "to be cancelled") }
            realm.cancelWrite()
            world.state = committed
        case 1:
            #expect(throws: Stop.self) {
                try realm.write {
                    for _ in 0..<steps { world.step() }
                    throw Stop()
                }
            }
            world.state = committed
        default:
            try realm.write {
                for _ in 0..<steps { world.step() }
                if world.roll(6) == 0 { world.verify(world.state, "in a write") }
            }
        }
        return world.state
    }

    private func round(
        _ world: ModelWorld,
        _ configuration: Realm.Configuration,
        _ elsewhere: Elsewhere
    ) throws {
        let committed = world.state
        switch world.roll(8) {
        case 0:
            try elsewhere.run(configuration) { realm, elsewhere in
                elsewhere.seen = try transact(world, realm, committed)
            }
            // Not refreshed yet.
            world.verify(committed, "before a refresh")
            world.realm.refresh()
        case 1:
            try elsewhere.run(configuration) { realm, elsewhere in
                let own = world.realm
                world.realm = realm
                defer { world.realm = own }
                world.verify(elsewhere.seen, "an old version elsewhere")
                realm.refresh()
                elsewhere.seen = committed
                world.verify(committed, "elsewhere after a refresh")
            }
        default: _ = try transact(world, world.realm, committed)
        }
        if world.roll(2) == 0 { world.verify(world.state, "after a transaction") }
        world.verifyHeld("after a transaction")
        if world.held.count > 60 { world.held.removeFirst(20) }
        if world.roll(12) == 0 { world.frozen.append((world.realm.freeze(), world.state)) }
        if world.frozen.count > 4 { world.frozen.removeFirst() }
        if world.roll(6) == 0, let (realm, state) = world.frozen.first {
            let own = world.realm
            world.realm = realm
            defer { world.realm = own }
            world.verify(state, "frozen")
        }
    }

    private func run(seed: UInt64, cacheByteLimit: Int, rounds: Int) throws {
        let folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("model.domesday"),
            objectTypes: modelClasses
        )
        configuration.cacheByteLimit = cacheByteLimit
        var world = ModelWorld(seed: seed, realm: try Realm(configuration: configuration))
        var steps = 0
        for session in 0..<4 {
            do {
                let elsewhere = Elsewhere()
                // Opened at the version that is committed now.
                elsewhere.seen = world.state
                try elsewhere.run(configuration) { _, _ in }
                for _ in 0..<(rounds / 4) { try round(world, configuration, elsewhere) }
            }
            world.verify(world.state, "at the end of session \(session)")
            let findings = try StoreCheck.findings(in: world.realm.state.reader.store)
            #expect(findings == [], "seed \(seed), session \(session)")
            steps += world.stepCount
            let (state, random, generation) = (world.state, world.random, world.generation)
            try reopen(&world, configuration)
            (world.state, world.random, world.generation) = (state, random, generation)
            world.verify(state, "after reopening")
        }
        print("model: \(steps) steps, \(world.state.nodes.count) nodes, seed \(seed)")
    }

    /// Lets go of everything, so that the store closes, and opens it again.
    private func reopen(_ world: inout ModelWorld, _ configuration: Realm.Configuration) throws {
        weak var store: Store?
        store = world.realm.state.reader.store
        let memory = Realm.Configuration(
            inMemoryIdentifier: "placeholder",
            objectTypes: modelClasses
        )
        world = ModelWorld(seed: 0, realm: try Realm(configuration: memory))
        #expect(store == nil, "the store is still open")
        world = ModelWorld(seed: 0, realm: try Realm(configuration: configuration))
    }

    @Test("any history of writes reads back as a model's", arguments: [64 << 20, 64 << 10])
    func history(cacheByteLimit: Int) throws {
        for run in 0..<Scale.factor {
            let seed = Scale.seed &+ UInt64(run)
            try self.run(seed: seed, cacheByteLimit: cacheByteLimit, rounds: 60)
        }
    }
}
