/// What a linking-objects property of one object reads: the back-links of another table's column.
///
/// **Threads.** The Realm's.
final class LinkingSource {
    let control: UnsafeMutablePointer<ObjectControl>
    var binding: ObjectBinding
    /// Among the class's linking-objects properties.
    let position: Int
    let origin: (table: BoundTable, column: Int)
    private var cached: (epoch: UInt64, keys: [ObjectKey])?

    init(_ place: PropertyPlace) {
        control = place.control
        binding = ObjectBinding(place.control, key: place.key)
        position = place.column & Int(~ObjectControl.linkingFlag)
        origin = place.control.table.origins[position]
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
        _ = try binding.load()
        _ = binding.becomeCurrent(control) { nil }
        return try currentKeys()
    }

    /// As `count`, but throws where that traps because the store cannot be read.
    func loadedCount() throws(StorageError) -> Int {
        _ = try binding.load()
        _ = binding.becomeCurrent(control) { nil }
        return try origin.table.reader.sourceCount(of: binding.key, through: origin.column)
    }

    private func currentKeys() throws(StorageError) -> [ObjectKey] {
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
        return object.objectBinding.isThere() ? object : nil
    }

    func object<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T {
        // SAFETY: the schema made sure that the origin's class is T.
        unsafeDowncast(origin.table.object(key), to: type)
    }

    private func read<R>(_ body: () throws(StorageError) -> R) -> R {
        _ = binding.becomeCurrent(control) { nil }
        do throws(StorageError) { return try body() } catch {
            ObjectTrap.storage(error, control.table.subject(key: binding.key, column: nil))
        }
    }
}
