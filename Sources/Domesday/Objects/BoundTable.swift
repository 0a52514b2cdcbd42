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
    var targets: [BoundTable?] = []
    /// The linking-objects properties, in order: the source table and its column.
    var origins: [(table: BoundTable, column: Int)] = []
    /// How objects become rows.
    let plan: AddingPlan
    /// The table as the Realm sees it now: the reader moves from version to version in place.
    let reader: TableReader
    private var propertyByColumn: [Int: Int] = [:]

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
        self.schema = schema
        self.columns = columns
        self.reader = reader
        plan = AddingPlan(schema, columns: columns)
        self.realm = realm
        id = definition.id
        control = ObjectControl.allocate(instanceSize: schema.instanceSize)
        // Everything is initialised: `self` may be put into the block.
        control.pointee.state = .passUnretained(realm)
        control.pointee.table = .passUnretained(self)
        targets = Array(repeating: nil, count: definition.columns.count)
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
        let object = Construction.blank(schema.type)
        object.objectBinding = ObjectBinding(control, key: key)
        _ = control.pointee.state?.retain()
        return object
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

    /// Turns an unmanaged object into the accessor of a row; its wrappers must be empty.
    func bind(_ object: ObjectBase, to key: ObjectKey) {
        object.objectBinding = ObjectBinding(control, key: key)
        _ = control.pointee.state?.retain()
    }
}
