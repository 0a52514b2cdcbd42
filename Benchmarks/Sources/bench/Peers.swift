import SQLitePeer
import Workloads

#if HAS_CORE
import DomesdayPeer
#endif

/// The stores that this build can measure.
@MainActor
enum Peers {
    static let all: [any Peer.Type] = {
        #if HAS_CORE
        [SQLitePeer.self, DomesdayPeer.self]
        #else
        [SQLitePeer.self]
        #endif
    }()

    /// Those that are asked for; all if none is.
    static func named(_ names: [String]) throws(UsageError) -> [any Peer.Type] {
        for name in names where !all.contains(where: { $0.name == name }) {
            throw UsageError(description: "there is no peer '\(name)' in this build")
        }
        return all.filter { names.isEmpty || names.contains($0.name) }
    }
}
