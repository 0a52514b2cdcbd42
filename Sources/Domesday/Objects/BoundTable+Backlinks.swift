// `@links`: the way back from an object, also where its class declares no linking objects.
extension BoundTable {
    func backlinks(from className: String, property: String) -> BoundHop? {
        guard let origin = realm.table(named: className),
            let column = origin.column(named: property),
            origin.targets[column] === self
        else { return nil }
        return .backlinks(origin: origin, column: column)
    }

    var allBacklinks: [BoundHop] {
        realm.tables.flatMap { origin in
            origin.targets.indices.lazy
                .filter { origin.targets[$0] === self }
                .map { BoundHop.backlinks(origin: origin, column: $0) }
        }
    }
}
