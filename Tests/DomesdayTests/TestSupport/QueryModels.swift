import Domesday
import Foundation

// The classes that the tests of queries share: one of every kind of property.

enum QueryKind: Int, PersistableEnum, Comparable {
    case low = 1
    case middle = 5
    case high = 9

    static func < (a: QueryKind, b: QueryKind) -> Bool { a.rawValue < b.rawValue }
}

enum QueryMood: String, PersistableEnum {
    case calm, Angry
    case odd = ""
}

class QueryPerson: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted(indexed: true) var number: Int
    @Persisted var optionalNumber: Int?
    @Persisted var small: Int8
    @Persisted var ratio: Double
    @Persisted var optionalRatio: Double?
    @Persisted var single: Float
    @Persisted(indexed: true) var name: String
    @Persisted var nickname: String?
    @Persisted var isGood: Bool
    @Persisted var optionalFlag: Bool?
    @Persisted var birth: Date
    @Persisted var optionalDate: Date?
    @Persisted var token: UUID
    @Persisted var optionalToken: UUID?
    @Persisted var identifier: ObjectId
    @Persisted var kind: QueryKind
    @Persisted var mood: QueryMood?
    @Persisted var payload: Data
    @Persisted var optionalPayload: Data?
    @Persisted var boss: QueryPerson?
    @Persisted var address: QueryAddress?
    @Persisted var friends: List<QueryPerson>
    @Persisted var addresses: List<QueryAddress>
    @Persisted var numbers: List<Int>
    @Persisted var ratios: List<Double?>
    @Persisted var words: List<String?>
    @Persisted var kinds: List<QueryKind>
    @Persisted(originProperty: "boss") var staff: LinkingObjects<QueryPerson>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<QueryPerson>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func compoundIndexes() -> [[String]] {
        [["isGood", "kind"], ["nickname", "number"], ["optionalNumber", "small", "name"]]
    }
}

class QueryAddress: EmbeddedObject {
    @Persisted var street: String
    @Persisted var code: Int?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
