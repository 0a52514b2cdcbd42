/// A region of the earth's surface, as it is given: what stands on the right of `GEOWITHIN`.
///
/// Nothing is checked here; binding does that.
///
/// **Threads.** A value.
package enum GeoShape: Hashable, Sendable {
    /// From the first corner eastward and northward to the second.
    case box(bottomLeft: GeoPosition, topRight: GeoPosition)
    /// Whatever is no farther from the center than the radius, in radians along the surface.
    case circle(center: GeoPosition, radius: Double)
    /// Closed rings: the first is the border, the others are cut out of it.
    case polygon(rings: [[GeoPosition]])
}

/// A place on the earth's surface.
///
/// **Units.** Degrees.
package struct GeoPosition: Hashable, Sendable {
    /// From -90, the south pole, to 90.
    package var latitude: Double
    /// From -180 to 180, eastward positive.
    package var longitude: Double

    /// Makes a place; any numbers are taken.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension GeoShape: CustomStringConvertible {
    /// The shape as Realm's own language writes it: positions are `[longitude, latitude]`.
    package var description: String {
        switch self {
        case .box(let bottomLeft, let topRight): "geoBox(\(bottomLeft), \(topRight))"
        case .circle(let center, let radius): "geoCircle(\(center), \(radius))"
        case .polygon(let rings): "geoPolygon(\(rings.map(Self.text).joined(separator: ", ")))"
        }
    }

    private static func text(_ ring: [GeoPosition]) -> String {
        "{\(ring.map(\.description).joined(separator: ", "))}"
    }
}

extension GeoPosition: CustomStringConvertible {
    /// `[longitude, latitude]`.
    package var description: String { "[\(longitude), \(latitude)]" }
}
