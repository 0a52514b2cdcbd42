/// What projections have in common: an object that they show some properties of.
///
/// **Threads.** As the object.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    /// The class of the objects that are shown.
    associatedtype Root: ObjectBase & RealmCollectionValue
    /// The object that is shown.
    var rootObject: Root { get }
    /// Shows an object.
    init(projecting object: Root)
}

/// Some properties of an object, its links and its collections, under names of their own; live.
///
/// ```swift
/// class PersonCard: Projection<Person> {
///     @Projected(\Person.name) var name
///     @Projected(\Person.address?.city) var city
///     @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
/// }
/// for card in realm.objects(PersonCard.self) { print(card.name) }
/// ```
///
/// **Threads.** As the object.
open class Projection<Root: ObjectBase & RealmCollectionValue>: ProjectionObservable {
    /// The object that is shown.
    public let rootObject: Root

    /// Shows an object, managed or not.
    public required init(projecting object: Root) { rootObject = object }

    /// The Realm the object is managed by.
    public var realm: Realm? { rootObject.realm }
    /// Whether the object is gone.
    public var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether the object belongs to a frozen Realm.
    public var isFrozen: Bool { rootObject.isFrozen }

    // Here, not in an extension, so that it can be overridden.
    /// The projection's properties and their values.
    ///
    /// Override it to say otherwise.
    open var description: String {
        var text = "\(type(of: self))<\(Root.className())> {\n"
        var mirror: Mirror? = Mirror(reflecting: self)
        var lines: [String] = []
        while let current = mirror {
            for (name, value) in current.children.reversed() {
                guard let value = value as? any ProjectedProperty, let name else { continue }
                lines.append("\t\(name.dropFirst()) = \(value.text(of: rootObject));\n")
            }
            mirror = current.superclassMirror
        }
        text += lines.reversed().joined()
        return text + "}"
    }
}

@available(*, unavailable, message: "projections are confined to their object's Realm")
extension Projection: Sendable {}

extension Projection: CustomStringConvertible {}

extension Projection: Hashable {
    /// Whether both are of one class and show the same object.
    public static func == (a: Projection, b: Projection) -> Bool {
        type(of: a) == type(of: b) && a.rootObject.isSameObject(as: b.rootObject)
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: self)))
        rootObject.hash(into: &hasher)
    }
}

// Only so that `Results` can hold projections: no property and no list can.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Projection: RealmCollectionValue {
    public static var _shape: PropertyShape { Root._shape }
    @inlinable @inline(__always) public static var _isProjection: Bool { true }

    public static func _project(_ object: ObjectBase) -> AnyObject {
        // SAFETY: the query is one of the class Root: `objects` made it so.
        Self(projecting: unsafeDowncast(object, to: Root.self))
    }

    public static func _rlmDefaultValue() -> Self { refuse() }
    public static func _read(_ place: PropertyPlace) -> Self { refuse() }
    public static func _write(_ value: Projection, _ place: PropertyPlace) { refuse() }
    public static func _decode(_ element: StoredElement) -> Self { refuse() }
    public static func _encode(_ value: Projection, _ sink: inout ElementSink) { refuse() }

    private static func refuse() -> Never {
        fatalError("Projection '\(self)' cannot be the type of a property or of a list's elements.")
    }
}

/// A projection's property, whatever its type.
private protocol ProjectedProperty {
    func text(of object: ObjectBase) -> String
}

/// Marks a property of a ``Projection`` as showing what a key path leads to.
///
/// **Threads.** As the object.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    private let keyPath: Swift.KeyPath<Root, Value>

    /// - Parameter projectedKeyPath: From the object to what is to be shown.
    public init(_ projectedKeyPath: Swift.KeyPath<Root, Value>) { keyPath = projectedKeyPath }

    /// Not for use: `@Projected` works in a ``Projection`` only.
    @available(*, unavailable, message: "@Projected works only in classes that inherit Projection")
    public var wrappedValue: Value {
        get { fatalError("@Projected outside a Projection") }
        set { fatalError("@Projected outside a Projection") }
    }

    /// Reads or writes what the key path leads to.
    ///
    /// - Precondition: as the property itself; a set needs a key path that ends at a `@Persisted`
    ///   property, and does nothing if a link on the way is nil.
    public static subscript<EnclosingSelf: Projection<Root>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedPath: Swift.KeyPath<EnclosingSelf, Value>,
        storage path: Swift.KeyPath<EnclosingSelf, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: path].keyPath] }
        set { projection[keyPath: path].set(newValue, projection.rootObject) }
    }

    private func set(_ value: Value, _ object: Root) {
        if let path = keyPath as? ReferenceWritableKeyPath<Root, Value> {
            object[keyPath: path] = value
            return
        }
        guard let name = KeyPathName.name(of: keyPath) else {
            fatalError("'\(keyPath)' cannot be set: it ends at no @Persisted property.")
        }
        object.setValue(value, forKeyPath: name)
    }
}

extension Projected: ProjectedProperty {
    fileprivate func text(of object: ObjectBase) -> String {
        guard let object = object as? Root else { return "?" }
        return DynamicValue.text(object[keyPath: keyPath])
    }
}

extension Realm {
    /// All objects of a class, each as a projection.
    public func objects<P: ProjectionObservable & RealmCollectionValue>(
        _ type: P.Type
    ) -> Results<P> {
        state.checkConfinement()
        return Results(CollectionQuery(state, state.requireTable(of: P.Root.self)))
    }
}
