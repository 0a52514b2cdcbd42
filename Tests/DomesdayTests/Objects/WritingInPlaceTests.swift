import Testing

@testable import Domesday

/// Setting a property that needs no more than a store, and those that need more.
@Suite("Writing in place")
struct WritingInPlaceTests {
    final class Reading: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var small: Int
        @Persisted var maybe: Int?
        @Persisted var level: Double?
        @Persisted var isOn: Bool
        @Persisted var byte: Int8
        @Persisted var ratio: Float
    }

    /// The same table for a program that wants an index.
    final class IndexedReading: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted(indexed: true) var small: Int
        @Persisted var maybe: Int?
        @Persisted var level: Double?
        @Persisted var isOn: Bool
        @Persisted var byte: Int8
        @Persisted var ratio: Float

        override class func _realmObjectName() -> String? { "Reading" }
    }

    let store: Store
    let realm: RealmState

    init() throws {
        store = try Store(pages: MemoryPageStore(path: "memory"), cacheByteLimit: 1 << 20)
        realm = try Self.open(store, Reading.self)
        try realm.write {
            for number in 0..<300 {
                let reading = Reading()
                reading.number = number
                reading.small = 1000 + number % 50
                try realm.add(reading, update: .error)
            }
        }
    }

    static func open(_ store: Store, _ type: ObjectBase.Type) throws -> RealmState {
        let schemas = try SchemaBuilder.schemas(of: [type])
        let reader = StoreReader(store: store)
        try SchemaSynchronizer(reader: reader, schemas: schemas, version: 0)
            .run(isReadOnly: false)
        return try RealmState(
            reader: reader,
            schemas: schemas,
            path: "memory",
            confinement: .currentThread,
            openedAt: "WritingInPlaceTests.swift"
        )
    }

    func reading(_ number: Int) throws -> Reading {
        let object = try realm.object(Reading.self, primaryKey: number)
        return try #require(object as? Reading)
    }

    @Test(
        "an integer of any size reads back, whatever the column's width was",
        arguments: [
            0, 1049, 1255, 1256, -1, 65_535, 1 << 31, 1 << 33, Int.min, Int.max, Int.max - 1,
        ]
    )
    func widths(value: Int) throws {
        try realm.write {
            let first = try reading(7)
            let second = try reading(8)
            first.small = 1001
            first.small = value
            second.small = 1002
            #expect(first.small == value)
            #expect(second.small == 1002)
        }
        #expect(try reading(7).small == value)
        #expect(try reading(9).small == 1009)
        #expect(try StoreCheck.findings(in: store) == [])
    }

    @Test("a base far from zero is no way to store a value far from the base")
    func wrappingAround() throws {
        try realm.write {
            for number in 0..<300 { try reading(number).small = Int.max - number % 3 }
        }
        try realm.write {
            let reading = try reading(4)
            reading.small = Int.max - 1
            reading.small = Int.min
            #expect(reading.small == Int.min)
        }
        #expect(try reading(4).small == Int.min)
        #expect(try reading(5).small == Int.max - 2)
    }

    @Test("optionals go from nil to a value and back")
    func optionals() throws {
        try realm.write {
            let reading = try reading(1)
            reading.maybe = 5
            reading.maybe = 6
            reading.level = 0.5
            reading.isOn = true
            reading.byte = -128
            reading.ratio = 0.25
            #expect(reading.maybe == 6)
            reading.maybe = nil
            #expect(reading.maybe == nil)
            reading.maybe = 7
        }
        let one = try reading(1)
        #expect(one.maybe == 7)
        #expect(one.level == 0.5)
        #expect(one.isOn)
        #expect(one.byte == -128)
        #expect(one.ratio == 0.25)
        #expect(try reading(2).maybe == nil)
        #expect(try reading(2).level == nil)
    }

    @Test("a cancelled write takes stores in place back")
    func cancelled() throws {
        let reading = try reading(3)
        try realm.beginWrite()
        reading.small = 1
        reading.small = 2
        realm.cancelWrite()
        #expect(reading.small == 1003)
    }

    @Test("an index that another Realm has made meanwhile is kept right")
    func laterIndex() throws {
        let other = try Self.open(store, IndexedReading.self)
        try realm.write {
            let reading = try reading(5)
            reading.small = 7
            reading.small = 8
        }
        try other.reader.refresh()
        let table = other.requireTable(of: IndexedReading.self)
        let column = try #require(table.column(named: "small"))
        #expect(try table.reader.firstKey(whereInt: column, is: 8) == 6)
        #expect(try table.reader.firstKey(whereInt: column, is: 7) == nil)
        #expect(try StoreCheck.findings(in: store) == [])
    }
}
