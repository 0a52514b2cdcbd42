import Foundation
import Testing

@testable import Domesday

/// Random operations on one table against a dictionary, through commits, cancels and reopening.
@Suite("Tables against a model")
struct TableModelTests {
    enum Column {
        static let number = 0
        static let optional = 1
        static let ratio = 2
        static let text = 3
        static let link = 4
        static let list = 5
        static let unique = 6
        static let tag = 7
        static let pair = 8
        static let trio = 9
    }

    struct Row: Equatable {
        var number: Int64 = 0
        var optional: Int64?
        var ratio = 0.0
        var text: [UInt8] = []
        var link: Int64 = 0
        var list: [Int64] = []
        var unique: Int64 = 0
        var tag: Int64?

        /// What no other row may have all of; nil if any is nil.
        var trio: [Int64]? { optional.flatMap { optional in tag.map { [optional, number, $0] } } }
        /// Values of the columns that came later, by id: integers in even ones, text in odd ones.
        var later: [Int: [UInt8]] = [:]
    }

    static func column(
        _ name: String,
        _ type: ColumnType,
        isOptional: Bool = false,
        shape: CollectionShape = .none,
        isIndexed: Bool = false,
        isPrimaryKey: Bool = false,
        target: TableID? = nil,
        isUnique: Bool = false,
        components: [Int] = []
    ) -> ColumnDefinition {
        ColumnDefinition(
            id: 0,
            name: name,
            type: type,
            shape: shape,
            isOptional: isOptional,
            isIndexed: isIndexed,
            isPrimaryKey: isPrimaryKey,
            isRemoved: false,
            target: target,
            isUnique: isUnique,
            components: components
        )
    }

    static let columns: [ColumnDefinition] = [
        column("number", .int, isIndexed: true),
        column("optional", .int, isOptional: true),
        column("ratio", .double),
        column("text", .string, isIndexed: true),
        column("link", .link, target: 0),
        column("list", .link, shape: .list, target: 0),
        column("unique", .int, isPrimaryKey: true),
        column("tag", .int, isOptional: true, isIndexed: true, isUnique: true),
        column("pair", .int, isIndexed: true, components: [Column.number, Column.text]),
        column(
            "trio",
            .int,
            isIndexed: true,
            isUnique: true,
            components: [Column.optional, Column.number, Column.tag]
        ),
    ]

    final class World {
        var store: Store
        var reader: StoreReader
        let open: () throws -> Store
        var model: [Int64: Row] = [:]
        var committed: [Int64: Row] = [:]
        /// Columns, those that came later included.
        var columnCount = TableModelTests.columns.count
        var committedColumnCount = TableModelTests.columns.count
        var random: SplitMix64

        init(seed: UInt64, open: @escaping () throws -> Store) throws {
            self.open = open
            store = try open()
            reader = StoreReader(store: store)
            random = SplitMix64(seed: seed)
            if reader.tables.isEmpty {
                try reader.beginWrite()
                let table = try #require(reader.write).addTable(named: "Thing", isEmbedded: false)
                for column in TableModelTests.columns {
                    try reader.write?.addColumn(column, to: table)
                }
                try reader.commitWrite()
            }
        }

        var table: TableReader {
            guard let table = reader.tables[0] else { fatalError("the table is gone") }
            return table
        }

        func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

        func integer() -> Int64 {
            switch roll(8) {
            case 0: Int64.random(in: .min ... .max, using: &random)
            case 1: [Int64.min, Int64.max, 0, -1][roll(4)]
            default: Int64(roll(100))
            }
        }

        func bytes() -> [UInt8] {
            let count = roll(40) == 0 ? 8000 + roll(3000) : roll(30)
            return (0..<count).map { _ in UInt8(97 + roll(26)) }
        }

        func anyKey() -> Int64? { model.isEmpty ? nil : model.keys.sorted()[roll(model.count)] }

        func step() throws {
            switch roll(20) {
            case 0..<6: try insert()
            case 6..<15: try change()
            case 15..<17: try delete(upTo: 3)
            case 17:
                if roll(6) == 0 { try delete(upTo: 200) }
                if roll(25) == 0, columnCount < 15 { try addColumn() }
            default: for _ in 0..<roll(40) { try insert() }
            }
        }

        func insert() throws {
            let key = try table.insert()
            model[key] = Row()
            let unique = Int64(key) &* 7
            try table.writer(of: key).setInt(unique, Column.unique)
            model[key]?.unique = unique
            try setText(key)
        }

