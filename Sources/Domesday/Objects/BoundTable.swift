/// A class joined to its table in one Realm.
///
/// **Threads.** The Realm's.
@usableFromInline
final class BoundTable {
    let schema: ClassSchema
    let id: TableID
    let control: UnsafeMutablePointer<ObjectControl>
    /// Not retained: it owns this.
    unowned(unsafe) let realm: RealmState
    /// Column ids of `schema.properties`; nil for linking objects.
    let columns: [Int?]
    /// By column id: where links lead. Filled when all tables are bound.
    @exclusivity(unchecked) var targets: [BoundTable?] = [] {
        didSet {
            targetControls = ContiguousArray(
                targets.map { $0.flatMap { $0.schema.isEmbedded ? nil : $0.control } }
            )
        }
    }
    /// By column id: the control blocks of the targets that are not embedded.
    @exclusivity(unchecked) private(set) var targetControls:
        ContiguousArray<UnsafeMutablePointer<ObjectControl>?> = []
    /// The linking-objects properties, in order: the source table and its column.
    var origins: [(table: BoundTable, column: Int)] = []
    /// How objects become rows.
    let plan: AddingPlan
    /// The table as the Realm sees it now: the reader moves from version to version in place.
    let reader: TableReader
    /// Whether an accessor can become that of another row: it holds nothing of its own but views.
    private let isRebindable: Bool
    /// The wrappers that keep views of the store.
    private let views: ContiguousArray<AddingPlan.EmptiedField>
    private var propertyByColumn: [Int: Int] = [:]
    /// The version of the schema at which the guards were noted.
    private var notedSchemaVersion: UInt64?

    /// - Throws: ``Realm/Error`` `.schemaMismatch` if the table lacks a column.
    init(_ schema: ClassSchema, _ reader: TableReader, _ realm: RealmState) throws(Realm.Error) {
        let definition = reader.definition
        var columns: [Int?] = []
        for property in schema.properties {
            guard property.isStored else {
                columns.append(nil)
                continue
            }
            guard let column = definition.column(named: property.columnName) else {
                throw Realm.Error(
                    .schemaMismatch,
                    "Property '\(schema.name).\(property.name)' has no column in the store."
                )
            }
            columns.append(column.id)
        }
        if !schema.isDynamic { reader.propertyNames = schema.mappedNames }
        self.schema = schema
        self.columns = columns
        self.reader = reader
        plan = AddingPlan(schema, columns: columns)
        isRebindable = !schema.hasPlainProperties
        views = ContiguousArray(
            schema.properties.lazy
                .filter { !schema.isDynamic && (!$0.isStored || $0.shape.collection != .none) }
                .map { AddingPlan.EmptiedField($0, untouched: $0.empty) }
        )
        self.realm = realm
        id = definition.id
        control = ObjectControl.allocate(instanceSize: schema.instanceSize)
        // Everything is initialised: `self` may be put into the block.
        control.pointee.state = .passUnretained(realm)
        control.pointee.table = .passUnretained(self)
        control.pointee.changes = realm.reader.changeCounts(of: definition.id)
        targets = Array(repeating: nil, count: definition.columns.count)
        targetControls = ContiguousArray(repeating: nil, count: definition.columns.count)
        var linkingCount: UInt16 = 0
        for (index, property) in schema.properties.enumerated() {
            if let column = columns[index] {
                propertyByColumn[column] = index
                control.setColumn(UInt16(column), at: property.offset)
            } else {
                control.setColumn(ObjectControl.linkingFlag | linkingCount, at: property.offset)
                linkingCount += 1
            }
        }
    }

    deinit { UnsafeMutableRawPointer(control).deallocate() }

    /// Notes which properties have an index.
    ///
    /// Call when a write begins: another Realm of the store may have given a class one.
    func noteGuards() {
        let version = reader.reader.snapshot.schemaVersion
        if notedSchemaVersion == version { return }
        // A schema that an open write changes may yet be undone.
        notedSchemaVersion = reader.pending?.schemaChanged ?? false ? nil : version
        let definitions = reader.definition.columns
        let components = reader.definition.componentColumns
        for (property, column) in zip(schema.properties, columns) {
            guard let column else { continue }
            var guards: ObjectControl.Guards = []
            if definitions[column].hasIndex || components.contains(column) {
                guards.insert(.hasIndex)
            }
            if property.isPrimaryKey { guards.insert(.isFixed) }
            control.setGuards(guards, at: property.offset)
        }
    }

