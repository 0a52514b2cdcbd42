import Foundation
import Synchronization
import Testing

@testable import Domesday

private class MemoryPage: Object {
    @Persisted(indexed: true) var number = 0
    @Persisted var content = Data()
}

/// What memory a store takes that is many times its cache. In processes of their own, which can be
/// limited and measured.
@Suite(
    "Memory",
    .enabled(if: !ProcessMemory.isSanitized, "sanitizers need memory without bound")
)
struct MemoryTests {
    static let cacheByteLimit = 2 << 20
    static let objectCount = 10_000
    static let contentByteCount = 4000

    private static func configuration(_ path: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            objectTypes: [MemoryPage.self]
        )
        configuration.cacheByteLimit = cacheByteLimit
        return configuration
    }

    /// A store of twenty times the cache.
    private static func fill(_ path: String) throws {
        let realm = try Realm(configuration: configuration(path))
        for start in stride(from: 0, to: objectCount, by: 1000) {
            try realm.write {
                for number in start..<(start + 1000) {
                    let page = MemoryPage()
                    page.number = number
                    page.content = Data(repeating: UInt8(number % 251), count: contentByteCount)
                    realm.add(page)
                }
            }
        }
    }

    /// The sum of all numbers; exits if a content is not what its number says.
    private static func sum(_ realm: Realm) -> Int {
        var sum = 0
        for page in realm.objects(MemoryPage.self) {
            let number = page.number
            let content = page.content
            if content.count != contentByteCount
                || content.last != UInt8((number % objectCount) % 251)
            {
                print("object \(number) has a wrong content")
                exit(3)
            }
            sum += number
        }
        return sum
    }

    private static let firstSum = objectCount * (objectCount - 1) / 2
    private static let secondSum = firstSum + objectCount * objectCount

    @Test("reading a store of twenty times the cache takes the cache and a constant")
    func iteration() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("memory.domesday")
        try Self.fill(path)
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) { [path = path as String] in
            let realm = try Realm(configuration: MemoryTests.configuration(path))
            _ = realm.objects(MemoryPage.self).first?.content
            let before = ProcessMemory.residentByteCount
            for _ in 0..<2 where MemoryTests.sum(realm) != MemoryTests.firstSum { exit(4) }
            let growth = ProcessMemory.peakByteCount - before
            print("grew by \(growth >> 10) kB")
            // Clusters, leaves, SQLite's own pages, and what malloc keeps of it.
            if growth > 3 * MemoryTests.cacheByteLimit + 6 << 20 { exit(5) }
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print("memory: iteration \(output)")
    }

    @Test("all of it is updated in one write while another thread reads the version before")
    func update() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("memory.domesday")
        try Self.fill(path)
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) { [path = path as String] in
            let configuration = MemoryTests.configuration(path)
            let isDone = Atomic(false)
            let rounds = Atomic(0)
            let started = DispatchSemaphore(value: 0)
            let ended = DispatchSemaphore(value: 0)
            let reader = Thread {
                guard let realm = try? Realm(configuration: configuration) else { exit(6) }
                started.signal()
                // At least once after the commit.
                var isLast = false
                while !isLast {
                    isLast = isDone.load(ordering: .acquiring)
                    if MemoryTests.sum(realm) != MemoryTests.firstSum { exit(4) }
                    rounds.add(1, ordering: .relaxed)
                }
                realm.refresh()
                if MemoryTests.sum(realm) != MemoryTests.secondSum { exit(4) }
                ended.signal()
            }
            reader.stackSize = 1 << 20
            let realm = try Realm(configuration: configuration)
            let before = ProcessMemory.residentByteCount
            // Half of the store: nothing may hold it all.
            ProcessMemory.limitGrowth(byteCount: 20 << 20)
            reader.start()
            started.wait()
            try realm.write {
                for page in realm.objects(MemoryPage.self) {
                    page.number += MemoryTests.objectCount
                    // The same bytes, but another value to write.
                    page.content = Data(page.content)
                }
            }
            isDone.store(true, ordering: .releasing)
            if MemoryTests.sum(realm) != MemoryTests.secondSum { exit(4) }
            ended.wait()
            let growth = ProcessMemory.peakByteCount - before
            print("grew by \(growth >> 10) kB, \(rounds.load(ordering: .relaxed)) old readings")
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print("memory: update \(output)")
        let realm = try await Realm(configuration: Self.configuration(path))
        #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
    }
}
