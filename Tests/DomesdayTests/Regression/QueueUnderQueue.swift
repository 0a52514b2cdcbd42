import Dispatch
import Testing

@testable import Domesday

private class QueuedThing: Object { @Persisted var number = 0 }

// All queues were marked under one key, so a block on a queue that leads to another one saw only
// the mark of the nearest: once both had a Realm, the lower one's trapped there.
@Suite("A queue under a queue")
struct QueueUnderQueue {
    @Test("a queue's Realm works on a queue that leads to it, which has a Realm of its own")
    func both() throws {
        let lower = DispatchQueue(label: "lower")
        let upper = DispatchQueue(label: "upper", target: lower)
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "queues",
            objectTypes: [QueuedThing.self]
        )
        let below = try lower.sync { try Realm(configuration: configuration, queue: lower) }
        try upper.sync {
            let above = try Realm(configuration: configuration, queue: upper)
            try above.write { above.add(QueuedThing()) }
            below.refresh()
            #expect(below.objects(QueuedThing.self).count == 1)
            #expect(above != below)
        }
    }
}
