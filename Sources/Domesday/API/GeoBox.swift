import PredicateLanguage

/// What lies between two meridians and two parallels.
///
/// The box reaches from its left side eastward to its right one: with a left longitude of 170 and a
/// right one of -170 it is 20 degrees wide and holds the antimeridian. Its sides belong to it.
///
/// ```swift
/// let box = GeoBox(bottomLeft: (47.3, -122.7), topRight: (48.1, -122.1))!
/// let near = realm.objects(Shop.self).where { $0.location.geoWithin(box) }
/// ```
///
/// **Threads.** A value.
public struct GeoBox: RLMGeospatial, Hashable {
    /// The southwestern corner.
    public let bottomLeft: GeoPoint
    /// The northeastern corner.
    public let topRight: GeoPoint

    /// Makes a box of two corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Makes a box of two corners, each latitude and longitude; nil if one is out of range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

extension GeoBox: GeoShaped {
    var geoShape: GeoShape {
        .box(bottomLeft: bottomLeft.position, topRight: topRight.position)
    }
}
