// As upstream: code that imports the database alone may name UUID, Date and Data.
@_exported public import Foundation

/// A database of objects, open and confined to one thread, queue or actor.
///
/// **Threads.** Those it was opened on: see the confinement of its `init`.
public struct Realm {
    let state: RealmState

    init(state: RealmState) { self.state = state }

    /// How it was opened.
    public var configuration: Configuration { state.configuration }

    /// The classes it holds.
    public var schema: Schema { Schema(state.tables.map(\.schema).sorted { $0.name < $1.name }) }

    /// What to do when an object to add has the primary key of a stored one.
    public enum UpdatePolicy: Int, Sendable {
        /// Trap.
        case error = 1
        /// Write all properties.
        case all = 2
        /// Write the properties whose values differ.
        case modified = 3
    }
}

@available(*, unavailable, message: "a Realm is confined to its thread, queue or actor")
extension Realm: Sendable {}

extension Realm: Equatable {
    /// Whether both are the same open instance.
    public static func == (a: Realm, b: Realm) -> Bool { a.state === b.state }
}
