import CRuntime
import Synchronization

/// One open Realm: a reader of the store, its confinement, and the classes bound to their tables.
///
/// **Threads.** Those of `confinement`. The last release may come from any thread.
@usableFromInline
final class RealmState {
    let reader: StoreReader
    /// The file, or the identifier of a store in memory; for messages.
    let path: String
    let configuration: Realm.Configuration
    /// Where in the user's code the Realm was opened; for messages.
    let openedAt: String
    let confinement: Confinement
    /// The thread that needs no question, 0 for queues and actors.
    private let owner: UInt
    private let home: ConfinedPlace
    private(set) var tables: [BoundTable] = []
    @exclusivity(unchecked) private var tableByType: [ObjectIdentifier: BoundTable] = [:]
    /// What `requireTable` found last.
    @exclusivity(unchecked) private var recent: (type: ObjectBase.Type, table: BoundTable)?
    private var tableByName: [String: BoundTable] = [:]
    /// The same tables with dynamic objects as accessors; made when first asked for, of a frozen
    /// Realm by any thread.
    private let dynamicTableByName = Lock<[String: BoundTable]?>(nil)
    /// `tables`, and the dynamic ones beside them, which enter under their lock.
    private var boundTables: [BoundTable] = []
    /// Blocks that `invalidate` retired; accessors may still point to them.
    private var retired: [BoundTable] = []
    private var epoch: UInt64 = 1
    /// Called when the last reference is gone.
    var willEnd: () -> Void = {}
    /// For one call of `add` or `create` after another.
    let addingContext = AddingContext()
    /// The objects being added just now, and how.
    @exclusivity(unchecked) var adding: AddingContext?
    /// Whether it moves to newer versions by itself, where turns can be run.
    var autorefresh = true
    /// Where its turns are run; nil on a thread without a run loop.
    var turns: TurnScheduler?
    /// Writes that wait for their turn.
    var asyncWrites: AsyncWrites?
    /// Tasks that wait for the write lock.
    var lockRequests: [(request: FairLock.Request, wake: @Sendable () -> Void)] = []
    /// Who is told what changes.
    var observer: (any RealmObserver)?
    /// Whether there is anybody to be told, for other threads.
    let isObservedFlag = ObservedFlag()
    /// Its place among the open Realms.
    var registryKey: OpenRealms.RealmKey?
    /// Whether it is frozen and `invalidate` was called.
    private let hasEnded = Atomic(false)

    var isFrozen: Bool { reader.isFrozen }

    /// - Throws: ``Realm/Error`` `.schemaMismatch` if a class lacks a table or a column: the store's
    ///   schema must have been brought up to `schemas` before.
    init(
        reader: StoreReader,
        schemas: [ClassSchema],
        path: String,
        confinement: Confinement,
        openedAt: String,
        configuration: Realm.Configuration = Realm.Configuration()
    ) throws(Realm.Error) {
        self.reader = reader
        self.path = path
        self.configuration = configuration
        self.confinement = confinement
        owner = confinement.owner
        home = confinement.home
        self.openedAt = openedAt
        try bind(schemas)
        reader.epochDidChange = { [unowned self] in advanceEpoch() }
        reader.noteHolder("\(confinement.description), opened at \(openedAt)")
    }

    deinit {
        if turns != nil { reader.store.stopListening(ObjectIdentifier(reader)) }
        willEnd()
    }

    private func bind(_ schemas: [ClassSchema]) throws(Realm.Error) {
        var idByName: [String: TableID] = [:]
        for case let table? in reader.tables where !table.definition.isRemoved {
            idByName[table.definition.name] = table.definition.id
        }
        tables = []
        recent = nil
        tableByType = [:]
        tableByName = [:]
        dynamicTableByName.withLock { $0 = nil }
        boundTables = []
        for schema in schemas {
            guard let id = idByName[schema.name], let table = reader.tables[id] else {
                throw Realm.Error(
                    .schemaMismatch,
                    "Class '\(schema.name)' has no table in the store '\(path)'."
                )
            }
            let bound = try bind(schema, table)
            tables.append(bound)
            if !schema.isDynamic { tableByType[ObjectIdentifier(schema.type)] = bound }
            tableByName[schema.name] = bound
        }
        // Those without a Swift class lead to dynamic objects; see `dynamicTables`.
        for table in tables where !table.schema.isDynamic { connect(table, tableByName) }
        if tables.contains(where: \.schema.isDynamic) { _ = dynamicTables }
    }

