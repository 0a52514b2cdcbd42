import CRuntime
import Foundation

/// The open stores of the process, one per file, and the open Realms, one per file and thread,
/// queue or actor.
///
/// **Threads.** Any.
enum OpenRealms {
    private struct Weak<T: AnyObject> {
        weak var object: T?
    }

    /// A Realm that removes itself from the registry before it is gone.
    ///
    /// A weak reference would give it a side table, which costs every accessor that retains it.
    private struct Unretained {
        let realm: Unmanaged<RealmState>

        /// The Realm; nil once its last reference is gone.
        func retained() -> RealmState? {
            // SAFETY: called under the registry's lock, which the Realm's deinit takes to remove
            // this entry: the memory is there, and only the count tells whether it may be used.
            guard let object = domesday_retain_if_alive(realm.toOpaque()) else { return nil }
            return Unmanaged<RealmState>.fromOpaque(object).takeRetainedValue()
        }
    }

    /// What tells open Realms apart.
    struct RealmKey: Hashable, Sendable {
        let path: String
        let place: String
    }

    private struct State {
        var stores: [String: Weak<Store>] = [:]
        /// Paths whose open store may not be written.
        var readOnlyPaths: Set<String> = []
        var realms: [RealmKey: Unretained] = [:]
    }

    // Recursive use is excluded: nothing inside calls out to user code but class discovery.
    private static let state = Lock(State())

    /// The Realm of a configuration on a thread, queue or actor: the one that is open, or a new one.
    static func realm(
        _ configuration: Realm.Configuration,
        _ confinement: Confinement,
        openedAt: String
    ) throws -> RealmState {
        let path = try configuration.path
        let key = RealmKey(path: path, place: confinement.identity)
        if let open = state.withLock({ $0.realms[key]?.retained() }) {
            _ = try store(configuration, path)
            try refuseOtherClasses(configuration, open)
            for type in configuration.objectTypes ?? [] where open.table(of: type) == nil {
                throw Realm.Error(
                    .alreadyOpen,
                    "Realm at path '\(path)' is already open here, at \(open.openedAt), with "
                        + "other objectTypes: '\(type.className())' is not among them."
                )
            }
            try keepHistory(configuration, open.reader)
            return open
        }
        let given = configuration.objectSchemas.map(\.schema)
        let isStored = configuration.schemaSource == .stored
        var schemas: [ClassSchema] = []
        if !isStored {
            let types = configuration.objectTypes ?? SchemaBuilder.defaultClasses()
            schemas = try SchemaBuilder.schemas(of: types, and: given)
        }
        let store = try store(configuration, path)
        try store.catchUp()
        let reader = StoreReader(store: store)
        if isStored {
            let names = Set(given.map(\.name))
            let stored = DynamicClass.stored(in: reader).filter { !names.contains($0.name) }
            schemas = try SchemaBuilder.schemas(of: [], and: stored + given)
        }
        if !isStored || !given.isEmpty {
            let version = configuration.schemaVersion
            try SchemaSynchronizer(
                reader: reader,
                schemas: schemas,
                version: isStored ? max(version, store.userVersion) : version
            ).run(isReadOnly: configuration.readOnly)
        }
        try keepHistory(configuration, reader)
        let realm = try RealmState(
            reader: reader,
            schemas: schemas,
            path: path,
            confinement: confinement,
            openedAt: openedAt,
            configuration: configuration
        )
        let entry = Unretained(realm: .passUnretained(realm))
        realm.willEnd = { forget(key, entry) }
        realm.registryKey = key
        state.withLock { $0.realms[key] = entry }
        if !configuration.readOnly { realm.beginTurns(DeliveryPlace(confinement)) }
        return realm
    }

    /// Has the store keep the history that a configuration asks for.
    private static func keepHistory(
        _ configuration: Realm.Configuration,
        _ reader: StoreReader
    ) throws {
        guard let retention = configuration.historyRetention, !configuration.readOnly else {
            return
        }
        let limit = retention.limit
        let store = reader.store
        if reader.isWriting {
            if reader.snapshot.history?.limit == limit { return }
            throw Realm.Error(
                .alreadyOpen,
                "The historyRetention of the Realm at path '\(store.path)' cannot be changed within "
                    + "a write."
            )
        }
        // By a reader of its own: an open Realm moves on when its observers can be told.
        let setter = StoreReader(store: store)
        let version = setter.snapshot.version
        try setter.keepHistory(limit)
        if setter.snapshot.version == version { return }
        store.announceCommit(by: nil)
        try reader.refresh()
    }

    /// The Realm of a key, if it is open.
    static func realm(_ key: RealmKey) -> RealmState? {
        state.withLock { $0.realms[key]?.retained() }
    }

    /// The Realm that shows what `realm` shows now, for ever and for all threads; one for each
    /// version and list of classes, as long as somebody keeps it.
    ///
    /// Within a write that is the version before it.
    static func frozen(_ realm: RealmState) -> RealmState {
        realm.isFrozen ? realm : frozen(realm, at: realm.reader.snapshot)
    }

    /// - Parameter snapshot: A version that somebody keeps.
    static func frozen(_ realm: RealmState, at snapshot: Snapshot) -> RealmState {
        let confinement = Confinement.anywhere(version: snapshot.version)
        let store = ObjectIdentifier(realm.reader.store)
        let key = RealmKey(path: realm.path, place: "\(confinement.identity) of \(store)")
        if let open = state.withLock({ $0.realms[key]?.retained() }),
            open.schemas.elementsEqual(realm.schemas, by: isSameClass)
        {
            return open
        }
        do throws(Realm.Error) {
            let frozen = try RealmState(
                reader: StoreReader(store: realm.reader.store, at: snapshot),
                schemas: realm.schemas,
                path: realm.path,
                confinement: confinement,
                openedAt: realm.openedAt,
                configuration: realm.configuration
            )
            let entry = Unretained(realm: .passUnretained(frozen))
            frozen.willEnd = { forget(key, entry) }
            state.withLock { $0.realms[key] = entry }
            return frozen
        } catch {
            // The live Realm was bound to the same tables.
            fatalError(error.message)
        }
    }