        func addColumn() throws {
            let isText = columnCount % 2 == 1
            let column = TableModelTests.column("later \(columnCount)", isText ? .string : .int)
            try #require(reader.write).addColumn(column, to: table)
            columnCount += 1
        }

        /// A column that came after the first ones.
        func changeLater(_ key: Int64, _ writer: RowWriter) throws {
            let first = TableModelTests.columns.count
            guard columnCount > first else { return }
            let column = first + roll(columnCount - first)
            var value = [UInt8(roll(256))]
            if column % 2 == 1 {
                value = bytes()
                try value.withUnsafeBytes { bytes throws in try writer.setBytes(bytes, column) }
            } else {
                try writer.setInt(Int64(value[0]), column)
            }
            model[key]?.later[column] = value
        }

        func laterValues(_ place: RowLocation) throws -> [Int: [UInt8]] {
            var values: [Int: [UInt8]] = [:]
            let view = ClusterView(place.cluster)
            for column in TableModelTests.columns.count..<columnCount {
                if column % 2 == 1 {
                    let text = try table.bytes(place.cluster, column: column, row: place.row)
                    if text.count > 0 { values[column] = [UInt8](text) }
                } else if view.int(column, place.row) != 0 {
                    values[column] = [UInt8(view.int(column, place.row))]
                }
            }
            return values
        }

        func setText(_ key: Int64) throws {
            let value = bytes()
            try value.withUnsafeBytes {
                bytes throws in
                try table.writer(of: key).setBytes(bytes, Column.text)
            }
            model[key]?.text = value
        }

        func change() throws {
            guard let key = anyKey() else { return }
            let writer = try table.writer(of: key)
            switch roll(9) {
            case 7: try changeLater(key, writer)
            case 8:
                let value = roll(3) == 0 ? nil : integer()
                if let value {
                    try writer.setInt(value, Column.tag)
                } else {
                    try writer.setNil(Column.tag)
                }
                model[key]?.tag = value
            case 0:
                let value = integer()
                try writer.setInt(value, Column.number)
                model[key]?.number = value
            case 1:
                let value = integer()
                try writer.setInt(value, Column.optional)
                model[key]?.optional = value
            case 2:
                try writer.setNil(Column.optional)
                model[key]?.optional = nil
            case 3:
                let value = Double(integer())
                try writer.setDouble(value, Column.ratio)
                model[key]?.ratio = value
            case 4: try setText(key)
            case 5:
                let target = roll(4) == 0 ? 0 : anyKey() ?? 0
                try writer.setInt(target, Column.link)
                model[key]?.link = target
            default: try changeList(key, writer)
            }
        }

        func changeList(_ key: Int64, _ writer: RowWriter) throws {
            var list = model[key]?.list ?? []
            let start = roll(list.count + 1)
            let removed = roll(min(list.count - start, 3) + 1)
            let added = (0..<(roll(30) == 0 ? 1200 : roll(4))).map { _ in anyKey() ?? 0 }
            var new = EncodedElements(SequenceLayout(table.definition.columns[Column.list]))
            for key in added { withUnsafeBytes(of: key) { new.append($0) } }
            try writer.replaceElements(Column.list, start..<(start + removed), with: new)
            list.replaceSubrange(start..<(start + removed), with: added)
            model[key]?.list = list
        }

        func delete(upTo limit: Int) throws {
            let keys = Set((0..<roll(limit + 1)).compactMap { _ in anyKey() }).sorted()
            try table.delete(keys)
            let gone = Set(keys)
            for key in keys { model[key] = nil }
            for (key, row) in model {
                if gone.contains(row.link) { model[key]?.link = 0 }
                if row.list.contains(where: gone.contains) {
                    model[key]?.list.removeAll(where: gone.contains)
                }
            }
        }

        /// The rows that have what another one must not have as well.
        var duplicates: [Int64] {
            var tags: [Int64: Int64] = [:]
            var trios: [[Int64]: Int64] = [:]
            var result: [Int64] = []
            for (key, row) in model.sorted(by: { $0.key < $1.key }) {
                let isKnown = row.tag.map { tags.updateValue(key, forKey: $0) != nil } ?? false
                let isKnownTrio =
                    row.trio.map { trios.updateValue(key, forKey: $0) != nil } ?? false
                if isKnown || isKnownTrio { result.append(key) }
            }
            return result
        }

        /// Looks for duplicates before a commit, and takes them away.
        func mendDuplicates(_ note: String) throws {
            if duplicates.isEmpty { return try reader.checkUnique() }
            let error = #expect(throws: StorageError.self, "\(note)") { try reader.checkUnique() }
            #expect(error?.code == .refused && reader.isWriting, "\(note)")
            for key in duplicates {
                try table.writer(of: key).setNil(Column.tag)
                model[key]?.tag = nil
            }
            try reader.checkUnique()
        }