    private func bind(
        _ schema: ClassSchema,
        _ table: TableReader
    ) throws(Realm.Error) -> BoundTable {
        let bound = try BoundTable(schema, table, self)
        bound.control.pointee.owner = owner
        bound.control.pointee.home = home
        bound.control.pointee.epoch = epoch << 16
        bound.control.pointee.isWritable = reader.isWriting
        bound.control.pointee.isFrozen = isFrozen
        bound.control.pointee.isInvalidated = hasEnded.load(ordering: .relaxed)
        bound.noteGuards()
        boundTables.append(bound)
        return bound
    }

    /// By class, the tables whose accessors are dynamic objects and lead to dynamic objects.
    private var dynamicTables: [String: BoundTable] {
        dynamicTableByName.withLock { known in
            if let known { return known }
            let made = makeDynamicTables()
            known = made
            return made
        }
    }

    private func makeDynamicTables() -> [String: BoundTable] {
        var made: [String: BoundTable] = [:]
        for table in tables {
            if table.schema.isDynamic {
                made[table.schema.name] = table
                continue
            }
            // The columns were found when the class was bound.
            do throws(Realm.Error) {
                made[table.schema.name] = try bind(table.schema.dynamicFace, table.reader)
            } catch { fatalError(error.message) }
        }
        for table in made.values { connect(table, made) }
        return made
    }

    /// The table of a class, with dynamic objects as accessors.
    func dynamicTable(named name: String) -> BoundTable? { dynamicTables[name] }

    /// As `dynamicTable`; traps for a class that is not in the Realm's schema.
    func requireDynamicTable(named name: String) -> BoundTable {
        guard let table = dynamicTable(named: name) else {
            fatalError(
                "Object type '\(name)' is not managed by the Realm at path '\(path)', which holds "
                    + tables.map { "'\($0.schema.name)'" }.sorted().joined(separator: ", ") + "."
            )
        }
        return table
    }

    private func connect(_ table: BoundTable, _ byName: [String: BoundTable]) {
        for (index, property) in table.schema.properties.enumerated() {
            guard let target = property.targetName.flatMap({ byName[$0] }) else { continue }
            if let column = table.columns[index] {
                table.targets[column] = target
            } else if let origin = property.origin, let column = target.column(named: origin) {
                table.origins.append((target, column))
            }
        }
    }

    var schemas: [ClassSchema] { tables.map(\.schema) }

    func table(of type: ObjectBase.Type) -> BoundTable? { tableByType[ObjectIdentifier(type)] }

    /// The table, with accessors of the same kind, that another Realm of the store uses. Traps if its
    /// class is not in the Realm's schema.
    func requireTable(like table: BoundTable) -> BoundTable {
        requireTable(table.id, isDynamic: table.schema.isDynamic)
    }

    /// - Parameter isDynamic: Whether its accessors are to be dynamic objects.
    func requireTable(_ id: TableID, isDynamic: Bool) -> BoundTable {
        if let table = tables.first(where: { $0.id == id }) {
            return isDynamic ? requireDynamicTable(named: table.schema.name) : table
        }
        let name = reader.tables[safe: id]??.definition.name ?? "?"
        fatalError("Object type '\(name)' is not managed by the Realm at path '\(path)'.")
    }

    func table(named name: String) -> BoundTable? { tableByName[name] }

    /// The table of a class. Traps for one that is not in the Realm's schema.
    @inline(__always)
    func requireTable(of type: ObjectBase.Type) -> BoundTable {
        if let recent, recent.type == type { return recent.table }
        return findTable(of: type)
    }

    @inline(never)
    private func findTable(of type: ObjectBase.Type) -> BoundTable {
        guard let table = table(of: type) else {
            fatalError(
                "Object type '\(type.className())' is not managed by the Realm at path '\(path)'. "
                    + "If using a custom `objectTypes` array in your configuration, add "
                    + "`\(type.className())` to it."
            )
        }
        if !isFrozen { recent = (type, table) }
        return table
    }

    /// Traps unless the current code runs where the Realm may be used.
    @inline(__always)
    func checkConfinement() {
        if owner != UInt(domesday_thread_identity()), !home.isCurrent { checkConfinementSlowly() }
    }

    @inline(never)
    private func checkConfinementSlowly() {
        if !confinement.isCurrent { ObjectTrap.wrongThread(self, "The Realm") }
        if hasEnded.load(ordering: .relaxed) { ObjectTrap.frozenInvalidated(self) }
    }

