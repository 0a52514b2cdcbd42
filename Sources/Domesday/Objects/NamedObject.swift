/// An object that a condition on values compares with: the same one in every Realm of the store, so
/// that the condition can be frozen and handed over.
///
/// **Threads.** A value; any thread.
final class NamedObject: ObjectStandIn, Sendable {
    let evaluatedClassName: String
    private let link: MixedLink

    private init(_ link: MixedLink, _ className: String) {
        self.link = link
        evaluatedClassName = className
    }

    /// A value of a condition with names in place of the objects of a Realm; others stay.
    static func naming(_ value: Any?, in realm: RealmState) -> Any? {
        if let elements = value as? [Any?] { return elements.map { naming($0, in: realm) } }
        var object = value as? ObjectBase
        if case .object(let held) = value as? AnyRealmValue { object = held }
        guard let object, let reference = object.queryReference,
            reference.reader === realm.reader
        else { return value }
        return NamedObject(
            MixedLink(table: reference.table, key: reference.key),
            object.evaluatedClassName
        )
    }

    func isEvaluatedAsEqual(to other: any EvaluatedObject) -> Bool {
        if let other = other as? NamedObject { return link == other.link }
        guard let reference = (other as? ObjectBase)?.queryReference else { return false }
        return MixedLink(table: reference.table, key: reference.key) == link
    }
}
