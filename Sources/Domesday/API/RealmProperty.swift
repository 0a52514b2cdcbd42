/// The value of an optional property in models of RealmSwift's older style.
///
/// Such models cannot be stored on Linux: a class that has one as a property is a schema error that
/// says to write `@Persisted var name: Int?` instead. It works as a plain box.
///
/// **Threads.** As any class instance: one at a time.
public final class RealmProperty<Value: RealmPropertyType> {
    /// The value.
    public var value: Value

    /// A box that holds nil, or the type's default.
    public init() { value = Value._rlmDefaultValue() }
}

/// A type that a ``RealmProperty`` can hold: optionals, and `AnyRealmValue`.
public protocol RealmPropertyType: _Persistable {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}

/// A type that a ``RealmOptional`` can hold.
public protocol RealmOptionalType: _PersistableInsideOptional {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}

/// As ``RealmProperty``, of an optional.
///
/// **Threads.** As any class instance: one at a time.
public final class RealmOptional<Value: RealmOptionalType> {
    /// The value, nil if there is none.
    public var value: Value?

    /// A box of a value.
    public init(_ value: Value? = nil) { self.value = value }
}

extension RealmProperty: LegacyProperty {
    static var persistedType: String { LegacyName.of(Value.self) }
}

extension RealmOptional: LegacyProperty {
    static var persistedType: String { LegacyName.of(Value?.self) }
}

extension List: LegacyProperty {
    static var persistedType: String { "List<\(LegacyName.of(Element.self))>" }
}

extension MutableSet: LegacyProperty {
    static var persistedType: String { "MutableSet<\(LegacyName.of(Element.self))>" }
}

extension Map: LegacyProperty {
    static var persistedType: String { "Map<String, \(LegacyName.of(Value.self))>" }
}

extension LinkingObjects: LegacyProperty {
    static var attribute: String { "@Persisted(originProperty: \"name\")" }
    static var persistedType: String { "LinkingObjects<\(LegacyName.of(Element.self))>" }
}

private enum LegacyName {
    /// A type's name as it is written.
    static func of(_ type: Any.Type) -> String {
        let name = String(describing: type)
        guard name.hasPrefix("Optional<") else { return name }
        return name.dropFirst(9).dropLast() + "?"
    }
}
