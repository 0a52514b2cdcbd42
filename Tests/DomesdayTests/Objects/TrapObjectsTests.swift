import Dispatch
import Foundation
import Testing

@testable import Domesday

private class Trapped: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var numbers: List<Int>
    @Persisted var part: TrappedPart?
    @Persisted var parts: List<TrappedPart>
}

private class TrappedPart: EmbeddedObject { @Persisted var x = 0 }

private class Untrapped: Object { @Persisted var x = 0 }

private func stored() throws -> (RealmState, Trapped) {
    let realm = try makeRealmState([Trapped.self, TrappedPart.self])
    let object = Trapped(value: ["id": 7, "part": ["x": 1]] as [String: Any])
    try realm.write { try realm.add(object, update: .error) }
    return (realm, object)
}

/// Whether what the process said before it ended contains all of `texts`.
private func expect(_ result: ExitTest.Result?, says texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output.prefix(600))") }
}

@Suite("Traps of objects")
struct TrapObjectsTests {
    @Test("setting outside a write")
    func outsideWrite() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.name = "no"
        }
        expect(
            result,
            says: "Attempting to modify object outside of a write transaction",
            "Property 'Trapped.name' of the object with key 1"
        )
    }

    @Test("a list changed outside a write")
    func listOutsideWrite() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.numbers.append(1)
        }
        expect(result, says: "Cannot modify managed RLMArray outside of a write transaction.")
    }

    @Test("a deleted object")
    func deleted() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            try realm.write { try realm.delete(object) }
            _ = object.name
        }
        expect(
            result,
            says: "Object has been deleted or invalidated. Object of class 'Trapped' with key 1."
        )
    }

    @Test("a wrong thread, with both threads, class and property named")
    func wrongThread() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            nonisolated(unsafe) let object = try stored().1
            let done = DispatchSemaphore(value: 0)
            let thread = Thread {
                print(object.name)
                done.signal()
            }
            thread.name = "elsewhere"
            thread.start()
            done.wait()
        }
        expect(
            result,
            says: "Realm accessed from incorrect thread.",
            "'Trapped.name'",
            "accessed on thread '",
            "path 'memory'",
            "opened at"
        )
    }

    @Test("a wrong queue")
    func wrongQueue() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = DispatchQueue(label: "mine")
            let realm = try makeRealmState(
                [Untrapped.self],
                confinement: .onQueue(queue)
            )
            try realm.write {}
        }
        expect(result, says: "Realm accessed from incorrect thread.", "queue 'mine'")
    }

    @Test("changing the primary key")
    func primaryKey() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            try realm.write { object.id = 8 }
        }
        expect(result, says: "Primary key can't be changed after an object is inserted.")
    }

    @Test("a managed embedded object linked again")
    func embeddedTwice() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            let part = try #require(object.part)
            try realm.write { object.parts.append(part) }
        }
        expect(result, says: "Cannot add an existing managed embedded object to a List.")
    }

    @Test("a class that the Realm does not hold")
    func unknownClass() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try stored()
            try realm.write { try realm.add(Untrapped(), update: .error) }
        }
        expect(result, says: "Object type 'Untrapped' is not managed by the Realm")
    }

    @Test("an index out of bounds")
    func bounds() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            _ = object.numbers[3]
        }
        expect(result, says: "Index 3 is out of bounds (must be less than 0).")
    }

    @Test("adding outside a write, and an unknown property name")
    func others() async {
        let outside = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try stored()
            try realm.add(Trapped(), update: .error)
        }
        expect(outside, says: "Can only add, remove, or create objects in a Realm in a write")
        let name = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = Trapped()["nope"] }
        expect(name, says: "Invalid property name 'nope' for class 'Trapped'.")
    }

    @Test("objects of a queue's Realm are usable wherever the queue runs")
    func queue() throws {
        let queue = DispatchQueue(label: "right")
        let realm = try makeRealmState([Untrapped.self], confinement: .onQueue(queue))
        nonisolated(unsafe) let shared = realm
        try queue.sync {
            let object = Untrapped()
            try shared.write { try shared.add(object, update: .error) }
            #expect(object.x == 0)
            try shared.write { object.x = 4 }
            #expect(object.x == 4)
        }
    }

    @Test("objects of an actor's Realm are usable on the actor")
    func actor() async throws {
        actor Keeper {
            func run() throws -> Int {
                let realm = try makeRealmState([Untrapped.self], confinement: .onActor(self))
                let object = Untrapped()
                try realm.write { try realm.add(object, update: .error) }
                try realm.write { object.x = 4 }
                return object.x
            }
        }
        #expect(try await Keeper().run() == 4)
        let main = try await MainActor.run {
            let realm = try makeRealmState(
                [Untrapped.self],
                confinement: .onActor(MainActor.shared)
            )
            let object = Untrapped()
            try realm.write { try realm.add(object, update: .error) }
            return object.x
        }
        #expect(main == 0)
    }
}

@Suite("Configuration of Realm objects")
struct ConfigurationObjectsTests {
    @Test("a file and an in-memory identifier exclude each other")
    func places() {
        var configuration = Realm.Configuration(inMemoryIdentifier: "x")
        #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "x")
        configuration.fileURL = URL(fileURLWithPath: "/nowhere/a.realm")
        #expect(configuration.inMemoryIdentifier == nil)
        configuration.inMemoryIdentifier = "y"
        #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "y")
    }
}
