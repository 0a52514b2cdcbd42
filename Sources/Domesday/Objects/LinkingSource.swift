/// What a linking-objects property of one object reads: the back-links of another table's column.
///
/// **Threads.** The Realm's.
final class LinkingSource {
    let control: UnsafeMutablePointer<ObjectControl>
    var binding: ObjectBinding
    let origin: (table: BoundTable, column: Int)
    private var cached: (epoch: UInt64, keys: [ObjectKey])?

    convenience init(_ place: PropertyPlace) {
        let position = place.column & Int(~ObjectControl.linkingFlag)
        self.init(place, origin: place.control.table.origins[position])
    }

    /// - Parameter place: Of the object linked to, whatever its column.
    init(_ place: PropertyPlace, origin: (table: BoundTable, column: Int)) {
        control = place.control
        binding = ObjectBinding(ofCollectionAt: place)
        self.origin = origin
        _ = control.pointee.state?.retain()
    }

    deinit { control.pointee.state?.release() }

    var count: Int {
        read { () throws(StorageError) in
            try origin.table.reader.sourceCount(of: binding.key, through: origin.column)
        }
    }

    /// The keys of the linking objects, ascending. Remembered outside writes.
    func keys() -> [ObjectKey] { read { () throws(StorageError) in try currentKeys() } }

    /// As `keys()`, but throws where that traps because the store cannot be read.
    func loadedKeys() throws(StorageError) -> [ObjectKey] {
        try loadOwner()
        return try currentKeys()
    }

    /// As `count`, but throws where that traps because the store cannot be read.
    func loadedCount() throws(StorageError) -> Int {
        try loadOwner()
        return try origin.table.reader.sourceCount(of: binding.key, through: origin.column)
    }

    /// Throws where using it would trap for damage; traps if the object is gone.
    private func loadOwner() throws(StorageError) {
        _ = try load()
        becomeCurrent()
    }

    /// Traps on a wrong thread and for an object that is gone.
    private func becomeCurrent() {
        if !control.isFrozenAndValid() { _ = binding.becomeCurrent(control) { nil } }
    }

    private func currentKeys() throws(StorageError) -> [ObjectKey] {
        if control.pointee.isFrozen {
            // Not remembered: several threads may ask.
            return try origin.table.reader.sources(of: binding.key, through: origin.column)
        }
        if let cached, cached.epoch == control.pointee.epoch, !control.pointee.isWritable {
            return cached.keys
        }
        let keys = try origin.table.reader.sources(of: binding.key, through: origin.column)
        cached = (control.pointee.epoch, keys)
        return keys
    }

    /// The accessor of a linking object; nil if it is gone by now, whether its target is or not.
    func existing<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T? {
        let object = object(type, key)
        return object.isThere() ? object : nil
    }

    func object<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T {
        // SAFETY: the schema made sure that the origin's class is T.
        unsafeDowncast(origin.table.object(key), to: type)
    }

    private func read<R>(_ body: () throws(StorageError) -> R) -> R {
        becomeCurrent()
        do throws(StorageError) { return try body() } catch {
            ObjectTrap.storage(error, control.table.subject(key: binding.key, column: nil))
        }
    }
}
