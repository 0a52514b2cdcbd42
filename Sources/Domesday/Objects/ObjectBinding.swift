/// The header of an object or collection: which row of which table it stands for.
///
/// **Shape.** 32 bytes. `position` holds the row in its low 16 bits and above it the Realm's epoch
/// when `cluster` and the row were looked up: 48 bits of epochs never wrap in practice.
///
/// **Threads.** The Realm's.
@frozen
@usableFromInline
struct ObjectBinding {
    /// nil for an unmanaged object.
    @usableFromInline var control: UnsafeMutablePointer<ObjectControl>?
    @usableFromInline var key: ObjectKey
    /// Remembered; valid while the epoch in `position` is the control block's.
    @usableFromInline var cluster: UnsafeRawPointer
    @usableFromInline var position: UInt64

    /// The binding of an unmanaged object.
    @inlinable
    @inline(__always)
    init() {
        control = nil
        key = 0
        // SAFETY: never read: a nil control block is seen first. Any non-null address will do.
        cluster = UnsafeRawPointer(bitPattern: 16).unsafelyUnwrapped
        position = 0
    }

    /// A binding that will look its row up when first used.
    @inlinable
    @inline(__always)
    init(_ control: UnsafeMutablePointer<ObjectControl>, key: ObjectKey) {
        self.init()
        self.control = control
        self.key = key
    }

    @inlinable
    @inline(__always)
    init(
        _ control: UnsafeMutablePointer<ObjectControl>,
        key: ObjectKey,
        cluster: UnsafeRawPointer,
        row: Int
    ) {
        self.control = control
        self.key = key
        self.cluster = cluster
        position = control.pointee.epoch | UInt64(truncatingIfNeeded: row)
    }

    /// The binding of a collection: that of its object, with the row only if nothing can move it.
    init(ofCollectionAt place: PropertyPlace) {
        self.init(place.control, key: place.key)
        guard place.control.pointee.isFrozen else { return }
        self.init(place.control, key: place.key, cluster: place.cluster, row: place.row)
    }

    @inlinable
    @inline(__always)
    var row: Int { Int(truncatingIfNeeded: position & 0xFFFF) }
}
