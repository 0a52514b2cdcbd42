import PredicateLanguage

// Places within shapes.

extension EvaluationScope {
    /// `path IN shape` and `path GEOWITHIN shape`.
    func isWithin(_ shape: GeoShape, _ comparison: Comparison) throws(EvaluationError) -> Bool {
        guard comparison.op == .in || comparison.op == .geoWithin else {
            throw EvaluationError("Operator '\(comparison.op)' not supported with a shape.")
        }
        let region: GeoRegion
        do throws(GeoRegionError) {
            region = try GeoRegion(shape)
        } catch {
            throw EvaluationError(
                "Invalid region in GEOWITHIN query for parameter '\(shape)': '\(error)'"
            )
        }
        let left = try side(comparison.left)
        guard let quantifier = comparison.quantifier else {
            return try region.contains(left.single)
        }
        return try quantified(quantifier, left.elements ?? []) { element throws(EvaluationError) in
            try region.contains(element)
        }
    }
}

extension GeoRegion {
    /// Whether an object is a place in the region.
    fileprivate func contains(_ value: ComparedValue) throws(EvaluationError) -> Bool {
        if value.isNull { return false }
        guard case .object(let object) = value,
            case .one(let type)? = object.evaluatedProperty(named: GeoColumns.typeName),
            case .many(let numbers)? = object.evaluatedProperty(named: GeoColumns.coordinatesName)
        else {
            throw EvaluationError(
                "'\(value.typeName)' has the wrong format for a geoWithin query: it needs a "
                    + "property 'type' of String and 'coordinates' of List<Double>"
            )
        }
        guard type as? String == GeoColumns.point, numbers.count >= 2,
            let longitude = numbers[0] as? Double, let latitude = numbers[1] as? Double
        else { return false }
        return contains(GeoPosition(latitude: latitude, longitude: longitude))
    }
}
