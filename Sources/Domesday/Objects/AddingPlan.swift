/// How unmanaged objects of a class become rows of its table: looked up once per Realm.
///
/// **Threads.** The Realm's.
struct AddingPlan {
    /// A property and the column it goes to.
    struct Field {
        let offset: Int
        let column: Int
        let type: any PersistedField.Type
    }

    /// A property whose value is written by compiled code.
    struct MovedField {
        let offset: Int
        let column: Int
        let mover: FieldMover
    }

    /// The primary key, and how an object with that key is found.
    let primaryKey: (field: Field, column: PrimaryKeyColumn, finder: PrimaryKeyFinder?)?
    /// Written before the object enters indexes: values of the common types.
    let moved: ContiguousArray<MovedField>
    /// Written after it: enums, and what is not known to lead nowhere.
    let others: ContiguousArray<Field>
    /// To-one links, last with collections: adding what they lead to may move the row.
    let links: ContiguousArray<Field>
    let collections: ContiguousArray<Field>
    /// Linking objects: without a column, emptied when the object becomes managed.
    let linkingOffsets: ContiguousArray<(offset: Int, type: any PersistedField.Type)>

    init(_ schema: ClassSchema, columns: [Int?]) {
        var primaryKey: (field: Field, column: PrimaryKeyColumn, finder: PrimaryKeyFinder?)?
        var moved: ContiguousArray<MovedField> = []
        var others: ContiguousArray<Field> = []
        var links: ContiguousArray<Field> = []
        var collections: ContiguousArray<Field> = []
        var linking: ContiguousArray<(offset: Int, type: any PersistedField.Type)> = []
        for (property, column) in zip(schema.properties, columns) {
            guard let column else {
                linking.append((property.offset, property.field))
                continue
            }
            let field = Field(offset: property.offset, column: column, type: property.field)
            if property.isPrimaryKey, let type = property.shape.type.columnType {
                primaryKey = (
                    field,
                    PrimaryKeyColumn(id: column, type: type),
                    PrimaryKeyFinder.of(property.field.valueType)
                )
            }
            if let mover = FieldMover.of(property.field.valueType) {
                moved.append(.init(offset: property.offset, column: column, mover: mover))
            } else if property.shape.collection != .none {
                collections.append(field)
            } else if property.shape.type == .object {
                links.append(field)
            } else {
                others.append(field)
            }
        }
        self.primaryKey = primaryKey
        self.moved = moved
        self.others = others
        self.links = links
        self.collections = collections
        linkingOffsets = linking
    }
}
