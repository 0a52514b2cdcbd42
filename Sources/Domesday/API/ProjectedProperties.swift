import Foundation

/// The properties of a projection, as far as observers ask for them.
enum ProjectedProperties {
    /// A name, and what is shown under it.
    struct Property {
        let name: String
        let shown: any ProjectedProperty
        /// From the projected object; nil if what is shown is not stored.
        let keyPath: String?

        /// What is shown of an object, in a Realm; nil for nil and for collections.
        func value(of object: ObjectBase, in state: RealmState) -> Any? {
            guard let value = DynamicValue.unwrapped(shown.value(of: object)) else { return nil }
            if value is any Sequence, !(value is String || value is Data) { return nil }
            guard let managed = value as? any Relocatable, managed.managingState !== state else {
                return value
            }
            return Freezing.relocated(managed, to: state)
        }
    }

    /// What an observer is to be told of, and under which name.
    struct Path {
        let property: String
        let keyPath: String
    }

    /// In the order of their declaration, a superclass' first.
    static func all<P: ProjectionObservable>(of projection: P) -> [Property] {
        var result: [Property] = []
        var mirror: Mirror? = Mirror(reflecting: projection)
        while let current = mirror {
            let own = current.children.compactMap { label, value -> Property? in
                guard let shown = value as? any ProjectedProperty, let label else { return nil }
                return Property(
                    name: String(label.dropFirst()),
                    shown: shown,
                    keyPath: shown.observedKeyPath
                )
            }
            result = own + result
            mirror = current.superclassMirror
        }
        return result
    }

    /// The ways that names of properties stand for; nil stands for all.
    static func named<P: ProjectionObservable>(_ keyPaths: [String]?, in projection: P) -> [Path] {
        let all = all(of: projection)
        var result: [Path] = []
        for keyPath in keyPaths ?? ["*"] {
            if keyPath == "*" {
                result += all.compactMap { property in
                    property.keyPath.map { Path(property: property.name, keyPath: $0) }
                }
                continue
            }
            let names = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
            let name = names.first ?? ""
            guard let property = all.first(where: { $0.name == name }) else {
                fatalError(
                    "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in \(P.self)."
                        + Suggestion.text(for: name, among: all.map(\.name))
                )
            }
            guard let shown = property.keyPath else {
                fatalError(
                    "Property '\(name)' in KeyPath '\(keyPath)' of \(P.self) shows something that is "
                        + "not @Persisted, and cannot be observed."
                )
            }
            let rest = names.count > 1 ? "." + names[1] : ""
            result.append(Path(property: name, keyPath: shown + rest))
        }
        return result
    }

    /// The ways that key paths of a projection lead.
    static func shown<P: ProjectionObservable>(
        by keyPaths: [PartialKeyPath<P>],
        in projection: P
    ) -> [Path] {
        let all = all(of: projection)
        return keyPaths.flatMap { keyPath -> [Path] in
            let name = name(of: keyPath)
            return all.compactMap { property in
                guard let shown = property.keyPath, name == shown || name.hasPrefix(shown + ".")
                else { return nil }
                return Path(property: property.name, keyPath: name)
            }
        }
    }

    /// The dotted names, from the projected object, of a key path that begins at a projection.
    static func name<P: ProjectionObservable>(of keyPath: PartialKeyPath<P>) -> String {
        let name = KeyPathName.name(in: P.Root.self) { P(projecting: $0)[keyPath: keyPath] }
        guard let name else {
            fatalError("'\(keyPath)' leads to nothing that is @Persisted, and cannot be observed.")
        }
        return name
    }
}
