/// Reads the key paths that an observer is to be told of.
enum KeyPathFilter {
    /// The ways that dotted names stand for; `*` is every property of a class.
    ///
    /// Traps, as RealmSwift does, for a name that a class does not have.
    static func paths(_ keyPaths: [String], from table: BoundTable) -> [ObservedPath] {
        var result: [ObservedPath] = []
        for keyPath in keyPaths {
            let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            let before = result.count
            add(names[...], keyPath, table, ObservedPath(), &result)
            if result.count == before {
                fatalError("'\(keyPath)' does not resolve in any valid key paths.")
            }
        }
        return result
    }

    private static func add(
        _ names: ArraySlice<String>,
        _ keyPath: String,
        _ table: BoundTable,
        _ path: ObservedPath,
        _ result: inout [ObservedPath]
    ) {
        guard let name = names.first else { return }
        let rest = names.dropFirst()
        guard name == "*" else {
            guard let property = table.queryProperty(named: name) else {
                fatalError(
                    "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in "
                        + "\(table.className)."
                        + Suggestion.text(for: name, among: table.propertyNames)
                )
            }
            if add(property, name, rest, keyPath, table, path, &result) { return }
            fatalError(
                "Property '\(name)' in KeyPath '\(keyPath)' is not a collection of objects or an "
                    + "object reference, and cannot be used as an intermediate key path element."
            )
        }
        for property in table.schema.properties where property.isStored {
            guard let found = table.queryProperty(named: property.name) else { continue }
            _ = add(found, property.name, rest, keyPath, table, path, &result)
        }
    }

    /// - Returns: false if names follow on something that is no link.
    private static func add(
        _ property: QueryProperty,
        _ name: String,
        _ rest: ArraySlice<String>,
        _ keyPath: String,
        _ table: BoundTable,
        _ path: ObservedPath,
        _ result: inout [ObservedPath]
    ) -> Bool {
        var path = path
        if path.property.isEmpty { path.property = name }
        let next: any QueryTable
        switch property {
        case .value(let column, _), .values(let column, _):
            guard rest.isEmpty else { return false }
            path.end = .column(table, column)
            result.append(path)
            return true
        case .link(let column, let target), .links(let column, let target):
            if rest.isEmpty {
                path.end = .column(table, column)
                result.append(path)
                return true
            }
            path.steps.append(.link(source: table, column: column))
            next = target
        case .backlinks(let origin, let column):
            path.steps.append(.backlink(origin: origin, column: column))
            if rest.isEmpty {
                result.append(path)
                return true
            }
            next = origin
        }
        guard let next = next as? BoundTable else { return false }
        add(rest, keyPath, next, path, &result)
        return true
    }
}