    /// Whether the current code runs where the Realm may be used.
    ///
    /// - Complexity: a comparison on the thread that owns it, a call more on its queue or actor; on a
    ///   queue that leads to it, the marks of the queues between.
    @inline(__always)
    var isInPlace: Bool {
        owner == UInt(domesday_thread_identity()) || home.isCurrent || isInPlaceBySlowerTest
    }

    @inline(never)
    private var isInPlaceBySlowerTest: Bool { confinement.isCurrent }

    /// Traps unless a write transaction is open.
    func checkWriting() {
        checkConfinement()
        if !reader.isWriting {
            if isFrozen { trapFrozen() }
            fatalError(
                "Can only add, remove, or create objects in a Realm in a write transaction - call "
                    + "beginWriteTransaction on an RLMRealm instance first. Realm at path "
                    + "'\(path)'."
            )
        }
    }

    /// Makes every accessor look its row up again.
    private func advanceEpoch() {
        epoch += 1
        for table in boundTables { table.control.pointee.epoch = epoch << 16 }
    }

    /// Tells the accessors whether a write is open. Call after begin, commit and cancel.
    func writingDidChange() {
        for table in boundTables { table.control.pointee.isWritable = reader.isWriting }
        advanceEpoch()
    }

    private func trapFrozen() -> Never {
        fatalError(
            "Can't perform transactions on a frozen Realm. Realm at path '\(path)', frozen at version "
                + "\(reader.snapshot.version)."
        )
    }

    private func endFrozen() {
        dynamicTableByName.withLock { _ in
            hasEnded.store(true, ordering: .relaxed)
            for table in boundTables { table.control.pointee.isInvalidated = true }
        }
    }

    /// Ends all accessors; the Realm stays usable, unless it is frozen.
    func invalidate() {
        checkConfinement()
        if isFrozen { return endFrozen() }
        for table in boundTables {
            table.control.pointee.isInvalidated = true
            table.control.pointee.owner = 0
            table.control.pointee.home = .nowhere
            table.control.pointee.isWritable = false
        }
        retired += boundTables
        // The same schemas were bound before, to the same store.
        do throws(Realm.Error) { try bind(schemas) } catch { fatalError(error.message) }
    }

    // MARK: transactions

    /// - Parameter holdingLock: Whether the store's write lock was taken for it, and its observers told
    ///   what waited.
    func beginWrite(holdingLock: Bool = false) throws(StorageError) {
        checkConfinement()
        if isFrozen { trapFrozen() }
        if reader.isWriting { fatalError("The Realm is already in a write transaction") }
        do throws(StorageError) {
            if holdingLock {
                try reader.beginWrite(holdingLock: true)
            } else if let observer, observer.isObserved {
                try beginObservedWrite(observer)
            } else {
                try reader.beginWrite(holdingLock: takeLock())
            }
        } catch {
            // Those that wait have lost their place to it.
            asyncWrites?.requestLock()
            throw error
        }
        checkActiveVersions()
        for table in boundTables { table.noteGuards() }
        writingDidChange()
    }

    private func checkActiveVersions() {
        guard let limit = configuration.maximumNumberOfActiveVersions else { return }
        let versions = Set(reader.store.holdings.map(\.version)).count
        if versions > limit {
            fatalError(
                "Number of active versions (\(versions)) in the Realm exceeded the limit of "
                    + "\(limit). Realm at path '\(path)'; "
                    + reader.store.holdings.map(\.description).joined(separator: "; ")
            )
        }
    }

    /// Moves to the newest version; returns whether there was a newer one.
    func refresh() throws(StorageError) -> Bool {
        checkConfinement()
        let hasMoved = try reader.refresh()
        if !reader.isWriting { observer?.deliver() }
        return hasMoved
    }

    /// Moves on if the Realm is older than a version that something came from.
    func advance(to version: UInt64) throws(StorageError) {
        if reader.snapshot.version < version, !reader.isWriting { _ = try refresh() }
    }

