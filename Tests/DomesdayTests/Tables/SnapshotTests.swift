import Foundation
import Synchronization
import Testing

@testable import Domesday

/// Versions stay what they were: under writers, eviction and cancelled writes.
@Suite("Versions")
struct SnapshotTests {
    /// A store of one table of integers and texts, in which every object's integer is its version.
    struct World: Sendable {
        let folder: TemporaryFolder
        let store: Store

        init(cacheByteLimit: Int, objectCount: Int) throws {
            folder = try TemporaryFolder()
            store = try Store(
                pages: SQLitePageStore(
                    path: folder.path("versions.domesday"),
                    options: .init(durability: .off)
                ),
                cacheByteLimit: cacheByteLimit
            )
            let reader = StoreReader(store: store)
            try reader.beginWrite()
            let table = try #require(reader.write).addTable(named: "Thing", isEmbedded: false)
            for column in TableModelTests.columns.prefix(4) {
                try reader.write?.addColumn(column, to: table)
            }
            let text = [UInt8](repeating: 120, count: 200)
            for _ in 0..<objectCount {
                let writer = try table.insertRow()
                try writer.setInt(1, 0)
                try text.withUnsafeBytes { bytes throws in try writer.setBytes(bytes, 3) }
                try writer.enterIndexes()
            }
            try reader.commitWrite()
        }

        static func sum(_ reader: StoreReader) throws -> Int64 {
            let table = try #require(reader.tables[0])
            var sum: Int64 = 0
            for ordinal in 0..<table.clusterCount {
                reader.safePoint()
                let view = try table.cluster(ordinal)
                for row in 0..<view.rowCount {
                    sum += view.int(0, row)
                    #expect(
                        try table.bytes(view.payload, column: 3, row: row).count
                            == 200 + Int(view.int(0, row)) - 1
                    )
                }
            }
            return sum
        }

        /// Raises every object's integer by one and its text by a byte.
        static func raise(_ reader: StoreReader) throws {
            let table = try #require(reader.tables[0])
            try reader.beginWrite()
            for key in try table.allKeys() {
                let writer = try table.writer(of: key)
                try writer.setInt(writer.cluster.view.int(0, writer.row) + 1, 0)
                try [UInt8(121)].withUnsafeBytes { bytes throws in
                    try writer.splice(3, at: 200, removing: 0, inserting: bytes)
                }
            }
            try reader.commitWrite()
        }
    }

    @Test("old versions read as they were, though the cache holds a tenth of the store")
    func oldVersions() throws {
        let count = 3000
        let world = try World(cacheByteLimit: 64 << 10, objectCount: count)
        let writer = StoreReader(store: world.store)
        var readers: [StoreReader] = []
        for version in 1...8 {
            readers.append(StoreReader(store: world.store))
            try World.raise(writer)
            for (index, reader) in readers.enumerated() {
                let expected = Int64((index + 1) * count)
                #expect(try World.sum(reader) == expected, "at \(version)")
            }
        }
        let findings = try StoreCheck.findings(in: world.store)
        #expect(findings.isEmpty, "\(findings)")
        #expect(try readers[0].refresh())
        #expect(try World.sum(readers[0]) == Int64(9 * count))
    }

    @Test(
        "readers on other threads see whole versions while one writes",
        arguments: [64 << 20, 64 << 10]
    )
    func concurrentReaders(cacheByteLimit: Int) throws {
        let count = 1500
        let world = try World(cacheByteLimit: cacheByteLimit, objectCount: count)
        let isDone = Atomic(false)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            do {
                if worker == 0 {
                    let writer = StoreReader(store: world.store)
                    for _ in 0..<(10 * min(Scale.factor, 10)) { try World.raise(writer) }
                    isDone.store(true, ordering: .releasing)
                    return
                }
                let reader = StoreReader(store: world.store)
                while !isDone.load(ordering: .acquiring) {
                    try reader.refresh()
                    let sum = try World.sum(reader)
                    if sum != Int64(reader.snapshot.version) * Int64(count) {
                        failures.withLock { $0.append("sum \(sum) at \(reader.snapshot.version)") }
                    }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("keys of a cancelled write are not given to other objects while the process lives")
    func cancelledKeys() throws {
        let world = try World(cacheByteLimit: 1 << 20, objectCount: 3)
        let reader = StoreReader(store: world.store)
        let table = try #require(reader.tables[0])
        try reader.beginWrite()
        let cancelled = try table.insert()
        reader.cancelWrite()
        try reader.beginWrite()
        let kept = try table.insert()
        try reader.commitWrite()
        #expect(kept > cancelled)
        #expect(try table.locate(cancelled) == nil)
    }

    @Test("a column added to a full table reads zero, empty or nil in objects that were there")
    func addedColumn() throws {
        let world = try World(cacheByteLimit: 1 << 20, objectCount: 600)
        let old = StoreReader(store: world.store)
        let reader = StoreReader(store: world.store)
        try reader.beginWrite()
        let table = try #require(reader.tables[0])
        let write = try #require(reader.write)
        for column in [
            TableModelTests.column("late", .int),
            TableModelTests.column("maybe", .double, isOptional: true),
            TableModelTests.column("words", .string),
        ] {
            try write.addColumn(column, to: table)
        }
        try write.removeColumn(1, from: table)
        try table.writer(of: 300).setInt(7, 4)
        try reader.commitWrite()
        for key in [1, 300, 600] as [ObjectKey] {
            let place = try #require(try table.locate(key))
            let view = ClusterView(place.cluster)
            #expect(view.int(4, place.row) == (key == 300 ? 7 : 0))
            #expect(view.state(5, place.row) == 1)
            #expect(try table.bytes(place.cluster, column: 6, row: place.row).isEmpty)
            #expect(view.int(0, place.row) == 1)
        }
        #expect(try World.sum(old) == 600)
        #expect(try StoreCheck.findings(in: world.store) == [])
    }
}
