import Foundation
import Testing

@testable import Domesday

private class BitsOfAll: Object {
    @Persisted var texts: List<String?>
    @Persisted var datas: List<Data>
    @Persisted var doubles: List<Double>
    @Persisted var floats: List<Float?>
    @Persisted var ints: List<Int>
    @Persisted var dates: List<Date>
    @Persisted var text = ""
    @Persisted(indexed: true) var indexed = ""
    @Persisted var data = Data()
    @Persisted var double = 0.0
    @Persisted var float: Float = 0
    @Persisted var int = 0
    @Persisted var date = Date(timeIntervalSinceReferenceDate: 0)
}

private class KeyedByText: Object { @Persisted(primaryKey: true) var key: String }
private class KeyedByMaybeText: Object { @Persisted(primaryKey: true) var key: String? }
private class KeyedByInt: Object { @Persisted(primaryKey: true) var key: Int }
private class KeyedByMaybeInt: Object { @Persisted(primaryKey: true) var key: Int? }
private class KeyedByByte: Object { @Persisted(primaryKey: true) var key: Int8 }
private class KeyedByUUID: Object { @Persisted(primaryKey: true) var key: UUID }
private class KeyedByMaybeUUID: Object { @Persisted(primaryKey: true) var key: UUID? }
private class KeyedByObjectId: Object { @Persisted(primaryKey: true) var key: ObjectId }

/// Values at the edges of their types, through the file and back.
@Suite("Bit for bit")
struct BitForBitTests {
    private static let texts = [
        "", "\u{0}", "a\u{0}b", "e\u{301}", "\u{e9}", "🦊👨‍👩‍👧‍👦", "\u{FFFD}\u{10FFFF}",
        String(repeating: "é", count: 1 << 19), String(repeating: "x", count: 8192),
        String(repeating: "x", count: 8193), String(repeating: "x", count: 255),
    ]
    private static let datas =
        texts.map { Data($0.utf8) } + [
            Data([0xFF, 0xFE, 0x80]), Data(repeating: 0, count: 1 << 20),
            Data(repeating: 9, count: 256),
        ]
    private static let doubles: [Double] = [
        0, -0.0, .infinity, -.infinity, .nan, .init(nan: 0x1234, signaling: false), -.nan,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, -1.5,
    ]
    private static let floats: [Float] = [
        0, -0.0, .infinity, -.infinity, .nan, .init(nan: 0x1234, signaling: false),
        .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
    ]
    private static let ints = [
        Int.min, .max, 0, -1, 1, 127, -128, 255, 256, 65535, 65536, -65536, 1 << 32, -(1 << 32) - 1,
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ classes: ObjectBase.Type...) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("bits.domesday"),
                objectTypes: classes
            )
        )
    }

    /// The bytes of everything in it, by property.
    private func bits(_ all: BitsOfAll) -> [[String]] {
        [
            all.texts.map { $0.bits }, all.datas.map { $0.bits }, all.doubles.map { $0.bits },
            all.floats.map { $0.bits }, all.ints.map { $0.bits }, all.dates.map { $0.bits },
            [
                all.text.bits, all.indexed.bits, all.data.bits, all.double.bits, all.float.bits,
                all.int.bits, all.date.bits,
            ],
        ]
    }

    private func fill(_ all: BitsOfAll, _ number: Int) {
        let texts = Self.texts
        all.texts.append(objectsIn: number == 0 ? texts + [nil, "after nil"] : [nil])
        all.datas.append(objectsIn: number == 1 ? Self.datas : [])
        all.doubles.append(objectsIn: Self.doubles)
        all.floats.append(objectsIn: Self.floats.map { $0 } + [nil])
        all.ints.append(objectsIn: Self.ints)
        all.dates.append(objectsIn: Self.doubles.map { Date(timeIntervalSinceReferenceDate: $0) })
        all.text = texts[number % texts.count]
        all.indexed = texts[(number + 1) % texts.count]
        all.data = Self.datas[number % Self.datas.count]
        all.double = Self.doubles[number % Self.doubles.count]
        all.float = Self.floats[number % Self.floats.count]
        all.int = Self.ints[number % Self.ints.count]
        all.date = Date(timeIntervalSinceReferenceDate: Self.doubles[number % Self.doubles.count])
    }

    @Test("values at the edges of their types come back bit for bit, also after an update")
    func edges() throws {
        let count = 20
        let expected = (0..<count).map { number in
            let all = BitsOfAll()
            fill(all, number)
            return bits(all)
        }
        do {
            let realm = try open(BitsOfAll.self)
            try realm.write {
                for number in 0..<count {
                    let all = BitsOfAll()
                    realm.add(all)
                    // Half of them get other values first.
                    if number.isMultiple(of: 2) {
                        fill(all, number + 1)
                        for list in [all.texts] { list.removeAll() }
                        all.datas.removeAll()
                        all.doubles.removeAll()
                        all.floats.removeAll()
                        all.ints.removeAll()
                        all.dates.removeAll()
                    }
                    fill(all, number)
                }
                #expect(realm.objects(BitsOfAll.self).map(bits) == expected)
            }
            #expect(realm.objects(BitsOfAll.self).map(bits) == expected)
        }
        let realm = try open(BitsOfAll.self)
        #expect(realm.objects(BitsOfAll.self).map(bits) == expected)
        #expect(try StoreCheck.findings(in: realm.state.reader.store) == [])
    }

    private func keys<T: Object, Key>(
        _ type: T.Type,
        _ keys: [Key],
        absent: Key,
        _ path: ReferenceWritableKeyPath<T, Key>
    ) throws {
        let name = "\(type)"
        do {
            let realm = try open(type)
            try realm.write {
                for key in keys {
                    let object = T()
                    object[keyPath: path] = key
                    realm.add(object)
                }
            }
        }
        let realm = try open(type)
        for (index, key) in keys.enumerated() {
            let found = realm.object(ofType: type, forPrimaryKey: key)
            #expect(found == realm.objects(type)[index], "\(name) \(key)")
        }
        #expect(realm.object(ofType: type, forPrimaryKey: absent) == nil, "\(name)")
        try realm.write {
            for key in keys { realm.create(type, value: ["key": key], update: .modified) }
        }
        #expect(realm.objects(type).count == keys.count, "\(name)")
    }

    @Test("an object is found by a primary key of any type, nil and edges included")
    func primaryKeys() throws {
        try keys(KeyedByText.self, Self.texts, absent: "e\u{300}", \.key)
    }

    @Test("optional text keys") func maybeText() throws {
        try keys(KeyedByMaybeText.self, [nil, "", "a"], absent: "b", \.key)
    }

    @Test("integer keys") func integers() throws {
        try keys(KeyedByInt.self, Self.ints, absent: 77, \.key)
    }

    @Test("optional integer keys") func maybeIntegers() throws {
        try keys(KeyedByMaybeInt.self, [nil, 0, .min, .max], absent: 1, \.key)
    }

    @Test("narrow integer keys") func bytes() throws {
        try keys(KeyedByByte.self, [-128, 127, 0], absent: 1, \.key)
    }

    @Test("UUID keys") func uuids() throws {
        try keys(KeyedByUUID.self, [ModelField.zeroUUID, UUID()], absent: UUID(), \.key)
    }

    @Test("optional UUID keys") func maybeUUIDs() throws {
        try keys(KeyedByMaybeUUID.self, [nil, ModelField.zeroUUID, UUID()], absent: UUID(), \.key)
    }

    @Test("ObjectId keys") func objectIds() throws {
        try keys(KeyedByObjectId.self, [ObjectId(), .generate()], absent: .generate(), \.key)
    }
}
