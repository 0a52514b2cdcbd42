import Domesday
import Foundation
import Workloads

/// Domesday through its public API, as an application would write it.
///
/// W7 opens the store with models that want an index, as a new release of an application does.
@MainActor
package final class DomesdayPeer: Peer {
    package static let name = "domesday"

    let fileURL: URL
    private var opened: Realm?
    private var hasTeams = false
    var tokens: [NotificationToken] = []
    /// How often an observer was called.
    var deliveredCount = 0

    package init(directory: URL) throws {
        fileURL = directory.appending(path: "store.domesday")
        opened = try Realm(configuration: configuration)
    }

    package func close() throws {
        for token in tokens { token.invalidate() }
        tokens = []
        opened?.invalidate()
        opened = nil
    }

    /// - Precondition: The peer is not closed.
    var realm: Realm {
        guard let opened else { preconditionFailure("the peer is closed") }
        return opened
    }

    var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: fileURL, objectTypes: [Person.self, Dog.self] + lists)
    }

    /// Classes that only W21 has, so that the others are measured without them.
    private var lists: [ObjectBase.Type] { hasTeams ? [Team.self, Member.self] : [] }

    /// Closes the store and opens it with the classes of W21.
    func addTeams() throws {
        try close()
        hasTeams = true
        opened = try Realm(configuration: configuration)
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
        return []
    }
}
