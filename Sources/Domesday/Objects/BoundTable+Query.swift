extension BoundTable: QueryTable {
    var className: String { schema.name }
    var tableID: TableID { id }
    var primaryKeyName: String? { schema.primaryKey?.name }
    var propertyNames: [String] { schema.properties.map(\.name) }

    func queryTable(named className: String) -> (any QueryTable)? {
        schema.isDynamic
            ? realm.dynamicTable(named: className) : realm.table(named: className)
    }

    func propertyName(ofColumn column: Int) -> String {
        property(column: column)?.name ?? reader.propertyName(ofColumn: column)
    }

    func queryProperty(named name: String) -> QueryProperty? {
        let properties = schema.properties
        guard
            let index = properties.firstIndex(where: { $0.name == name })
                ?? properties.firstIndex(where: { $0.columnName == name })
        else { return nil }
        let property = properties[index]
        guard let column = columns[index] else {
            let position = properties[..<index].count { !$0.isStored }
            guard position < origins.count else { return nil }
            return .backlinks(origin: origins[position].table, column: origins[position].column)
        }
        let isMany = property.shape.collection != .none
        if property.shape.type == .object {
            guard let target = targets[column] else { return nil }
            return isMany
                ? .links(column: column, target: target) : .link(column: column, target: target)
        }
        guard let type = property.shape.type.columnType else { return nil }
        let value = ValueType(type: type, isOptional: property.shape.isOptional)
        return isMany ? .values(column: column, value) : .value(column: column, value)
    }
}

extension BoundTable {
    /// Where a property of an object is stored now; nil if there is no object of that key.
    func place(of key: ObjectKey, column: Int) throws(StorageError) -> PropertyPlace? {
        try reader.locate(key).map {
            PropertyPlace(control, key: key, cluster: $0.cluster, row: $0.row, column: column)
        }
    }
}

extension ObjectBase: QueryObject {
    var queryReference: QueryReference? {
        guard let control = objectBinding.control, control.pointee.state != nil, !isInvalidated
        else { return nil }
        return QueryReference(
            reader: control.realm.reader,
            table: control.table.id,
            key: objectBinding.key
        )
    }
}

extension ObjectId: FixedBytesValue {
    static var fixedType: ColumnType { .objectId }
    var fixedBytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension LinkingSource: KeySource {
    func sourceKeys() throws(StorageError) -> [ObjectKey] { try loadedKeys() }

    var sourceDescription: String {
        "linking objects of \(control.table.schema.name)"
    }

    var sourceDependency: (table: TableID, column: Int) { (origin.table.id, origin.column) }

    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)? {
        guard let table = table(control.table.id) as? BoundTable else { return nil }
        return try moved(to: table)
    }

    /// The same property of the same object in another Realm; nil if the object is not there.
    func moved(to table: BoundTable) throws(StorageError) -> LinkingSource? {
        let origin = (table: table.realm.requireTable(like: origin.table), column: origin.column)
        return try table.place(of: binding.key, column: Int(ObjectControl.linkingFlag))
            .map { LinkingSource($0, origin: origin) }
    }

    /// The class of the objects that link here.
    var originTable: BoundTable { origin.table }
}

/// A managed collection of objects, as the start of a query.
final class CollectionSource<Base: StoredCollection>: KeySource {
    private let collection: Base

    init(_ collection: Base) { self.collection = collection }

    func sourceKeys() throws(StorageError) -> [ObjectKey] {
        // Throws where the collection would trap.
        _ = try collection.load()
        return collection.storedLinks().filter { $0 != 0 }
    }

    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)? {
        guard let id = collection.binding.control?.table.id,
            let table = table(id) as? BoundTable,
            let place = try table.place(of: collection.binding.key, column: collection.column),
            let moved = collection.view(of: place)
        else { return nil }
        return CollectionSource(moved)
    }

    var sourceDescription: String { "\(Base.self)" }

    var sourceDependency: (table: TableID, column: Int) {
        guard let control = collection.binding.control else {
            fatalError("an unmanaged collection has no place")
        }
        return (control.table.id, collection.column)
    }
}
