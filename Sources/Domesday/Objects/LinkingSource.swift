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
        binding = ObjectBinding(ofCollectionAt: place)
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
    func keys() -> [ObjectKey] {
        if control.pointee.isFrozen { return frozenKeys() }
        let epoch = control.pointee.epoch
        let keys = read { () throws(StorageError) in
            if let cached, cached.epoch == epoch, !control.pointee.isWritable { return cached.keys }
            return try origin.table.reader.sources(of: binding.key, through: origin.column)
        }
        cached = (control.pointee.epoch, keys)
        return keys
    }

    /// Not remembered: several threads may ask.
    private func frozenKeys() -> [ObjectKey] {
        read { () throws(StorageError) in
            try origin.table.reader.sources(of: binding.key, through: origin.column)
        }
    }

    func object<T: ObjectBase>(_ type: T.Type, _ key: ObjectKey) -> T {
        // SAFETY: the schema made sure that the origin's class is T.
        unsafeDowncast(origin.table.object(key), to: type)
    }

    private func read<R>(_ body: () throws(StorageError) -> R) -> R {
        if !control.isFrozenAndValid() { _ = binding.becomeCurrent(control) { nil } }
        do throws(StorageError) { return try body() } catch {
            ObjectTrap.storage(error, control.table.subject(key: binding.key, column: nil))
        }
    }
}