    private static func isSameClass(_ a: ClassSchema, _ b: ClassSchema) -> Bool {
        if a === b { return true }
        return a.type == b.type && a.name == b.name
            && a.properties.map(\.name) == b.properties.map(\.name)
    }

    /// The live Realm of a frozen one here: the one open on this queue, actor or thread, else a new
    /// one of the thread.
    static func live(_ realm: RealmState) throws -> RealmState {
        if !realm.isFrozen { return realm }
        // Released after the lock, which the end of a Realm takes.
        let open = state.withLock { state in
            state.realms.filter { $0.key.path == realm.path }.compactMap { $0.value.retained() }
        }
        let isHere = { (other: RealmState) in !other.isFrozen && other.confinement.isCurrent }
        return try open.first(where: isHere)
            ?? self.realm(realm.configuration, .currentThread, openedAt: realm.openedAt)
    }

    /// - Throws: ``Realm/Error`` `.alreadyOpen` if the open Realm cannot stand for another
    ///   configuration's classes.
    private static func refuseOtherClasses(
        _ configuration: Realm.Configuration,
        _ open: RealmState
    ) throws(Realm.Error) {
        if open.configuration.schemaSource == .stored, configuration.schemaSource != .stored {
            throw Realm.Error(
                .alreadyOpen,
                "Realm at path '\(open.path)' is already open here, at \(open.openedAt), with "
                    + "schemaSource = .stored: it holds no Swift classes."
            )
        }
        for schema in configuration.objectSchemas where open.table(named: schema.className) == nil {
            throw Realm.Error(
                .alreadyOpen,
                "Realm at path '\(open.path)' is already open here, at \(open.openedAt), with "
                    + "other objectSchemas: '\(schema.className)' is not among them."
            )
        }
    }

    /// Removes a Realm that ends, unless another one has taken its place.
    private static func forget(_ key: RealmKey, _ entry: Unretained) {
        state.withLock { state in
            guard state.realms[key]?.realm.toOpaque() == entry.realm.toOpaque() else { return }
            state.realms[key] = nil
        }
    }

    private static func store(_ configuration: Realm.Configuration, _ path: String) throws -> Store
    {
        // Every store that was open may have lost its last Realm since it was looked at.
        while waitForClosing(path) {
            if let store = try openStore(configuration, path) { return store }
        }
        throw Realm.Error(.alreadyOpen, "Realm at path '\(path)' is still being closed.")
    }

    /// nil if the path's store is being closed.
    private static func openStore(
        _ configuration: Realm.Configuration,
        _ path: String
    ) throws -> Store? {
        try state.withLock { state in
            if let open = state.stores[path]?.object {
                if configuration.readOnly != state.readOnlyPaths.contains(path) {
                    throw Realm.Error(
                        .alreadyOpen,
                        "Realm at path '\(path)' already opened with different read permissions"
                    )
                }
                return open
            }
            if isClosing(path, state) { return nil }
            let pages: any PageStore =
                if configuration.inMemoryIdentifier != nil {
                    MemoryPageStore(path: path)
                } else {
                    try SQLitePageStore(
                        path: path,
                        options: .init(
                            isReadOnly: configuration.readOnly,
                            createsIfMissing: !configuration.readOnly
                                && configuration.schemaSource != .stored,
                            busyTimeout: configuration.busyTimeout
                        )
                    )
                }
            let store = try Store(
                pages: pages,
                cacheByteLimit: configuration.cacheByteLimit,
                leafByteLimit: configuration.leafByteLimit
            )
            state.stores[path] = Weak(object: store)
            if configuration.readOnly {
                state.readOnlyPaths.insert(path)
            } else {
                state.readOnlyPaths.remove(path)
            }
            return store
        }
    }

    /// Waits while a store whose last Realm has gone is being closed on another thread.
    ///
    /// - Returns: false if that takes more than some seconds: somebody claims the file by other
    ///   ways.
    @discardableResult
    static func waitForClosing(_ path: String) -> Bool {
        for _ in 0..<5000 {
            if !state.withLock({ isClosing(path, $0) }) { return true }
            usleep(1000)
        }
        return false
    }

    private static func isClosing(_ path: String, _ state: State) -> Bool {
        guard let last = state.stores[path], last.object == nil else { return false }
        return OpenStores.isClaimed(path)
    }

    /// What is open in this process: a line for each Realm, and for each store that no Realm keeps.
    static var descriptions: [String] {
        // Released after the lock, which the end of a Realm takes.
        let (stores, realms) = state.withLock { state in
            (state.stores.compactMapValues { $0.object }, state.realms.values.map { $0.retained() })
        }
        let lines = realms.compactMap { realm in
            realm.map {
                "\($0.path): a Realm of \($0.confinement.description), opened at \($0.openedAt)"
            }
        }
        let paths = Set(realms.compactMap { $0?.path })
        return lines.sorted()
            + stores.keys.filter { !paths.contains($0) }.sorted().map {
                "\($0): a store without Realm"
            }
    }

    /// Whether any Realm of a path is open in this process.
    static func isOpen(_ path: String) -> Bool {
        state.withLock { $0.stores[path]?.object != nil }
    }
}
