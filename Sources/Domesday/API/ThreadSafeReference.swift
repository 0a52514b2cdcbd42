/// Something managed, on its way to another thread, queue or actor.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///     let realm = try! Realm(configuration: configuration, queue: queue)
///     guard let person = realm.resolve(reference) else { return }  // deleted meanwhile
/// }
/// ```
///
/// Until it is resolved it keeps the version it was made at. A frozen value needs none.
///
/// **Threads.** Any.
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    /// What is kept: a frozen twin, or the key of an object that no version has yet.
    private enum Target {
        case frozen(any Relocatable, RealmState)
        case uncommitted(TableID, isDynamic: Bool, ObjectKey, path: String)
    }

    private let target: Lock<Target?>

    /// - Precondition: managed and not deleted: "Cannot construct reference to unmanaged object,
    ///   which can be passed across threads directly", "Cannot construct reference to invalidated
    ///   object".
    public init(to threadConfined: Confined) {
        guard let managed = threadConfined as? any Relocatable, let state = managed.managingState
        else {
            fatalError(
                "Cannot construct reference to unmanaged object, which can be passed across threads "
                    + "directly. \(Confined.self)."
            )
        }
        if threadConfined.isInvalidated {
            fatalError("Cannot construct reference to invalidated object. \(Confined.self).")
        }
        state.checkConfinement()
        let frozen = OpenRealms.frozen(state)
        if let twin = Freezing.relocated(managed, to: frozen) {
            target = Lock(.frozen(twin, frozen))
        } else if let object = threadConfined as? ObjectBase,
            let table = object.objectBinding.control?.table
        {
            target = Lock(
                .uncommitted(
                    table.id,
                    isDynamic: table.schema.isDynamic,
                    object.objectBinding.key,
                    path: state.path
                )
            )
        } else {
            fatalError(
                "Cannot construct reference to a collection of an object that was created in the same "
                    + "write transaction. \(Confined.self)."
            )
        }
    }

    /// Whether it was resolved, and cannot be again.
    public var isInvalidated: Bool { target.withLock { $0 == nil } }

    func resolve(in state: RealmState) -> Confined? {
        state.checkConfinement()
        let taken = target.withLock { target in
            let taken = target
            target = nil
            return taken
        }
        switch taken {
        case nil: fatalError("Can only resolve a thread safe reference once. \(Confined.self).")
        case .frozen(let value, let frozen):
            Self.check(frozen.path, state)
            return Freezing.reading("\(Confined.self)") { () throws(StorageError) in
                try state.advance(to: frozen.reader.snapshot.version)
                return try value.relocated(to: state)
            } as? Confined
        case .uncommitted(let table, let isDynamic, let key, let path):
            Self.check(path, state)
            return Freezing.reading("\(Confined.self)") { () throws(StorageError) in
                try state.advance(to: state.reader.store.newestVersion)
                let table = state.requireTable(table, isDynamic: isDynamic)
                return try table.reader.locate(key) == nil ? nil : table.object(key)
            } as? Confined
        }
    }

    private static func check(_ path: String, _ state: RealmState) {
        if path == state.path { return }
        fatalError(
            "Cannot resolve thread safe reference in Realm with different configuration than the "
                + "source Realm: '\(path)', '\(state.path)'."
        )
    }
}

extension Realm {
    /// What a reference made elsewhere stands for, here; nil if it was deleted meanwhile.
    ///
    /// Outside a write the Realm moves on if it is older than the reference.
    ///
    /// - Precondition: a reference to the same store, not resolved before: "Can only resolve a thread
    ///   safe reference once."
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: state)
    }
}
