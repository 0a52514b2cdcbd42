import Foundation

@testable import Domesday

// Classes with every type of value.

enum ZooKind: Int, PersistableEnum { case cat = 1, dog }
enum ZooSmall: Int8, PersistableEnum { case a = -1, b = 7 }
enum ZooWord: String, PersistableEnum { case yes, no }
enum ZooRatio: Double, PersistableEnum { case half = 0.5, third = 0.25 }
enum ZooFloat: Float, PersistableEnum { case one = 1, two = 2 }

/// Stored as text; not every text is one.
struct ZooLetter: FailableCustomPersistable, Hashable, Sendable {
    let letter: Character

    init(_ letter: Character) { self.letter = letter }

    typealias PersistedType = String
    init?(persistedValue: String) {
        guard persistedValue.count == 1, let first = persistedValue.first else { return nil }
        letter = first
    }
    var persistableValue: String { String(letter) }
    /// What a property without a value has.
    static var a: ZooLetter { ZooLetter("a") }
}

/// Stored as a number.
struct ZooMeters: CustomPersistable, Hashable, Sendable {
    var value: Int

    typealias PersistedType = Int
    init(value: Int) { self.value = value }
    init(persistedValue: Int) { value = persistedValue }
    var persistableValue: Int { value }
}

/// Stored as an embedded object.
struct ZooPoint: CustomPersistable, Hashable, Sendable {
    var x: Int
    var y: Int

    typealias PersistedType = ZooPointObject
    init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    init(persistedValue: ZooPointObject) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: ZooPointObject { ZooPointObject(value: ["x": x, "y": y]) }
}

final class ZooPointObject: EmbeddedObject {
    @Persisted var x = 0
    @Persisted var y = 0
}

final class ValueZoo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool: Bool
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var uuid = ModelField.zeroUUID
    @Persisted var objectId = ObjectId()
    @Persisted var decimal: Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var kind: ZooKind
    @Persisted var small: ZooSmall
    @Persisted var word: ZooWord
    @Persisted var ratio: ZooRatio
    @Persisted var floating: ZooFloat
    @Persisted var letter = ZooLetter.a
    @Persisted(indexed: true) var meters: ZooMeters
    @Persisted var point: ZooPoint
    @Persisted var maybeDecimal: Decimal128?
    @Persisted var maybeKind: ZooKind?
    @Persisted var maybeWord: ZooWord?
    @Persisted var maybeLetter: ZooLetter?
    @Persisted var maybeMeters: ZooMeters?
    @Persisted var maybePoint: ZooPoint?
    @Persisted var friend: ValueZoo?
    @Persisted var decimals: List<Decimal128>
    @Persisted var maybeDecimals: List<Decimal128?>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var kinds: List<ZooKind>
    @Persisted var maybeWords: List<ZooWord?>
    @Persisted var letters: List<ZooLetter>
    @Persisted var maybeLetters: List<ZooLetter?>
    @Persisted var meterList: List<ZooMeters>
    @Persisted var points: List<ZooPoint>
    @Persisted(originProperty: "friend") var friends: LinkingObjects<ValueZoo>
}

let zooClasses: [ObjectBase.Type] = [ValueZoo.self, ZooPointObject.self]

extension ValueZoo {
    /// Everything but links, as one comparable text.
    var contents: [String] {
        ClassSchema.of(ValueZoo.self).properties.filter(\.isStored).compactMap { property in
            if property.name == "friend" { return nil }
            return "\(property.name): \(Self.text(self[property.name]))"
        }
    }

    static func text(_ value: Any?) -> String {
        guard let value = value.flatMap({ DynamicValue.unwrapped($0) }) else { return "nil" }
        switch value {
        case let value as AnyRealmValue:
            return "\(value.kindName) \(text(value.plainForText))"
        case let value as Double: return "\(value.bitPattern)"
        case let value as Data: return "\(Array(value))"
        case let value as String: return value
        default:
            guard let elements = DynamicValue.elements(value) else { return "\(value)" }
            return "\(elements.map { text($0) })"
        }
    }

    /// An object in which no value is a default.
    static func full(_ id: Int) -> ValueZoo {
        let zoo = ValueZoo()
        zoo.id = id
        zoo.bool = true
        zoo.int8 = -8
        zoo.int16 = 16000
        zoo.int32 = .min
        zoo.int64 = .max
        zoo.float = -0.5
        zoo.double = .pi
        zoo.string = "e\u{301} 🦊"
        zoo.data = Data([0, 1, 255])
        zoo.date = Date(timeIntervalSinceReferenceDate: 0.125)
        zoo.uuid = UUID()
        zoo.objectId = .generate()
        zoo.decimal = "-1234567890123456789012345678901234E-6000"
        zoo.any = .fromArray([.int(1), .none, .fromArray([.string("deep"), .decimal128("0.10")])])
        zoo.kind = .dog
        zoo.small = .b
        zoo.word = .no
        zoo.ratio = .third
        zoo.floating = .two
        zoo.letter = ZooLetter("z")
        zoo.meters = ZooMeters(value: 42)
        zoo.point = ZooPoint(x: 1, y: 2)
        zoo.maybeDecimal = "1.50"
        zoo.maybeKind = .cat
        zoo.maybeWord = .yes
        zoo.maybeLetter = ZooLetter("q")
        zoo.maybeMeters = ZooMeters(value: -1)
        zoo.maybePoint = ZooPoint(x: 3, y: 4)
        zoo.decimals.append(objectsIn: ["1", "2.0", "-Inf"])
        zoo.maybeDecimals.append(objectsIn: [nil, "7E+100", nil])
        zoo.anys.append(
            objectsIn: [.none, .bool(true), .string(""), .uuid(UUID()), .data(Data([9]))]
        )
        zoo.kinds.append(objectsIn: [.dog, .cat])
        zoo.maybeWords.append(objectsIn: [nil, .no])
        zoo.letters.append(objectsIn: [ZooLetter("x"), ZooLetter("é")])
        zoo.maybeLetters.append(objectsIn: [nil, ZooLetter("y")])
        zoo.meterList.append(objectsIn: [ZooMeters(value: 5)])
        zoo.points.append(objectsIn: [ZooPoint(x: 5, y: 6), ZooPoint(x: 7, y: 8)])
        return zoo
    }
}

extension AnyRealmValue {
    var kindName: String {
        switch self {
        case .none: "none"
        case .int: "int"
        case .bool: "bool"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .object: "object"
        case .objectId: "objectId"
        case .decimal128: "decimal128"
        case .uuid: "uuid"
        case .list: "list"
        case .dictionary: "dictionary"
        }
    }

    var plainForText: Any? {
        if case .list(let list) = self { return Array(list) }
        if case .dictionary(let map) = self { return map.map { "\($0.key) \($0.value.bits)" } }
        return plainValue
    }
}

/// A Realm over a file of its own, opened again and again.
final class ReopenedRealm {
    let folder: TemporaryFolder
    let configuration: Realm.Configuration

    init(_ classes: [ObjectBase.Type]) throws {
        folder = try TemporaryFolder()
        configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("values.domesday"),
            objectTypes: classes
        )
    }

    /// Runs `body` with the Realm opened anew, and checks the store behind it.
    func open<R>(_ body: (Realm) throws -> R) throws -> R {
        let realm = try Realm(configuration: configuration)
        let result = try body(realm)
        let findings = try StoreCheck.findings(in: realm.state.reader.store)
        if !findings.isEmpty { throw Realm.Error(.fail, findings.joined(separator: "\n")) }
        return result
    }
}
