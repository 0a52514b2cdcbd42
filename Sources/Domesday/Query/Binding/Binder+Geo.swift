import PredicateLanguage

/// The columns by which an embedded object is a place: `type`, which is "Point", and `coordinates`,
/// a list of longitude, latitude and perhaps altitude.
struct GeoColumns: Hashable {
    let type: Int
    let coordinates: Int

    static let typeName = "type"
    static let coordinatesName = "coordinates"
    /// The type of objects that are places.
    static let point = "Point"
}

extension Binder {
    /// The condition of `path IN shape` and `path GEOWITHIN shape`.
    func within(
        _ path: BoundPath,
        _ shape: GeoShape,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        guard comparison.op == .in || comparison.op == .geoWithin, comparison.options.isEmpty else {
            throw QueryError(
                "Operator '\(comparison.op.symbol)\(comparison.options.symbol)' not supported with "
                    + "a shape; write 'IN' or 'GEOWITHIN'",
                at: comparison.utf8Offset
            )
        }
        let region: GeoRegion
        do throws(GeoRegionError) {
            region = try GeoRegion(shape)
        } catch {
            throw QueryError(
                "Invalid region in GEOWITHIN query for parameter '\(shape)': '\(error)'",
                at: comparison.utf8Offset
            )
        }
        var path = path
        path.end = .place(try columns(of: path, comparison))
        return try quantified(path, comparison) { _ throws(QueryError) in .within(region) }
    }

    private func columns(
        of path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> GeoColumns {
        if case .object = path.end,
            case .value(let type, let text)? = path.target.queryProperty(named: GeoColumns.typeName),
            text.type == .string,
            case .values(let coordinates, let number)? = path.target.queryProperty(
                named: GeoColumns.coordinatesName
            ),
            number.type == .double, !number.isOptional,
            path.target.reader.definition.columns[coordinates].shape == .list
        {
            return GeoColumns(type: type, coordinates: coordinates)
        }
        throw QueryError(
            "Query '\(path.text)' links to data in the wrong format for a geoWithin query: its "
                + "class needs a property 'type' of String and 'coordinates' of List<Double>",
            at: comparison.utf8Offset
        )
    }
}
