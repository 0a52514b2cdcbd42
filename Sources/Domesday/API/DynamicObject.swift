/// An object whose class is known only at run time.
///
/// Of a store without its Swift classes, of a class described by an ``ObjectSchema``, or beside the
/// Swift class: `realm.dynamicObjects("Person")`. Both kinds of accessors may be used together, and
/// are equal if they are the same stored object.
///
/// ```swift
/// for person in realm.dynamicObjects("Person").filter("age > 28") {
///     print(person.name as? String ?? "", person.dynamicList("dogs").count)
/// }
/// ```
///
/// **Shape.** Integers of all widths and enums are `Int` (or the raw value's type), links are
/// `DynamicObject`s, collections `List<T>`, `MutableSet<T>` and `Map<String, T>` of those types,
/// optional elements included.
/// **Threads.** See `ObjectBase`.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// While unmanaged: one value for each property, of the property's type.
    @exclusivity(unchecked) var values: [Any] = []
    /// While unmanaged.
    private(set) var unmanagedSchema: ClassSchema?

    /// An object of no class, without properties.
    ///
    /// Objects of a class come from a Realm: `dynamicCreate`, `dynamicObjects`.
    public required init() { super.init() }

    /// An unmanaged object with the default values of the properties' types.
    convenience init(unmanaged schema: ClassSchema) {
        self.init()
        unmanagedSchema = schema
        values = schema.properties.map { property in
            guard let type = property.field as? any DynamicFieldType.Type else { return () }
            return type.defaultValue()
        }
    }

    /// False: it stands for no class of its own.
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// A property by name, as `subscript(key:)`.
    ///
    /// - Precondition: the class has the property: "Invalid property name 'p' for class 'C'."
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    /// The objects of a class that link here through one of its properties.
    ///
    /// For stores opened without classes, where no property tells it.
    ///
    /// - Precondition: the object is managed, and the property links to its class.
    public func linkingObjects(
        ofType typeName: String,
        property: String
    ) -> LinkingObjects<DynamicObject> {
        guard let control = objectBinding.control, let state = realm?.state else {
            return LinkingObjects(source: nil)
        }
        let origin = state.requireDynamicTable(named: typeName)
        guard let column = origin.column(named: property),
            origin.targets[column]?.id == control.table.id
        else {
            fatalError(
                "Property '\(typeName).\(property)' does not link to class "
                    + "'\(control.table.schema.name)'."
            )
        }
        return LinkingObjects(
            source: LinkingSource(
                PropertyPlace(objectBinding, control, column: Int(ObjectControl.linkingFlag)),
                origin: (origin, column)
            )
        )
    }
}

extension Realm {
    /// All objects of a class given by name, in the order they were added.
    ///
    /// - Precondition: the Realm holds the class: "Object type 'C' is not managed by the Realm".
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        state.checkConfinement()
        return Results(CollectionQuery(state, state.requireDynamicTable(named: typeName)))
    }

    /// The object with that primary key, nil if there is none or the key is of another type.
    ///
    /// - Precondition: the Realm holds the class, which has a primary key.
    /// - Complexity: O(1) expected for text and identifiers, O(log n) for integers.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        state.checkConfinement()
        do throws(Realm.Error) {
            let table = state.requireDynamicTable(named: typeName)
            return try state.object(in: table, primaryKey: key) as? DynamicObject
        } catch { fatalError(error.message) }
    }

    /// Makes a stored object of a class given by name; as `create`.
    ///
    /// - Precondition: in a write; the Realm holds the class; values fit their properties.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String,
        value: Any = [String: Any](),
        update: UpdatePolicy = .error
    ) -> DynamicObject {
        do {
            return try tryDynamicCreate(typeName, value: value, update: update)
        } catch { fatalError("\(error)") }
    }

    /// As `dynamicCreate`, for values that come from outside.
    ///
    /// - Throws: ``Realm/Error``: `.invalidInput` with class, property, value and type of what does
    ///   not fit, `.fail` for a primary key that exists. Nothing is changed then, and the write
    ///   goes on.
    @discardableResult
    public func tryDynamicCreate(
        _ typeName: String,
        value: Any = [String: Any](),
        update: UpdatePolicy = .error
    ) throws -> DynamicObject {
        let table = state.requireDynamicTable(named: typeName)
        let object = try state.create(in: table, value: value, update: update)
        // SAFETY: `create` makes an accessor of the table.
        return unsafeDowncast(object, to: DynamicObject.self)
    }
}
