import PredicateLanguage

/// What lies within a ring of places and not within its holes.
///
/// A ring's first and last vertex are the same, and it has at least three different ones. Its sides
/// are the shortest lines along the surface between its vertices, and what it encloses is the
/// smaller part of the earth, whichever way round it is written. Holes lie within the outer ring; a
/// hole in a hole is an island. All lines belong to the polygon.
///
/// What only the whole ring shows is refused by the query: a vertex that comes twice, sides that
/// cross each other, a hole outside.
///
/// **Threads.** A value.
public struct GeoPolygon: RLMGeospatial, Hashable {
    /// The border.
    public let outerRing: [GeoPoint]
    /// What is cut out.
    public let holes: [[GeoPoint]]

    /// Makes a polygon; nil if a ring has fewer than four points or its ends differ.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
        let areClosed = ([outerRing] + holes).allSatisfy { $0.count > 3 && $0.first == $0.last }
        guard areClosed else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// The same with holes one by one, or none.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// Makes a polygon of latitudes and longitudes; nil if one is out of range, or as for points.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        guard let outerRing = Self.points(outerRing) else { return nil }
        var rings: [[GeoPoint]] = []
        for hole in holes {
            guard let ring = Self.points(hole) else { return nil }
            rings.append(ring)
        }
        self.init(outerRing: outerRing, holes: rings)
    }

    /// The same with holes one by one, or none.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func points(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
        let points = pairs.compactMap { GeoPoint($0) }
        return points.count == pairs.count ? points : nil
    }
}

extension GeoPolygon: GeoShaped {
    var geoShape: GeoShape {
        .polygon(rings: ([outerRing] + holes).map { $0.map(\.position) })
    }
}
