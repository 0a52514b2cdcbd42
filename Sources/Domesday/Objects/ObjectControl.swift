/// What all accessors of one table in one Realm share: raw memory that outlives them.
///
/// **Shape.** Behind the fields, at `tableOffset`, two UInt16 per byte of an instance: the column of
/// the property stored there, or `linkingFlag` and the position among the linking-objects
/// properties, or `noColumn`; and `Guards`.
///
/// **Threads.** The Realm's; accessors on a wrong thread read `owner` and then trap. Lives as long
/// as its `RealmState`, which every accessor retains.
@frozen
@usableFromInline
struct ObjectControl {
    /// The thread that may use the accessors without asking; 0 when more must be asked.
    @usableFromInline var owner: UInt
    /// The Realm's epoch, shifted left by 16.
    @usableFromInline var epoch: UInt64
    /// Whether a write transaction is open.
    @usableFromInline var isWritable: Bool
    /// Whether an accessor's `init()` is running: setters return, getters answer the default.
    @usableFromInline var isConstructing: Bool
    /// Whether `Realm.invalidate()` ended the accessors bound to this block.
    @usableFromInline var isInvalidated: Bool
    /// Whether the Realm is frozen: accessors know their rows from the start and are never written.
    @usableFromInline var isFrozen: Bool
    /// Unretained here; nil only in the constructing block.
    @usableFromInline var state: Unmanaged<RealmState>?
    /// Retained by `state`.
    @usableFromInline var table: Unmanaged<BoundTable>?
    /// Of the table; nil only in the constructing block.
    @usableFromInline var changes: ChangeCounts?
    /// Where the accessors may be used when no thread owns them; nowhere once they are invalidated.
    var home: ConfinedPlace

    /// What stands in the way of writing a property.
    struct Guards: OptionSet {
        let rawValue: UInt16

        /// More than the row must change: an index or a back-link.
        static let hasIndex = Guards(rawValue: 1)
        /// Never written: the primary key, linking objects.
        static let isFixed = Guards(rawValue: 2)
    }

    @usableFromInline static var tableOffset: Int { 64 }
    static let noColumn = UInt16.max
    static let linkingFlag: UInt16 = 0x8000

    /// Allocates a block for instances of `instanceSize` bytes.
    static func allocate(instanceSize: Int) -> UnsafeMutablePointer<ObjectControl> {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: tableOffset + instanceSize * 4,
            alignment: 64
        )
        // SAFETY: fresh memory, large enough: MemoryLayout<ObjectControl>.size <= tableOffset.
        let control = raw.bindMemory(to: ObjectControl.self, capacity: 1)
        control.initialize(
            to: ObjectControl(
                owner: 0,
                epoch: 1 << 16,
                isWritable: false,
                isConstructing: false,
                isInvalidated: false,
                isFrozen: false,
                state: nil,
                table: nil,
                changes: nil,
                home: .nowhere
            )
        )
        for offset in 0..<instanceSize {
            raw.storeBytes(of: noColumn, toByteOffset: tableOffset + offset * 4, as: UInt16.self)
            raw.storeBytes(
                of: Guards.isFixed.rawValue,
                toByteOffset: tableOffset + offset * 4 + 2,
                as: UInt16.self
            )
        }
        return control
    }

    /// The block of every accessor whose `init()` is running. Never written after it was made.
    // nonisolated(unsafe): immutable once published.
    nonisolated(unsafe) static let constructing: UnsafeMutablePointer<ObjectControl> = {
        let control = allocate(instanceSize: 0)
        control.pointee.isConstructing = true
        return control
    }()
}

extension UnsafeMutablePointer where Pointee == ObjectControl {
    /// The column table's entry of the property stored `offset` bytes into an instance.
    @inlinable
    @inline(__always)
    func column(at offset: Int) -> Int {
        // SAFETY: `offset` is the address of a stored property within an instance, so it is below
        // the instance size the block was allocated for.
        Int(
            UnsafeRawPointer(self).load(
                fromByteOffset: ObjectControl.tableOffset &+ offset &* 4,
                as: UInt16.self
            )
        )
    }

    /// Whether nothing stands in the way of writing the property into its row.
    @inlinable
    @inline(__always)
    func isUnguarded(at offset: Int) -> Bool { guardBits(at: offset) == 0 }

    func guards(at offset: Int) -> ObjectControl.Guards {
        ObjectControl.Guards(rawValue: guardBits(at: offset))
    }

    @inlinable
    @inline(__always)
    func guardBits(at offset: Int) -> UInt16 {
        // SAFETY: as in `column(at:)`.
        UnsafeRawPointer(self).load(
            fromByteOffset: ObjectControl.tableOffset &+ offset &* 4 &+ 2,
            as: UInt16.self
        )
    }

    func setColumn(_ column: UInt16, at offset: Int) {
        UnsafeMutableRawPointer(self).storeBytes(
            of: column,
            toByteOffset: ObjectControl.tableOffset + offset * 4,
            as: UInt16.self
        )
    }

    func setGuards(_ guards: ObjectControl.Guards, at offset: Int) {
        UnsafeMutableRawPointer(self).storeBytes(
            of: guards.rawValue,
            toByteOffset: ObjectControl.tableOffset + offset * 4 + 2,
            as: UInt16.self
        )
    }

    /// Whether the Realm is frozen, so that there is nothing to find again. Traps if it was
    /// invalidated.
    @inline(__always)
    func isFrozenAndValid() -> Bool {
        if !pointee.isFrozen { return false }
        if pointee.isInvalidated { ObjectTrap.frozenInvalidated(realm) }
        return true
    }

    var realm: RealmState {
        // Only the constructing block has none, and nothing looks a row up through that one.
        guard let state = pointee.state else { fatalError("an accessor used while it is made") }
        return state._withUnsafeGuaranteedRef { $0 }
    }

    var table: BoundTable {
        guard let table = pointee.table else { fatalError("an accessor used while it is made") }
        return table._withUnsafeGuaranteedRef { $0 }
    }
}
