import Foundation
import Synchronization
import Testing

@testable import Domesday

private class ReopenedThing: Object { @Persisted var number = 0 }

// A store closes when the last Realm of it goes. A thread that opened the file in that moment found
// no open store in the process, but the file still claimed by the one that was closing.
@Suite("Reopening while closing")
struct ReopeningWhileClosing {
    private func open(_ folder: TemporaryFolder) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("reopened.domesday"),
                objectTypes: [ReopenedThing.self]
            )
        )
    }

    @Test("threads that open and let go of one file at their own pace never find it in use")
    func churn() throws {
        let folder = try TemporaryFolder()
        let failures = Mutex<[String]>([])
        let count = 50 * min(Scale.factor, 20)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<count {
                do {
                    let realm = try open(folder)
                    if number % 5 == thread {
                        try realm.write { realm.add(ReopenedThing(value: [number])) }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        let found = failures.withLock { $0 }
        #expect(found.isEmpty, "\(found.count) failures, first: \(found.first ?? "")")
        let expected = 4 * count / 5
        #expect(try open(folder).objects(ReopenedThing.self).count == expected)
    }

    @Test("a new file that many threads open at once gets one schema")
    func creation() throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    let realm = try open(folder)
                    try realm.write { realm.add(ReopenedThing()) }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(try open(folder).objects(ReopenedThing.self).count == 4)
        }
    }
}
