extension ObjectBinding {
    /// Makes the binding usable: checks the thread, finds the row again if something moved.
    ///
    /// - Returns: false while the accessor's `init()` runs or key paths are recorded.
    /// - Precondition: the right thread, and the object still exists; else traps.
    @inline(never)
    mutating func becomeCurrent(
        _ control: UnsafeMutablePointer<ObjectControl>,
        subject: () -> Int?
    ) -> Bool {
        if control.pointee.isConstructing { return false }
        let table = control.table
        if !table.realm.isInPlace {
            ObjectTrap.wrongThread(
                table.realm,
                table.subject(key: key, column: subject())
            )
        }
        if control.pointee.isInvalidated { ObjectTrap.deleted(table.schema.name, key) }
        if (control.pointee.epoch ^ position) >> 16 == 0 { return true }
        do throws(StorageError) {
            guard let location = try table.reader.locate(key) else {
                ObjectTrap.deleted(table.schema.name, key)
            }
            // The epoch is read after the look-up, which may have evicted something.
            self = ObjectBinding(
                control,
                key: key,
                cluster: location.cluster,
                row: location.row
            )
        } catch {
            ObjectTrap.storage(error, table.subject(key: key, column: subject()))
        }
        return true
    }

    /// Finds the row again if something moved, and loads all that it holds: after this
    /// `becomeCurrent` and reading the row's properties cannot fail.
    ///
    /// - Returns: false if the object is gone.
    /// - Precondition: the right thread; no pointer into a cluster is held; not frozen.
    fileprivate mutating func reload() throws(StorageError) -> Bool {
        guard let control, !control.pointee.isConstructing else { return true }
        let table = control.table
        if !table.realm.isInPlace {
            ObjectTrap.wrongThread(table.realm, table.subject(key: key, column: nil))
        }
        if control.pointee.isInvalidated { return false }
        table.reader.reader.safePoint()
        guard let location = try table.reader.locate(key) else { return false }
        try table.reader.loadValues(at: location)
        self = ObjectBinding(control, key: key, cluster: location.cluster, row: location.row)
        return true
    }

    /// Loads all that the row of a frozen object holds; the row is known from the start.
    fileprivate func loadFrozen(
        _ control: UnsafeMutablePointer<ObjectControl>
    ) throws(StorageError) -> Bool {
        if control.pointee.isInvalidated { return false }
        try control.table.reader.loadValues(at: RowLocation(cluster: cluster, row: row))
        return true
    }

    /// Whether the object is gone. Traps on a wrong thread; false for an unmanaged one.
    func isInvalidated(_ owner: ObjectBase?) -> Bool {
        guard let control, !control.pointee.isConstructing else { return false }
        let table = control.table
        if !table.realm.isInPlace {
            ObjectTrap.wrongThread(table.realm, table.subject(key: key, column: nil))
        }
        if control.pointee.isInvalidated { return true }
        if (control.pointee.epoch ^ position) >> 16 == 0 { return false }
        do throws(StorageError) {
            return try table.reader.locate(key) == nil
        } catch {
            ObjectTrap.storage(error, table.subject(key: key, column: nil))
        }
    }
}

/// What has a binding of its own: an object, and a collection of one.
///
/// **Threads.** The Realm's; of a frozen one any, so its binding is read there and never written.
protocol BindingHolder: AnyObject {
    var binding: ObjectBinding { get set }
}

extension BindingHolder {
    /// As `ObjectBinding.reload`, also for what is frozen.
    func load() throws(StorageError) -> Bool {
        let known = binding
        if let control = known.control, control.pointee.isFrozen {
            return try known.loadFrozen(control)
        }
        var found = known
        let isThere = try found.reload()
        binding = found
        return isThere
    }

    /// Whether the object is still there, then found again if something moved. Traps as
    /// `isInvalidated`.
    func isThere() -> Bool {
        var found = binding
        if found.isInvalidated(nil) { return false }
        guard let control = found.control, !control.pointee.isConstructing,
            !control.pointee.isFrozen
        else { return true }
        defer { binding = found }
        return found.becomeCurrent(control) { nil }
    }
}

extension ObjectBase: BindingHolder {
    final var binding: ObjectBinding {
        get { objectBinding }
        set { objectBinding = newValue }
    }
}

extension LinkingSource: BindingHolder {}

extension ObjectBase {
    /// As `ObjectBinding.becomeCurrent`, for the property stored at `offset`.
    @usableFromInline
    @inline(never)
    final func becomeCurrent(
        _ control: UnsafeMutablePointer<ObjectControl>,
        _ offset: Int
    ) -> Bool {
        // Asked first, because several threads may read a frozen object and none may write it.
        if control.isFrozenAndValid() { return true }
        // On a queue or an actor nothing else than this stands in the way. An invalidated block and
        // the constructing one are at home nowhere.
        if (control.pointee.epoch ^ objectBinding.position) >> 16 == 0,
            control.pointee.home.isCurrent
        {
            return true
        }
        return objectBinding.becomeCurrent(control) { control.column(at: offset) }
    }

    /// Whether the object is one of a table, as whatever kind of accessor.
    final func isRow(of table: BoundTable) -> Bool {
        guard let control = objectBinding.control, control.pointee.state != nil else {
            return false
        }
        return control == table.control
            || (control.realm === table.realm && control.table.id == table.id)
    }

    /// Traps unless a write transaction is open.
    final func requireWritable(_ control: UnsafeMutablePointer<ObjectControl>, _ offset: Int) {
        if control.pointee.isWritable { return }
        if control.pointee.isFrozen {
            ObjectTrap.frozen(
                control.table.subject(
                    key: objectBinding.key,
                    column: control.column(at: offset)
                )
            )
        }
        ObjectTrap.notInWrite(
            control.table.subject(
                key: objectBinding.key,
                column: control.column(at: offset)
            )
        )
    }
}
