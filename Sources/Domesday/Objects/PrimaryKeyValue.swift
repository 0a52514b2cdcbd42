import Foundation

/// The value of a primary key: what finds one object among those of its table.
enum PrimaryKeyValue: Hashable, Sendable {
    case null
    case int(Int64)
    case string(String)
    case uuid(UUID)
    case objectId(ObjectId)
}

extension PrimaryKeyValue {
    /// From a value of any type; nil if no primary key can have it.
    ///
    /// The usual types are told by a comparison: a cast would take longer than the look-up.
    @inline(__always)
    init?<Key>(_ key: Key) {
        func load<T>(as type: T.Type) -> T {
            // SAFETY: called once `Key` is known to be `T`.
            withUnsafePointer(to: key) {
                UnsafeRawPointer($0).assumingMemoryBound(to: T.self).pointee
            }
        }
        if Key.self == String.self {
            self = .string(load(as: String.self))
        } else if Key.self == Int.self {
            self = .int(Int64(load(as: Int.self)))
        } else if Key.self == UUID.self {
            self = .uuid(load(as: UUID.self))
        } else if Key.self == ObjectId.self {
            self = .objectId(load(as: ObjectId.self))
        } else {
            self.init(dynamic: key)
        }
    }
}
