import Foundation
import Testing

@testable import Domesday

/// Collections in leaves, as the tables keep them.
@Suite("Collections in leaves")
struct CollectionLeafTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("leaves.domesday")
    }

    private static let list = 0
    private static let set = 1

    private func open(leafByteLimit: Int = 128) throws -> StoreReader {
        let pages = try SQLitePageStore(path: path, options: .init(durability: .off))
        let store = try Store(
            pages: pages,
            cacheByteLimit: 1 << 16,
            leafByteLimit: leafByteLimit
        )
        let reader = StoreReader(store: store)
        guard reader.tables.isEmpty else { return reader }
        try reader.beginWrite()
        let write = try #require(reader.write)
        let table = write.addTable(named: "Thing", isEmbedded: false)
        try write.addColumn(TableModelTests.column("list", .int, shape: .list), to: table)
        try write.addColumn(TableModelTests.column("set", .string, shape: .set), to: table)
        try reader.commitWrite()
        return reader
    }

    private func table(_ reader: StoreReader) throws -> TableReader {
        try #require(reader.tables[0])
    }

    private func sequence(_ reader: StoreReader, _ key: Int64, _ column: Int) throws
        -> StoredSequence
    {
        let table = try table(reader)
        let place = try #require(try table.locate(key))
        return try table.sequence(column, ClusterView(place.cluster), place.row)
    }

    private func numbers(_ values: some Sequence<Int64>) -> EncodedElements {
        var elements = EncodedElements(SequenceLayout(.list, of: .int, isOptional: false))
        for value in values { withUnsafeBytes(of: value) { elements.append($0) } }
        return elements
    }

    private func texts(_ values: some Sequence<String>) -> EncodedElements {
        var elements = EncodedElements(SequenceLayout(.set, of: .string, isOptional: false))
        for value in values { Array(value.utf8).withUnsafeBytes { elements.append($0) } }
        return elements
    }

    private func list(_ reader: StoreReader, _ key: Int64) throws -> [Int64] {
        var values: [Int64] = []
        let isWhole = try sequence(reader, key, Self.list).forEach {
            values.append($0.loadUnaligned(as: Int64.self))
            return true
        }
        #expect(isWhole)
        return values
    }

    /// The numbers that rows refer to, over all of them.
    private func usedNumbers(_ reader: StoreReader) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        for key in try table(reader).allKeys() {
            for column in [Self.list, Self.set] {
                guard let tree = try sequence(reader, key, column).tree else { continue }
                numbers.insert(tree.number)
                numbers.formUnion(tree.root.leaves.map(\.number))
            }
        }
        return numbers
    }

    @Test("what goes from a collection, or with its object, is nowhere left in the file")
    func nothingIsLeft() throws {
        var random = SplitMix64(seed: Scale.seed)
        print("seed \(Scale.seed)")
        for round in 0..<(6 * Scale.factor) {
            let reader = try open()
            for _ in 0..<4 {
                try reader.beginWrite()
                let table = try table(reader)
                while table.count < 4 { _ = try table.insert() }
                for _ in 0..<20 {
                    let keys = try table.allKeys()
                    let key = keys[Int.random(in: keys.indices, using: &random)]
                    try change(table, key, &random)
                }
                if Int.random(in: 0..<3, using: &random) == 0, let key = try table.allKeys().first {
                    try table.erase([key])
                }
                // In the midst of a transaction, as one that is too large for memory.
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try reader.write?.flush()
                    try change(table, try #require(table.allKeys().last), &random)
                }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    reader.cancelWrite()
                } else {
                    try reader.commitWrite()
                }
                #expect(try StoreCheck.findings(in: reader.store) == [], "round \(round)")
            }
            let used = try usedNumbers(reader)
            let space = try table(reader).spaces.long
            try reader.store.close()
            #expect(try storedNumbers(space) == used, "round \(round)")
        }
    }

    /// Replaces some elements of the list, or all of the set.
    private func change(
        _ table: TableReader,
        _ key: ObjectKey,
        _ random: inout SplitMix64
    ) throws {
        let writer = try table.writer(of: key)
        let view = writer.cluster.view
        if Bool.random(using: &random) {
            let count = try table.elementCount(view, Self.set, writer.row)
            let new = (0..<Int.random(in: 0..<60, using: &random)).map { "element \($0)" }.sorted()
            return try writer.replaceElements(Self.set, 0..<count, with: texts(new))
        }
        let count = try table.elementCount(view, Self.list, writer.row)
        let start = Int.random(in: 0...count, using: &random)
        let end = Int.random(in: start...count, using: &random)
        let added = Int.random(in: 0..<60, using: &random)
        let new = (0..<added).map { _ in Int64.random(in: 0..<1000, using: &random) }
        try writer.replaceElements(Self.list, start..<end, with: numbers(new))
    }

    /// The ids of the blobs in a space of the closed store.
    private func storedNumbers(_ space: Space) throws -> Set<Int64> {
        let connection = try connection()
        defer { connection.close() }
        var numbers: Set<Int64> = []
        guard try connection.hasTable(of: space) else { return [] }
        var last: Int64 = .min
        while let next = try connection.integer(
            "SELECT min(id) FROM s\(space.number) WHERE id > \(last)"
        ), next != 0 {
            numbers.insert(next)
            last = next
        }
        return numbers
    }

    private func connection() throws -> SQLiteConnection {
        try SQLiteConnection(
            file: path,
            path: path,
            role: .writer(.off),
            busyTimeout: .seconds(1)
        )
    }

    @Test(
        "a list that was one byte string, however long, is read and goes into leaves when changed"
    )
    func oldForm() throws {
        let values = (0..<5000).map(Int64.init)
        do {
            let reader = try open(leafByteLimit: .max)
            try reader.beginWrite()
            let table = try table(reader)
            let key = try table.insert()
            try table.writer(of: key).replaceElements(Self.list, 0..<0, with: numbers(values))
            try reader.commitWrite()
            #expect(try sequence(reader, key, Self.list).tree == nil)
            try reader.store.close()
        }
        let reader = try open()
        #expect(try list(reader, 1) == values)
        try reader.beginWrite()
        try table(reader).writer(of: 1).replaceElements(Self.list, 10..<11, with: numbers([-1]))
        try reader.commitWrite()
        #expect(try sequence(reader, 1, Self.list).tree != nil)
        #expect(try list(reader, 1) == values[..<10] + [-1] + values[11...])
        try reader.beginWrite()
        try table(reader).writer(of: 1).replaceElements(Self.list, 3..<5000, with: numbers([]))
        try reader.commitWrite()
        #expect(try sequence(reader, 1, Self.list).tree == nil)
        #expect(try list(reader, 1) == [0, 1, 2])
        #expect(try StoreCheck.findings(in: reader.store) == [])
        #expect(try usedNumbers(reader) == [])
    }

    @Test("appended one by one, elements fill their leaves")
    func appending() throws {
        let reader = try open(leafByteLimit: 800)
        try reader.beginWrite()
        let table = try table(reader)
        let key = try table.insert()
        for value in Int64(0)..<5000 {
            let position = Int(value)..<Int(value)
            try table.writer(of: key).replaceElements(Self.list, position, with: numbers([value]))
        }
        try reader.commitWrite()
        let tree = try #require(try sequence(reader, key, Self.list).tree)
        // The first one is half of what the list was when it became long.
        #expect(tree.root.leaves.dropFirst().dropLast().allSatisfy { $0.byteCount >= 600 })
        #expect(try list(reader, key) == Array(0..<5000))
    }

    @Test("a change rewrites one leaf and the root")
    func oneLeaf() throws {
        let reader = try open(leafByteLimit: 800)
        try reader.beginWrite()
        let key = try table(reader).insert()
        try table(reader).writer(of: key)
            .replaceElements(Self.list, 0..<0, with: numbers(0..<5000))
        try reader.commitWrite()
        let before = try #require(try sequence(reader, key, Self.list).tree).root.leaves
        try reader.beginWrite()
        try table(reader).writer(of: key)
            .replaceElements(Self.list, 2500..<2501, with: numbers([1, 2]))
        try reader.commitWrite()
        let after = try #require(try sequence(reader, key, Self.list).tree).root.leaves
        #expect(after.count == before.count)
        #expect(zip(before, after).filter { $0 != $1 }.count == 1)
    }

    @Test("a leaf that is missing is an error that names it, and the check finds it")
    func missingLeaf() throws {
        let number: Int64
        let space: Space
        do {
            let reader = try open()
            try reader.beginWrite()
            let key = try table(reader).insert()
            try table(reader).writer(of: key)
                .replaceElements(Self.list, 0..<0, with: numbers(0..<500))
            try reader.commitWrite()
            let tree = try #require(try sequence(reader, key, Self.list).tree)
            number = tree.root.leaves[3].number
            space = try table(reader).spaces.long
            try reader.store.close()
        }
        let connection = try connection()
        try connection.execute("DELETE FROM s\(space.number) WHERE id = \(number)")
        connection.close()
        let reader = try open()
        let stored = try sequence(reader, 1, Self.list)
        #expect(stored.count == 500)
        #expect(stored.element(0) != nil && stored.forEach { _ in true } == false)
        let place = try #require(try table(reader).locate(1))
        let error = try table(reader).damagedSequence(ClusterView(place.cluster))
        #expect(error.code == .damaged && error.address == BlobAddress(space: space, id: number))
        #expect(throws: StorageError.self) { try table(reader).loadValues(at: place) }
        #expect(
            try StoreCheck.findings(in: reader.store).contains {
                $0.contains("a leaf of a collection is missing")
            }
        )
    }
}
