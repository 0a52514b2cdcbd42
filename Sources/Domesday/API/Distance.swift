/// A distance along the earth's surface, for the radius of a ``GeoCircle``.
///
/// **Units.** The earth is a sphere of 6378.1 km radius, as in Realm; a mile is 1.609344 km.
/// **Threads.** A value.
public struct Distance: Hashable, Sendable {
    private let radians: Double

    private static let kilometersPerRadian = 6378.1
    private static let kilometersPerMile = 1.609344

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A distance in kilometers; nil if it is negative or no number.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(kilometers / kilometersPerRadian)
    }

    /// A distance in miles; nil if it is negative or no number.
    public static func miles(_ miles: Double) -> Distance? {
        kilometers(miles * kilometersPerMile)
    }

    /// A distance as an angle in degrees; nil if it is negative or no number.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(degrees * .pi / 180)
    }

    /// A distance as an angle in radians; nil if it is negative or no number.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    /// In kilometers.
    public func asKilometers() -> Double { radians * Self.kilometersPerRadian }

    /// In miles.
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }

    /// As an angle in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }

    /// As an angle in radians.
    public func asRadians() -> Double { radians }
}
