import CRuntime

/// The common superclass of everything with `@Persisted` properties.
///
/// Subclass `Object` or `EmbeddedObject`, never this.
///
/// **Threads.** An unmanaged object is an ordinary class instance. A managed one may be used only
/// where its Realm may: elsewhere every access traps.
open class ObjectBase {
    @exclusivity(unchecked) @usableFromInline final var objectBinding: ObjectBinding

    /// Makes an unmanaged object with the declared default values.
    public required init() {
        objectBinding = ObjectBinding()
        if domesday_is_constructing() { didConstruct() }
    }

    deinit {
        if let control = objectBinding.control, let state = control.pointee.state {
            state.release()
        }
    }

    /// The name of the class in messages and in the store: without its module.
    public class func className() -> String { ClassName.of(self) }

    /// The name to store the class's objects under, nil for `className()`.
    open class func _realmObjectName() -> String? { nil }

    /// Whether a Realm whose configuration lists no classes holds this one.
    ///
    /// Override to opt out.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// Names of `@Persisted` properties to leave out of the store.
    open class func ignoredProperties() -> [String] { [] }

    /// Stored names of properties, by their Swift names.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// The primary key by name, for classes that do not mark it with `@Persisted(primaryKey:)`.
    open class func primaryKey() -> String? { nil }

    /// Indexed properties by name, beside those marked with `@Persisted(indexed:)`.
    open class func indexedProperties() -> [String] { [] }

    /// Indexes over several properties at once, each by the names of two to eight properties.
    ///
    /// ```swift
    /// override class func compoundIndexes() -> [[String]] { [["city", "age"]] }
    /// ```
    ///
    /// A condition that asks for equality (`==` or `IN`) with the first properties of an index, in
    /// conjunction and of the object itself, is answered through it. Properties of any type that a
    /// single index can have.
    open class func compoundIndexes() -> [[String]] { [] }

    /// As `compoundIndexes()`, of properties whose values no two objects may all share; objects with
    /// nil among them do not count.
    open class func uniqueTogether() -> [[String]] { [] }

    /// The class as the store sees it.
    public var objectSchema: ObjectSchema {
        ObjectSchema(classSchema)
    }

    /// The Realm the object is managed by; nil for an unmanaged, deleted or invalidated one.
    public var realm: Realm? {
        guard let control = objectBinding.control, !isInvalidated else { return nil }
        return Realm(state: control.realm)
    }

    /// Whether the object was deleted, or its Realm invalidated.
    ///
    /// - Precondition: the right thread.
    public var isInvalidated: Bool { objectBinding.isInvalidated(self) }

    /// Whether the object belongs to a frozen Realm.
    public var isFrozen: Bool { objectBinding.control?.pointee.isFrozen ?? false }

    /// Whether both are the same stored object of the same Realm, or the same unmanaged instance.
    public func isSameObject(as object: ObjectBase?) -> Bool {
        guard let object else { return false }
        if self === object { return true }
        guard let mine = objectBinding.control, let other = object.objectBinding.control else {
            return false
        }
        return mine.pointee.state?.toOpaque() == other.pointee.state?.toOpaque()
            && mine.pointee.table?._withUnsafeGuaranteedRef { $0.id }
                == other.pointee.table?._withUnsafeGuaranteedRef { $0.id }
            && objectBinding.key == object.objectBinding.key
    }

    // Here, not in the extension: RealmSwift's can be overridden.
    /// All properties, with links to a small depth; cycles end in `<...>`.
    ///
    /// Override it to say less.
    open var description: String { ObjectDescription.text(of: self) }

    /// As `==`, for any value.
    public func isEqual(_ object: Any?) -> Bool {
        guard let object = object as? ObjectBase else { return false }
        return self == object
    }

    /// A property by name; unknown names trap.
    ///
    /// - Precondition: the class has the property: "Invalid property name 'p' for class 'C'."; a new
    ///   value is of its type: "Invalid value ...".
    public subscript(key: String) -> Any? {
        get { dynamicValue(named: key) }
        set { setDynamicValue(newValue, named: key) }
    }

    /// As `subscript(key:)`.
    public func value(forKey key: String) -> Any? { dynamicValue(named: key) }

    /// As `subscript(key:)`.
    public func setValue(_ value: Any?, forKey key: String) { setDynamicValue(value, named: key) }

    @usableFromInline
    @inline(never)
    func didConstruct() { Construction.didInitialize(self) }
}

@available(*, unavailable, message: "objects are confined to their Realm's thread, queue or actor")
extension ObjectBase: Sendable {}

extension ObjectBase: Hashable {
    /// Managed objects are equal if they are the same stored object, unmanaged ones if they are
    /// the same instance.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isSameObject(as: b) }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) {
        if let control = objectBinding.control, let state = control.pointee.state {
            hasher.combine(state.toOpaque())
            hasher.combine(objectBinding.key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension ObjectBase: CustomStringConvertible {}

/// A class whose objects are stored in a Realm.
///
/// ```swift
/// class Person: Object {
///     @Persisted(primaryKey: true) var id: UUID
///     @Persisted var name = ""
/// }
/// ```
///
/// **Threads.** See `ObjectBase`.
open class Object: ObjectBase {
    /// Makes an unmanaged object with the declared default values.
    public required init() { super.init() }

    /// Makes an unmanaged object from a dictionary, an array of values in order, or another object.
    ///
    /// - Precondition: values fit their properties; traps with the texts of `Realm.create`.
    public convenience init(value: Any) {
        self.init()
        setValues(from: value)
    }
}

/// A class whose objects belong to exactly one other object and are deleted with it.
///
/// **Threads.** See `ObjectBase`.
open class EmbeddedObject: ObjectBase {
    /// Makes an unmanaged object with the declared default values.
    public required init() { super.init() }

    /// As `Object.init(value:)`.
    public convenience init(value: Any) {
        self.init()
        setValues(from: value)
    }
}

/// An object that can be told apart from others by a stable number.
///
/// **Threads.** As the object.
public protocol ObjectKeyIdentifiable: Identifiable {
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// The same for all accessors of one stored object in this process, else different.
    public var id: UInt64 {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(Self.self))
        hash(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
