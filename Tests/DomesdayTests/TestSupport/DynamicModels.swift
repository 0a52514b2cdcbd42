import Foundation

@testable import Domesday

// Classes that the tests of dynamic access share: one of every kind of property.

enum DynamicMood: String, PersistableEnum, Codable { case calm, angry }
enum DynamicRank: Int, PersistableEnum, Codable {
    case low = 1
    case high = 7
}

class DynamicZoo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool: Bool
    @Persisted var int8: Int8
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted(indexed: true) var string = "declared"
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var mood = DynamicMood.angry
    @Persisted var rank: DynamicRank?
    @Persisted var optBool: Bool?
    @Persisted var optInt: Int?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optUUID: UUID?
    @Persisted var optObjectId: ObjectId?
    @Persisted var friend: DynamicZoo?
    @Persisted var part: DynamicPart?
    @Persisted var friends: List<DynamicZoo>
    @Persisted var parts: List<DynamicPart>
    @Persisted var ints: List<Int>
    @Persisted var strings: List<String?>
    @Persisted var moods: List<DynamicMood>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<DynamicZoo>
    @Persisted(originProperty: "friends") var groups: LinkingObjects<DynamicZoo>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DynamicPart: EmbeddedObject {
    @Persisted var size = 3
    @Persisted var label: String?
    @Persisted var maker: DynamicZoo?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// As `DynamicZoo`, as far as names go.
class DynamicTwin: Object {
    @Persisted var size: Int
    @Persisted var label: String?
    @Persisted var maker: DynamicZoo?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum DynamicWorld {
    static let classes: [ObjectBase.Type] = [DynamicZoo.self, DynamicPart.self, DynamicTwin.self]

    static func configuration(_ folder: TemporaryFolder) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.path("dynamic.store")),
            objectTypes: classes
        )
    }

    /// Some values other than the defaults, by property.
    static let values: [(name: String, value: any Sendable)] = [
        ("bool", true), ("int8", -7), ("int64", Int(Int32.max) + 5), ("float", Float(1.25)),
        ("double", -0.5), ("string", "élan"), ("data", Data([1, 2, 3])),
        ("date", Date(timeIntervalSinceReferenceDate: 12.345_678_9)),
        ("uuid", UUID()), ("objectId", ObjectId.generate()), ("mood", "calm"), ("rank", 7),
        ("optBool", false), ("optInt", 5), ("optFloat", Float(2)), ("optDouble", 3.5),
        ("optString", ""), ("optData", Data()), ("optDate", Date(timeIntervalSince1970: 1)),
        ("optUUID", UUID()), ("optObjectId", ObjectId()),
    ]

    /// A value as both kinds of accessors should show it.
    static func text(_ value: Any?) -> String {
        guard let value = value.flatMap({ DynamicValue.unwrapped($0) }) else { return "nil" }
        if let object = value as? ObjectBase {
            return "\(object.objectSchema.className)#\(object.objectBinding.key)"
        }
        if let date = value as? Date { return "\(date.timeIntervalSinceReferenceDate.bitPattern)" }
        if let raw = (value as? any RawRepresentable)?.rawValue { return "\(raw)" }
        if let elements = DynamicValue.elements(value) {
            return "[" + elements.map { text($0) }.joined(separator: ",") + "]"
        }
        return "\(value)"
    }

    /// Everything that an object shows, by property.
    static func dump(_ object: ObjectBase) -> String {
        object.objectSchema.properties.map { "\($0.name)=\(text(object[$0.name]))" }
            .joined(separator: "\n")
    }
}

/// What a process that failed said before it ended contains all of `texts`.
func expectOutput(_ result: ExitTestOutput?, says texts: String...) -> Bool {
    let output = String(decoding: result ?? [], as: UTF8.self)
    return texts.allSatisfy { output.contains($0) }
}

typealias ExitTestOutput = [UInt8]