    /// When it throws all is undone, but for `.refused`: then the write is still open.
    ///
    /// - Parameter skipped: Observers that are not to be told of it.
    /// - Parameter defersSync: Whether it may be left for `AsyncWrites` to make it durable.
    func commitWrite(
        skipping skipped: [AnyObject] = [],
        defersSync: Bool = false
    ) throws(StorageError) {
        checkConfinement()
        if !reader.isWriting { fatalError("Can't commit a non-existing write transaction") }
        let version = reader.snapshot.version
        try reader.checkUnique()
        do throws(StorageError) { try reader.commitWrite(defersSync: defersSync) } catch {
            writingDidChange()
            asyncWrites?.requestLock()
            throw error
        }
        writingDidChange()
        if reader.snapshot.version == version {
            scheduleTurn()
        } else {
            observer?.didCommit(skipping: skipped)
            reader.store.announceCommit(by: ObjectIdentifier(reader))
        }
        asyncWrites?.requestLock()
    }

    func cancelWrite() {
        checkConfinement()
        if !reader.isWriting { fatalError("Can't cancel a non-existing write transaction") }
        reader.cancelWrite()
        writingDidChange()
        // What came meanwhile was not told.
        scheduleTurn()
        asyncWrites?.requestLock()
    }

    // MARK: objects

    /// The accessor of the object with that primary key, nil if there is none.
    func object<Key>(
        _ type: ObjectBase.Type,
        primaryKey key: Key
    ) throws(Realm.Error) -> ObjectBase? {
        try object(in: requireTable(of: type), primaryKey: key)
    }

    /// As `object(_:primaryKey:)`, as an accessor of that table.
    func object<Key>(
        in table: BoundTable,
        primaryKey key: Key
    ) throws(Realm.Error) -> ObjectBase? {
        do throws(StorageError) { return try found(in: table, primaryKey: key) } catch {
            throw Realm.Error(reading: error)
        }
    }

    /// As `object(in:primaryKey:)`, with the store's own errors.
    func found<Key>(
        in table: BoundTable,
        primaryKey key: Key
    ) throws(StorageError) -> ObjectBase? {
        checkConfinement()
        guard let column = table.plan.primaryKey?.column else {
            fatalError("'\(table.schema.name)' does not have a primary key")
        }
        guard let key = PrimaryKeyValue(key) else { return nil }
        // No pointer is held here: accessors look their rows up again.
        reader.safePoint()
        return try table.reader.find(primary: key, in: column).map { table.object($0) }
    }

    /// The accessor of the object with that key, nil if there is none.
    func object<T: ObjectBase>(_ type: T.Type, key: ObjectKey) throws(StorageError) -> T? {
        checkConfinement()
        let table = requireTable(of: type)
        guard let location = try table.reader.locate(key) else { return nil }
        // SAFETY: the table's class is T: `requireTable` found it by type.
        return unsafeDowncast(
            table.object(key, cluster: location.cluster, row: location.row),
            to: type
        )
    }

    /// Deletes a managed object. Traps unless it belongs here and a write is open.
    func delete(_ object: ObjectBase) throws(StorageError) {
        checkWriting()
        let control = requireOwn(object)
        if object.isInvalidated {
            ObjectTrap.deleted(control.table.schema.name, object.objectBinding.key)
        }
        try control.table.reader.delete([object.objectBinding.key])
    }

    /// Deletes managed objects, passing over those that are gone. Traps unless all belong here and a
    /// write is open.
    ///
    /// - Complexity: O(objects + links to them + clusters touched), plus sorting them.
    func delete<S: Sequence>(_ objects: S) throws(StorageError) where S.Element: ObjectBase {
        checkWriting()
        var deleted: [(table: BoundTable, keys: [ObjectKey])] = []
        for object in objects {
            let control = requireOwn(object)
            if control.pointee.isInvalidated { continue }
            let table = control.table
            if deleted.last?.table !== table {
                if let known = deleted.firstIndex(where: { $0.table === table }) {
                    deleted.append(deleted.remove(at: known))
                } else {
                    deleted.append((table, []))
                }
            }
            deleted[deleted.count - 1].keys.append(object.objectBinding.key)
        }
        try reader.delete(deleted.map { ($0.table.reader, $0.keys.sortedOnce()) })
    }

    @inline(__always)
    private func requireOwn(_ object: ObjectBase) -> UnsafeMutablePointer<ObjectControl> {
        guard let control = object.objectBinding.control, control.pointee.state != nil,
            control.realm === self
        else { fatalError("Can only delete an object from the Realm it belongs to.") }
        return control
    }
}

extension [ObjectKey] {
    /// The keys in ascending order, each once.
    fileprivate func sortedOnce() -> [ObjectKey] {
        if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
        var result: [ObjectKey] = []
        result.reserveCapacity(count)
        for key in sorted() where result.last != key { result.append(key) }
        return result
    }
}
