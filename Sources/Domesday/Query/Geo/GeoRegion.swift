import Foundation
import PredicateLanguage

/// A checked shape on the sphere, ready to be asked for points.
///
/// - A box reaches from its left side eastward to its right one, over the antimeridian if need be,
///   between two parallels. At a pole the longitude does not count.
/// - A circle holds what is no farther from its center along the surface than its radius.
/// - A polygon's edges are great-circle arcs. Inside a ring is the smaller part of the sphere; what
///   an odd number of rings have inside is in the polygon, and so are all lines.
///
/// **Threads.** Immutable once made.
struct GeoRegion {
    /// As it was given, for messages.
    let shape: GeoShape
    private let form: Form

    private enum Form {
        case box(latitudes: ClosedRange<Double>, left: Double, right: Double)
        case circle(SpherePoint, radius: Double)
        case rings([GeoRing])
    }

    /// - Throws: what is wrong with the shape, in the words of Realm's core.
    /// - Complexity: O(vertices^2) for polygons.
    init(_ shape: GeoShape) throws(GeoRegionError) {
        self.shape = shape
        switch shape {
        case .box(let bottomLeft, let topRight):
            try Self.check([bottomLeft, topRight])
            let (south, north) = (bottomLeft.latitude, topRight.latitude)
            form = .box(
                latitudes: min(south, north)...max(south, north),
                left: bottomLeft.longitude,
                right: topRight.longitude
            )
        case .circle(let center, let radius):
            try Self.check([center])
            guard radius >= 0 else {
                throw GeoRegionError("The circle radius must be a non-negative number")
            }
            form = .circle(SpherePoint(center), radius: radius)
        case .polygon(let positions):
            guard !positions.isEmpty else { throw GeoRegionError("Polygon has no rings.") }
            var rings: [GeoRing] = []
            for (number, ring) in positions.enumerated() {
                rings.append(try GeoRing(ring, number: number))
            }
            try Self.check(rings)
            form = .rings(rings)
        }
    }

    private static func check(_ positions: [GeoPosition]) throws(GeoRegionError) {
        for place in positions where !place.isValid {
            throw GeoRegionError("\(place) is no place on the earth")
        }
    }

    private static func check(_ rings: [GeoRing]) throws(GeoRegionError) {
        for number in rings.indices.dropFirst() {
            guard rings[number].vertices.allSatisfy(rings[0].contains) else {
                throw GeoRegionError(
                    "Secondary ring \(number) not contained by first exterior ring - secondary "
                        + "rings must be holes in the first ring"
                )
            }
            for other in rings[..<number] where rings[number].crosses(other) {
                throw GeoRegionError("Ring \(number) is not valid: 'it crosses another ring'")
            }
        }
    }

    /// Whether a place is in the region; never if it is no place.
    func contains(_ position: GeoPosition) -> Bool {
        guard position.isValid else { return false }
        switch form {
        case .box(let latitudes, let left, let right):
            guard latitudes.contains(position.latitude) else { return false }
            if abs(position.latitude) == 90 { return true }
            // A meridian has two names where days change.
            return Self.longitudes(position.longitude).contains { longitude in
                left <= right
                    ? (left...right).contains(longitude) : longitude >= left || longitude <= right
            }
        case .circle(let center, let radius):
            return center.angle(to: SpherePoint(position)) <= radius
        case .rings(let rings):
            let point = SpherePoint(position)
            var count = 0
            for ring in rings {
                if ring.hasOnLine(point) { return true }
                if ring.contains(point) { count += 1 }
            }
            return count % 2 == 1
        }
    }

    private static func longitudes(_ longitude: Double) -> [Double] {
        abs(longitude) == 180 ? [-180, 180] : [longitude]
    }
}

/// What is wrong with a shape.
struct GeoRegionError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A constant that is a shape; the types of the layers above conform.
protocol GeoShaped {
    var geoShape: GeoShape { get }
}

extension GeoShape: GeoShaped {
    var geoShape: GeoShape { self }
}
