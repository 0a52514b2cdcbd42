import Domesday
import Foundation
import Workloads

/// Domesday through its public API, as an application would write it.
///
/// W1 to W6, W14 and the commits use the models as they are first; W7 opens the store with an
/// index on `age`, and what follows uses those.
@MainActor
package final class DomesdayPeer: Peer {
    package static let name = "domesday"

    let fileURL: URL
    private var opened: Realm?
    /// Whether the store was opened with the index.
    private(set) var isIndexed = false

    package init(directory: URL) throws {
        fileURL = directory.appending(path: "store.domesday")
        opened = try Realm(configuration: configuration)
    }

    package func close() throws {
        opened?.invalidate()
        opened = nil
    }

    /// - Precondition: The peer is not closed.
    var realm: Realm {
        guard let opened else { preconditionFailure("the peer is closed") }
        return opened
    }

    var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: fileURL, objectTypes: [Person.self, Dog.self])
    }

    /// Closes the store and opens it with the index.
    package func buildIndex() throws -> [Int]? {
        try close()
        opened = try Realm(
            configuration: Realm.Configuration(
                fileURL: fileURL,
                objectTypes: [IndexedPerson.self, IndexedDog.self]
            )
        )
        isIndexed = true
        return []
    }
}
