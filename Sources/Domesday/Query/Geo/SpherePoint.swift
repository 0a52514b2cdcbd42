import Foundation
import PredicateLanguage

/// A point of the unit sphere, or a direction: x through latitude and longitude 0, z north.
typealias SpherePoint = SIMD3<Double>

extension SIMD3<Double> {
    init(_ position: GeoPosition) {
        let latitude = position.latitude * .pi / 180
        let longitude = position.longitude * .pi / 180
        self.init(
            cos(latitude) * cos(longitude),
            cos(latitude) * sin(longitude),
            sin(latitude)
        )
    }

    @inline(__always)
    func dot(_ other: Self) -> Double { (self * other).sum() }

    @inline(__always)
    func cross(_ other: Self) -> Self {
        Self(
            y * other.z - z * other.y,
            z * other.x - x * other.z,
            x * other.y - y * other.x
        )
    }

    var length: Double { dot(self).squareRoot() }

    var normalized: Self { self / length }

    /// Twice the cross product; exact enough also where both points nearly are one.
    @inline(__always)
    func robustCross(_ other: Self) -> Self { (other + self).cross(other - self) }

    /// The angle to another point, which is the distance along the surface.
    ///
    /// **Units.** Radians, 0 to pi.
    func angle(to other: Self) -> Double {
        atan2(robustCross(other).length, 2 * dot(other))
    }
}

extension GeoPosition {
    /// Whether it is a place on the earth.
    var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }
}
