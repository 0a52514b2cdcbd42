import PredicateLanguage

/// What is no farther from a center than a radius, measured along the earth's surface.
///
/// ```swift
/// let circle = GeoCircle(center: (47.8, -122.6), radius: .kilometers(44.4)!)!
/// ```
///
/// **Threads.** A value.
public struct GeoCircle: RLMGeospatial, Hashable {
    /// The middle.
    public let center: GeoPoint
    /// How far the circle reaches, as an angle seen from the middle of the earth.
    public let radiusInRadians: Double

    /// Makes a circle; nil if the radius is negative or no number.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// Makes a circle.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.asRadians()
    }

    /// Makes a circle around a latitude and longitude; nil if they are out of range or the radius is
    /// negative or no number.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// Makes a circle around a latitude and longitude; nil if they are out of range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }
}

extension GeoCircle: GeoShaped {
    var geoShape: GeoShape { .circle(center: center.position, radius: radiusInRadians) }
}
