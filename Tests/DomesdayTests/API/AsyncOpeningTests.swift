import Foundation
import Testing

@testable import Domesday

/// Opens Realms from within an actor.
private actor Clerk {
    func realm(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm(configuration: configuration)
        await Task.yield()
        let same = try await Realm(configuration: configuration, actor: self)
        let third = try await Realm.open(configuration: configuration)
        #expect(realm == same && realm == third)
        try await realm.asyncWrite { realm.add(Tag(value: ["id": realm.objects(Tag.self).count])) }
        return realm.objects(Tag.self).count
    }
}

/// That these compile without a warning in Swift 6 mode is a part of the test.
@Suite("Opening with await")
struct AsyncOpeningTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Node.self, Tag.self]
    )

    @Test("from an actor: the actor's Realm")
    func actor() async throws {
        let keeper = try await Realm(configuration: configuration)
        #expect(try await Clerk().realm(configuration) == 1)
        #expect(try await Clerk().realm(configuration) == 2)
        #expect(keeper.refresh() && keeper.objects(Tag.self).count == 2)
    }

    @Test("from the main actor: the main actor's Realm")
    @MainActor
    func mainActor() async throws {
        let realm = try await Realm(configuration: configuration)
        #expect(try await Realm.open(configuration: configuration) == realm)
        #expect(try Realm(configuration: configuration, queue: nil) == realm)
        await Task.yield()
        try await realm.asyncWrite { realm.add(Tag(value: ["id": 1])) }
        #expect(realm.objects(Tag.self).count == 1)
    }

    @Test("from no actor: the task's Realm, on whatever thread the task goes on")
    func nobody() async throws {
        let realm = try await Realm(configuration: configuration)
        var threads: Set<UInt> = []
        for id in 0..<200 {
            try await realm.asyncWrite { realm.add(Tag(value: ["id": id])) }
            try await Task.sleep(for: .microseconds(50))
            #expect(try await Realm(configuration: configuration) == realm)
            #expect(realm.objects(Tag.self).count == id + 1)
            threads.insert(UInt(pthread_self()))
        }
        print("opening with await: the task ran on \(threads.count) threads")
        let configuration = configuration
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1000..<1004 {
                group.addTask {
                    let own = try await Realm(configuration: configuration)
                    try await own.asyncWrite { own.add(Tag(value: ["id": id])) }
                    await Task.yield()
                    return own.objects(Tag.self).filter("id == %d", id).count
                }
            }
            for try await count in group { #expect(count == 1) }
        }
        #expect(realm.refresh() && realm.objects(Tag.self).count == 204)
        #expect(!realm.refresh())
    }

    @Test("the default configuration's Realm is opened so too, and what fails throws")
    func failing() async throws {
        await #expect(throws: Realm.Error.self) {
            _ = try await Realm(
                configuration: .init(
                    fileURL: URL(fileURLWithPath: "/nowhere/at/all"),
                    objectTypes: [Tag.self]
                )
            )
        }
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            Realm.Configuration.defaultConfiguration = Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("default"),
                objectTypes: [Tag.self]
            )
            let realm = try await Realm()
            try await realm.asyncWrite { realm.add(Tag(value: ["id": 7])) }
            let isSame = try await Realm.open() == realm
            guard isSame, realm.objects(Tag.self).first?.id == 7 else { exit(1) }
        }
    }

    @Test("a task's Realm is no other task's, and cannot be observed", arguments: 0..<2)
    func misuse(_ number: Int) async {
        let result: ExitTest.Result?
        let text: String
        switch number {
        case 0:
            text = "the task 0x"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try await Realm(
                    configuration: .init(inMemoryIdentifier: "a", objectTypes: [Tag.self])
                )
                let handed = Observation.Handed(realm)
                await Task.detached { _ = handed.value.objects(Tag.self).count }.value
            }
        default:
            text = "Can only add notification blocks from within runloops."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let realm = try await Realm(
                    configuration: .init(inMemoryIdentifier: "a", objectTypes: [Tag.self])
                )
                let token = realm.objects(Tag.self).observe { _ in }
                token.invalidate()
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(text), "\(output.prefix(600))")
    }
}
