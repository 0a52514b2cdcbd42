import PredicateLanguage

/// A shape that places can be asked for: ``GeoBox``, ``GeoCircle`` or ``GeoPolygon``.
public protocol RLMGeospatial: Sendable {}

/// A place on the earth's surface, as a corner or center of a shape.
///
/// It cannot be stored. A stored place is an embedded object of this form, whatever its class is
/// called:
///
/// ```swift
/// class Location: EmbeddedObject {
///     @Persisted var type: String = "Point"
///     @Persisted var coordinates: List<Double>   // longitude, latitude, and perhaps altitude
/// }
/// ```
///
/// An object of another `type`, with fewer coordinates or with impossible ones is nowhere.
///
/// **Units.** Degrees and meters.
/// **Threads.** A value.
public struct GeoPoint: Hashable, Sendable {
    /// From -90, the south pole, to 90.
    public let latitude: Double
    /// From -180 to 180, eastward positive.
    public let longitude: Double
    /// Above the surface; no query looks at it.
    public let altitude: Double

    /// Makes a place; nil if a number is out of range or none: latitudes are from -90 to 90,
    /// longitudes from -180 to 180, altitudes not negative.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
            return nil
        }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    var position: GeoPosition { GeoPosition(latitude: latitude, longitude: longitude) }

    /// From latitude and longitude.
    init?(_ pair: (Double, Double)) { self.init(latitude: pair.0, longitude: pair.1) }
}