        func verify(_ note: String) throws {
            #expect(table.count == model.count, "\(note)")
            #expect(try table.allKeys() == model.keys.sorted(), "\(note)")
            var linked: [Int64: [Int64]] = [:]
            var listed: [Int64: [Int64]] = [:]
            for (key, row) in model {
                if row.link != 0 { linked[row.link, default: []].append(key) }
                for target in row.list { listed[target, default: []].append(key) }
            }
            for (key, expected) in model {
                let place = try #require(try table.locate(key), "\(note) key \(key)")
                let view = ClusterView(place.cluster)
                var row = Row()
                row.number = view.int(Column.number, place.row)
                row.optional =
                    view.state(Column.optional, place.row) == 1
                    ? nil : view.int(Column.optional, place.row)
                row.ratio = view.double(Column.ratio, place.row)
                row.link = view.int(Column.link, place.row)
                row.unique = view.int(Column.unique, place.row)
                row.tag =
                    view.state(Column.tag, place.row) == 1 ? nil : view.int(Column.tag, place.row)
                row.text = [UInt8](
                    try table.bytes(place.cluster, column: Column.text, row: place.row)
                )
                row.list = try table.linkList(Column.list, view, place.row).keys
                row.later = try laterValues(place)
                var expected = expected
                expected.later = expected.later.filter { $0.value.contains { $0 != 0 } }
                #expect(row == expected, "\(note) key \(key)")
                var first = CompoundImage(columnCount: 2)
                first.append(IndexValue.int(row.number))
                let pair = try table.compoundImage(Column.pair, view, place.row)
                let paired = try table.index(Column.pair)?.keys(equalTo: pair, from: table)
                #expect(first.range.contains(pair), "\(note) key \(key)")
                #expect(paired?.contains(key) == true, "\(note) key \(key)")
                #expect(try table.firstKey(whereInt: Column.unique, is: expected.unique) == key)
                #expect(
                    try table.sources(of: key, through: Column.link)
                        == (linked[key] ?? []).sorted()
                )
                #expect(
                    try table.sources(of: key, through: Column.list)
                        == (listed[key] ?? []).sorted()
                )
            }
        }
    }

    func run(_ world: World, rounds: Int) throws {
        for round in 0..<rounds {
            try world.reader.beginWrite()
            for _ in 0..<world.roll(60) { try world.step() }
            if world.roll(4) == 0 { try world.verify("round \(round), in the write") }
            if world.roll(5) == 0 {
                world.reader.cancelWrite()
                world.model = world.committed
                world.columnCount = world.committedColumnCount
            } else {
                try world.mendDuplicates("round \(round)")
                try world.reader.commitWrite()
                world.committed = world.model
                world.committedColumnCount = world.columnCount
            }
            if world.roll(3) == 0 { try world.verify("round \(round)") }
            #expect(try StoreCheck.findings(in: world.store) == [], "round \(round)")
        }
        try world.verify("end")
    }

    @Test(
        "any history of writes reads back as a dictionary would",
        arguments: zip([64 << 20, 1 << 16], [SequenceRoot.usualLeafByteLimit, 64])
    )
    func history(cacheByteLimit: Int, leafByteLimit: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("model.domesday")
        print("seed \(Scale.seed)")
        let world = try World(seed: Scale.seed) {
            try Store(
                pages: SQLitePageStore(
                    path: path,
                    options: .init(durability: .off, foldsAtClose: false)
                ),
                cacheByteLimit: cacheByteLimit,
                leafByteLimit: leafByteLimit
            )
        }
        for _ in 0..<(2 + Scale.factor) {
            try run(world, rounds: 12)
            try world.reopenStore()
        }
    }
}

extension TableModelTests.World {
    func reopenStore() throws {
        reader = StoreReader(store: try Store(pages: MemoryPlaceholder(), cacheByteLimit: 0))
        try store.close()
        store = try open()
        reader = StoreReader(store: store)
        try verify("after reopening")
    }
}

/// Holds nothing: stands in while the real store is closed.
final class MemoryPlaceholder: PageStore {
    let path = "nothing"
    let seed: UInt64 = 0
    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? { nil }
    func beginWrite() throws(StorageError) -> any PageWriter { throw refusal }
    func pin() throws(StorageError) -> any PagePin { throw refusal }
    func close() throws(StorageError) {}
    private var refusal: StorageError {
        StorageError(.readOnly, path: path, detail: "holds nothing")
    }
}
