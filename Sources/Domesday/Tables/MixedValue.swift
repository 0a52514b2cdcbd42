/// A link from a value of any type: to an object of any table.
struct MixedLink: Hashable, Sendable {
    let table: TableID
    let key: ObjectKey

    /// Its image in the index of the column that it stands in. Two links may share one: who looks
    /// up verifies against the column.
    var image: UInt64 { UInt64(bitPattern: key) &+ UInt64(table) << 48 }
}

/// A value of a column of any type.
///
/// **Shape.** Text, data and identifiers as their bytes, dates as seconds since 2001. A dictionary's
/// entries ascend by the bytes of their keys, each key once.
/// **Threads.** A value; any thread.
indirect enum MixedValue: Equatable, Sendable {
    case none
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(DecimalNumber)
    case string([UInt8])
    case data([UInt8])
    case date(Double)
    case objectId([UInt8])
    case uuid([UInt8])
    case link(MixedLink)
    case list([MixedValue])
    case dictionary([Entry])

    struct Entry: Equatable, Sendable {
        let key: [UInt8]
        var value: MixedValue
    }

    /// How deep lists and dictionaries may lie in each other, as in RealmSwift.
    static let depthLimit = 100

    /// The same with other links; nil in place of one makes it none.
    func replacingLinks(_ replace: (MixedLink) -> MixedLink?) -> MixedValue {
        switch self {
        case .link(let link): return replace(link).map { .link($0) } ?? .none
        case .list(let values): return .list(values.map { $0.replacingLinks(replace) })
        case .dictionary(let entries):
            return .dictionary(
                entries.map { Entry(key: $0.key, value: $0.value.replacingLinks(replace)) }
            )
        default: return self
        }
    }

    /// Calls `body` with each link in it.
    func forEachLink(_ body: (MixedLink) -> Void) {
        switch self {
        case .link(let link): body(link)
        case .list(let values): for value in values { value.forEachLink(body) }
        case .dictionary(let entries): for entry in entries { entry.value.forEachLink(body) }
        default: break
        }
    }
}
