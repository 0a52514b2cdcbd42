import Foundation

extension Realm {
    /// When a synchronized Realm was to be downloaded; kept so that code which names it compiles.
    public enum OpenBehavior: Sendable {
        /// Do not wait for anything.
        case never
        /// As `never`: there is nothing to download.
        case always
        /// As `never`: there is nothing to download.
        case once
    }

    /// Opens a Realm for an actor, or gives the one that is open there already.
    ///
    /// - Parameters:
    ///   - configuration: The store and its classes.
    ///   - actor: The actor it is confined to.
    ///   - downloadBeforeOpen: Without effect.
    ///   - file: Where the call stands, for messages.
    ///   - line: Where the call stands, for messages.
    /// - Throws: As `init(configuration:queue:)`.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration,
        actor: isolated A,
        downloadBeforeOpen: OpenBehavior = .never,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        state = try Self.opened(configuration, .onActor(actor), "\(file):\(line)")
    }

    static func opened(
        _ configuration: Configuration,
        _ confinement: Confinement,
        _ place: String
    ) throws -> RealmState {
        try createDefaultDirectory(of: configuration)
        do {
            return try OpenRealms.realm(configuration, confinement, openedAt: place)
        } catch let error as StorageError {
            throw Error(storage: error)
        }
    }

    /// The folder of the default location is made, any other must exist.
    static func createDefaultDirectory(of configuration: Configuration) throws {
        guard configuration.inMemoryIdentifier == nil, !configuration.readOnly,
            let url = configuration.fileURL, url == Configuration().fileURL
        else { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
    }
}