    func property(column: Int) -> PropertySchema? {
        propertyByColumn[column].map { schema.properties[$0] }
    }

    /// The column of a property by its Swift name.
    func column(named name: String) -> Int? {
        guard let index = schema.properties.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        return columns[index]
    }

    /// The accessor of an object whose row is looked up when it is first used.
    func object(_ key: ObjectKey) -> ObjectBase {
        if control.pointee.isFrozen { return frozenObject(key) }
        let object = Construction.blank(schema.type)
        object.objectBinding = ObjectBinding(control, key: key)
        _ = control.pointee.state?.retain()
        return object
    }

    /// The accessor of an object of a frozen Realm: its row is known from the start.
    private func frozenObject(_ key: ObjectKey) -> ObjectBase {
        do throws(StorageError) {
            guard let found = try reader.locate(key) else {
                ObjectTrap.deleted(schema.name, key)
            }
            return object(key, cluster: found.cluster, row: found.row)
        } catch { ObjectTrap.storage(error, subject(key: key, column: nil)) }
    }

    /// The accessor of an object that was just found.
    func object(_ found: FoundRow) -> ObjectBase {
        object(found.key, cluster: found.location.cluster, row: found.location.row)
    }

    /// The accessor of an object whose row is known: for iteration.
    func object(_ key: ObjectKey, cluster: UnsafeRawPointer, row: Int) -> ObjectBase {
        let object = Construction.blank(schema.type)
        object.objectBinding = ObjectBinding(control, key: key, cluster: cluster, row: row)
        _ = control.pointee.state?.retain()
        return object
    }

    /// Makes `accessor` the accessor of a row: in place if nobody else holds it, else a new one.
    ///
    /// For iterators, which keep what they returned last and hand it in again:
    ///
    /// ```swift
    /// table.rebind(&iterator.accessor, view.key(row), cluster: view.payload, row: row)
    /// return iterator.accessor
    /// ```
    ///
    /// Nobody can tell a reused accessor from a new one: only those are reused that nobody refers
    /// to in any way, and only of classes without plain stored properties, in which a loop's body
    /// could have left something. Lists and linking objects taken from it go on showing the row
    /// they came from.
    ///
    /// - Parameter accessor: nil, or what this function made of it before, for this table.
    @inline(__always)
    func rebind(
        _ accessor: inout ObjectBase?,
        _ key: ObjectKey,
        cluster: UnsafeRawPointer,
        row: Int
    ) {
        guard isRebindable, Self.isOnlyReference(&accessor) else {
            accessor = object(key, cluster: cluster, row: row)
            return
        }
        if !views.isEmpty { forgetViews(of: accessor) }
        accessor?.objectBinding = ObjectBinding(control, key: key, cluster: cluster, row: row)
    }

    /// Whether the object is referred to from here and nowhere else, in any way.
    @inline(__always)
    private static func isOnlyReference(_ accessor: inout ObjectBase?) -> Bool {
        // SAFETY: read as a pointer, because a copy would be a reference more. The second word of
        // every Swift object is its reference counts. 3 is one strong and the object's own unowned
        // reference, with no side table; a runtime that counts in another way only gets new
        // accessors. No other thread may hold the object.
        let address = withUnsafeBytes(of: &accessor) { $0.load(as: UnsafeRawPointer?.self) }
        guard let address else { return false }
        return address.load(fromByteOffset: 8, as: UInt.self) == 3
    }

    /// Drops the views that the wrappers have kept.
    private func forgetViews(of accessor: ObjectBase?) {
        guard let accessor else { return }
        for view in views { view.clear(accessor) }
    }

    /// Turns an unmanaged object into the accessor of a row; its wrappers must be empty.
    func bind(_ object: ObjectBase, to key: ObjectKey) {
        object.objectBinding = ObjectBinding(control, key: key)
        _ = control.pointee.state?.retain()
    }
}
