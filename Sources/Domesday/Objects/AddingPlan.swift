import Foundation

/// How unmanaged objects of a class become rows of its table: looked up once per Realm.
///
/// **Shape.** Lists that never change, in memory of the plan's own: to walk them counts no reference.
/// **Threads.** The Realm's.
final class AddingPlan {
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

    /// A property that is emptied and nothing else.
    struct EmptiedField {
        let offset: Int
        let byteCount: Int
        let type: any PersistedField.Type
        let empty: UnsafeRawPointer
        /// What a wrapper looks like that nothing was put into.
        private let untouched: UnsafeRawPointer

        init(_ property: PropertySchema, untouched: UnsafeRawPointer) {
            offset = property.offset
            byteCount = property.field.byteCount
            type = property.field
            empty = property.empty
            self.untouched = untouched
        }

        /// Empties the wrapper of an object.
        @inline(__always)
        func clear(_ object: ObjectBase) {
            let slot = object.slot(at: offset)
            // SAFETY: all three are wrappers of this type. An untouched one is empty, or holds the
            // linking objects of no object, which need no release.
            if memcmp(slot, untouched, byteCount) == 0 {
                memcpy(slot, empty, byteCount)
            } else {
                type.clear(slot)
            }
        }
    }

    /// How an object with the same primary key is found.
    final class PrimaryKey {
        let offset: Int
        let column: PrimaryKeyColumn
        let type: any PersistedField.Type
        /// nil for types without a compiled look-up.
        let finder: PrimaryKeyFinder?

        init(_ property: PropertySchema, _ column: PrimaryKeyColumn) {
            offset = property.offset
            self.column = column
            type = property.field
            finder = PrimaryKeyFinder.of(property.field.valueType)
        }
    }

    let primaryKey: PrimaryKey?
    /// Written before the object enters indexes: values of the common types.
    let moved: UnsafeBufferPointer<MovedField>
    /// Written after it: enums, and what is not known to lead nowhere.
    let others: UnsafeBufferPointer<Field>
    /// To-one links and values that may be one, last with collections: adding what they lead to may
    /// move the row.
    let links: UnsafeBufferPointer<Field>
    let collections: UnsafeBufferPointer<Field>
    /// Linking objects: without a column, emptied when the object becomes managed.
    let emptied: UnsafeBufferPointer<EmptiedField>

    init(_ schema: ClassSchema, columns: [Int?]) {
        var primaryKey: PrimaryKey?
        var moved: ContiguousArray<MovedField> = []
        var others: ContiguousArray<Field> = []
        var links: ContiguousArray<Field> = []
        var collections: ContiguousArray<Field> = []
        var emptied: ContiguousArray<EmptiedField> = []
        for (property, column) in zip(schema.properties, columns) {
            guard let column else {
                if schema.isDynamic { continue }
                let untouched = UnsafeRawPointer(schema.sample.slot(at: property.offset))
                emptied.append(EmptiedField(property, untouched: untouched))
                continue
            }
            let field = Field(offset: property.offset, column: column, type: property.field)
            if property.isPrimaryKey, let type = property.shape.type.columnType {
                primaryKey = PrimaryKey(property, PrimaryKeyColumn(id: column, type: type))
            }
            if let mover = FieldMover.of(property.field.valueType) {
                moved.append(.init(offset: property.offset, column: column, mover: mover))
            } else if property.shape.collection != .none {
                collections.append(field)
            } else if property.shape.type == .object || property.shape.type == .any {
                links.append(field)
            } else {
                others.append(field)
            }
        }
        self.primaryKey = primaryKey
        self.moved = Self.kept(moved)
        self.others = Self.kept(others)
        self.links = Self.kept(links)
        self.collections = Self.kept(collections)
        self.emptied = Self.kept(emptied)
    }

    private static func kept<Element>(
        _ list: ContiguousArray<Element>
    ) -> UnsafeBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: list.count)
        _ = memory.initialize(from: list)
        return UnsafeBufferPointer(memory)
    }

    private static func end<Element>(_ list: UnsafeBufferPointer<Element>) {
        // SAFETY: made by `kept`, and nobody keeps a list longer than the plan.
        UnsafeMutableBufferPointer(mutating: list).deinitialize()
        list.deallocate()
    }

    deinit {
        Self.end(moved)
        Self.end(others)
        Self.end(links)
        Self.end(collections)
        Self.end(emptied)
    }
}
