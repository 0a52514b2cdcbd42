import Dispatch
import Foundation
import Testing

@testable import Domesday

class Tag: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var weight: Int
}

class Node: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var rank: Int
    @Persisted(indexed: true) var group: Int
    @Persisted var ratio: Double
    @Persisted var note: String?
    @Persisted var link: Node?
    @Persisted var tag: Tag?
    @Persisted var others: List<Node>
    @Persisted var numbers: List<Int>
    @Persisted(originProperty: "others") var listedBy: LinkingObjects<Node>
}

/// A store in memory, a queue that observes it, and a queue that writes to it.
final class Observatory: Sendable {
    let configuration: Realm.Configuration
    let queue = DispatchQueue(label: "observer")
    private let writer = DispatchQueue(label: "writer")
    /// Keeps the store, which lives in memory as long as a Realm of it is open.
    private let keeper: Counter<Observation.Handed<Realm>?>

    init(
        _ name: String = #function,
        objectTypes: [ObjectBase.Type] = [Node.self, Tag.self]
    ) {
        configuration = Realm.Configuration(
            inMemoryIdentifier: "\(name) \(UUID().uuidString)",
            objectTypes: objectTypes
        )
        LeakCheck.begin("memory:" + (configuration.inMemoryIdentifier ?? ""))
        let (configuration, writer) = (configuration, writer)
        keeper = Counter(
            writer.sync {
                (try? Realm(configuration: configuration, queue: writer)).map {
                    Observation.Handed($0)
                }
            }
        )
    }

    /// Gives the store up once nobody else uses it.
    func close() { keeper.value = nil }

    /// Runs `body` where what it observes is told.
    @discardableResult
    func observe<R>(_ body: (Realm) throws -> R) throws -> R {
        try queue.sync { try body(try Realm(configuration: configuration, queue: queue)) }
    }

    /// Commits on another queue.
    func write(_ body: (Realm) throws -> Void) throws {
        try writer.sync {
            let realm = try Realm(configuration: configuration, queue: writer)
            try realm.write { try body(realm) }
        }
    }

    /// Lets the observing queue go through what waits there, until `condition` holds.
    func wait(_ condition: @Sendable () -> Bool) -> Bool {
        for _ in 0..<5000 {
            if queue.sync(execute: condition) { return true }
            usleep(2000)
        }
        return false
    }
}

/// Waits without keeping a thread of Swift's tasks, which what is waited for may need.
func eventually(_ condition: @Sendable () -> Bool) async throws -> Bool {
    for _ in 0..<5000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(2))
    }
    return false
}

/// What tests count on several threads.
final class Counter<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) { lock = Lock(value) }

    var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&$0) } }
}
