/// Where one property of one managed object is stored, found and checked.
///
/// Made by `@Persisted` for the length of one access; opaque to users.
///
/// **Threads.** The Realm's. Valid until the Realm's next refresh or write.
@frozen
public struct PropertyPlace {
    @usableFromInline let control: UnsafeMutablePointer<ObjectControl>
    @usableFromInline let key: ObjectKey
    @usableFromInline let cluster: UnsafeRawPointer
    @usableFromInline let row: Int
    @usableFromInline let column: Int

    @inlinable
    @inline(__always)
    init(_ binding: ObjectBinding, _ control: UnsafeMutablePointer<ObjectControl>, column: Int) {
        self.control = control
        key = binding.key
        cluster = binding.cluster
        row = binding.row
        self.column = column
    }

    @inlinable
    @inline(__always)
    init(
        _ control: UnsafeMutablePointer<ObjectControl>,
        key: ObjectKey,
        cluster: UnsafeRawPointer,
        row: Int,
        column: Int
    ) {
        self.control = control
        self.key = key
        self.cluster = cluster
        self.row = row
        self.column = column
    }

    /// Another column of the same row.
    @inlinable
    @inline(__always)
    func at(_ column: Int) -> PropertyPlace {
        PropertyPlace(control, key: key, cluster: cluster, row: row, column: column)
    }

    /// The row behind it, in a cluster whose keys have no gaps.
    @inlinable
    @inline(__always)
    var next: PropertyPlace {
        PropertyPlace(control, key: key &+ 1, cluster: cluster, row: row &+ 1, column: column)
    }

    @inlinable
    @inline(__always)
    var view: ClusterView { ClusterView(cluster) }

    /// Whether the value is nil.
    @inlinable
    @inline(__always)
    var isNil: Bool { view.state(column, row) == 1 }

    /// The value's bytes, wherever they are.
    @inlinable
    @inline(__always)
    var bytes: UnsafeRawBufferPointer {
        if view.state(column, row) == 0, let heap = view.heap {
            return ClusterView.bytes(heap, column, row)
        }
        return loadedBytes
    }
}

// Writing into the writer's copy of a cluster, once it has one. The caller has made sure that the
// transaction is open and that no index must hear of the value. Managed objects' blocks have counts.
extension PropertyPlace {
    /// Stores an integer if it fits the column's width.
    @inlinable
    @inline(__always)
    func overwrite(_ value: Int64) -> Bool {
        let view = view
        guard view.isWritable else { return false }
        let data = UnsafeMutableRawPointer(mutating: view.data(column))
        let offset = UInt64(bitPattern: value &- view.base(column))
        // SAFETY: the row is in the cluster, the width is the column's. A value far below the base
        // can wrap around to a small offset, so both are looked at.
        switch view.width(column) {
        case 1:
            guard let offset = UInt8(exactly: offset), value >= view.base(column) else {
                return false
            }
            data.storeBytes(of: offset, toByteOffset: row, as: UInt8.self)
        case 2:
            guard let offset = UInt16(exactly: offset), value >= view.base(column) else {
                return false
            }
            data.storeBytes(of: offset, toByteOffset: row &* 2, as: UInt16.self)
        case 4:
            guard let offset = UInt32(exactly: offset), value >= view.base(column) else {
                return false
            }
            data.storeBytes(of: offset, toByteOffset: row &* 4, as: UInt32.self)
        case 8: data.storeBytes(of: value, toByteOffset: row &* 8, as: Int64.self)
        default: return false
        }
        view.noteValue(column, row)
        control.pointee.changes.unsafelyUnwrapped.noteChange(column)
        return true
    }

    @inlinable
    @inline(__always)
    func overwrite(_ value: Double) -> Bool {
        let view = view
        guard view.isWritable else { return false }
        // SAFETY: as above.
        UnsafeMutableRawPointer(mutating: view.data(column))
            .storeBytes(of: value, toByteOffset: row &* 8, as: Double.self)
        view.noteValue(column, row)
        control.pointee.changes.unsafelyUnwrapped.noteChange(column)
        return true
    }

    @inlinable
    @inline(__always)
    func overwrite(_ value: Float) -> Bool {
        let view = view
        guard view.isWritable else { return false }
        // SAFETY: as above.
        UnsafeMutableRawPointer(mutating: view.data(column))
            .storeBytes(of: value, toByteOffset: row &* 4, as: Float.self)
        view.noteValue(column, row)
        control.pointee.changes.unsafelyUnwrapped.noteChange(column)
        return true
    }
}

/// One stored element of a collection; opaque to users.
public struct StoredElement {
    /// nil for an element that is nil.
    let bytes: UnsafeRawBufferPointer?
    /// The block of the collection's owner, and its column.
    let place: PropertyPlace
    /// Where in the column it stands, for lists inside values of any type.
    var nesting: [NestedStep] = []

    /// The element as a number of its own width.
    func load<T: BitwiseCopyable>(as type: T.Type) -> T {
        guard let bytes, bytes.count == MemoryLayout<T>.size else {
            place.trapDamaged("an element of a collection has the wrong size")
        }
        // SAFETY: the size was checked; loadUnaligned needs no alignment.
        return bytes.loadUnaligned(as: type)
    }
}

/// Collects elements in their stored form; opaque to users.
public struct ElementSink {
    /// The collection's owner; links to unmanaged objects add them to its Realm.
    let place: PropertyPlace
    private(set) var elements: EncodedElements
    /// The key of a map's next element.
    var key: String?

    init(_ layout: SequenceLayout, _ place: PropertyPlace) {
        elements = EncodedElements(layout)
        self.place = place
    }

    mutating func append(_ element: UnsafeRawBufferPointer) { elements.append(element, key: key) }

    mutating func appendNil() { elements.append(nil, key: key) }

    mutating func append<T: BitwiseCopyable>(number: T) {
        withUnsafeBytes(of: number) { append($0) }
    }
}
