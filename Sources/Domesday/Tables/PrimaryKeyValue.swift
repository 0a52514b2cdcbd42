import Foundation

/// The value of a primary key: what finds one object among those of its table.
enum PrimaryKeyValue: Hashable, Sendable {
    case null
    case int(Int64)
    case string(String)
    case uuid(UUID)
    case objectId(ObjectId)
}
