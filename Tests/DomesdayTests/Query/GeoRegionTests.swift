import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

@Suite("Regions of the sphere")
struct GeoRegionTests {
    private func place(_ latitude: Double, _ longitude: Double) -> GeoPosition {
        GeoPosition(latitude: latitude, longitude: longitude)
    }

    private func region(_ shape: GeoShape) throws -> GeoRegion { try GeoRegion(shape) }

    private func ring(_ pairs: (Double, Double)...) -> [GeoPosition] {
        pairs.map { place($0.0, $0.1) }
    }

    @Test("a box holds its sides, and reaches eastward over the antimeridian")
    func boxes() throws {
        let plain = try region(.box(bottomLeft: place(-10, -20), topRight: place(30, 40)))
        #expect(plain.contains(place(0, 0)) && plain.contains(place(-10, 40)))
        #expect(!plain.contains(place(30.001, 0)) && !plain.contains(place(0, -20.001)))
        let pacific = try region(.box(bottomLeft: place(-10, 170), topRight: place(10, -170)))
        for longitude in [170.0, 175, 180, -180, -175, -170] {
            #expect(pacific.contains(place(0, longitude)), "\(longitude)")
        }
        #expect(!pacific.contains(place(0, 169.9)) && !pacific.contains(place(0, 0)))
        let east = try region(.box(bottomLeft: place(0, 100), topRight: place(10, 180)))
        #expect(east.contains(place(5, -180)), "the antimeridian has two names")
    }

    @Test("at a pole a box asks for no longitude")
    func poles() throws {
        let arctic = try region(.box(bottomLeft: place(80, 0), topRight: place(90, 10)))
        #expect(arctic.contains(place(90, -135)))
        #expect(!arctic.contains(place(89.999, -135)))
    }

    @Test("a circle is measured along the surface")
    func circles() throws {
        // One degree of a meridian anywhere, one degree of longitude at 60 degrees is half of it.
        let degree = Double.pi / 180
        let circle = try region(.circle(center: place(60, 179.5), radius: degree))
        #expect(circle.contains(place(60.999, 179.5)) && !circle.contains(place(61.001, 179.5)))
        #expect(circle.contains(place(60, -178.6)) && !circle.contains(place(60, -178.4)))
        let polar = try region(.circle(center: place(89, 0), radius: 2 * degree))
        #expect(polar.contains(place(90, 0)) && polar.contains(place(89.1, 180)))
        #expect(!polar.contains(place(88.9, 180)))
        let everything = try region(.circle(center: place(0, 0), radius: 4))
        #expect(everything.contains(place(0, 180)))
        let point = try region(.circle(center: place(12.5, 7), radius: 0))
        #expect(point.contains(place(12.5, 7)) && !point.contains(place(12.5, 7.0000001)))
    }

    @Test("the side of a polygon is a great circle, not a parallel")
    func edges() throws {
        let square = try region(
            .polygon(rings: [ring((60, -40), (60, 40), (40, 40), (40, -40), (60, -40))])
        )
        // Halfway the northern side lies at atan(tan 60 / cos 40) = 66.1 degrees.
        #expect(square.contains(place(66, 0)) && !square.contains(place(66.3, 0)))
        #expect(square.contains(place(47.7, 0)) && !square.contains(place(47.5, 0)))
        #expect(square.contains(place(60, 40)), "a corner")
    }

    @Test("which way round a ring is written does not matter")
    func orientation() throws {
        let corners = ring((0, 0), (0, 10), (10, 10), (10, 0), (0, 0))
        for ring in [corners, Array(corners.reversed())] {
            let polygon = try region(.polygon(rings: [ring]))
            #expect(polygon.contains(place(5, 5)))
            for (latitude, longitude) in [(5.0, 11.0), (-1, 5), (-5, -175), (90, 0), (5, -170)] {
                #expect(!polygon.contains(place(latitude, longitude)))
            }
        }
    }

    @Test("a ring around a pole holds it; an eighth of the sphere is one")
    func wide() throws {
        let arctic = try region(.polygon(rings: [ring((70, 0), (70, 120), (70, -120), (70, 0))]))
        #expect(arctic.contains(place(90, 77)) && !arctic.contains(place(-90, 0)))
        #expect(!arctic.contains(place(60, 60)))
        let eighth = try region(.polygon(rings: [ring((0, 0), (0, 90), (90, 0), (0, 0))]))
        #expect(eighth.contains(place(35, 45)) && eighth.contains(place(0, 45)))
        #expect(!eighth.contains(place(35, -45)) && !eighth.contains(place(-35, 45)))
        #expect(!eighth.contains(place(-35, -135)))
    }

    @Test("holes are out, islands in them are in, and lines belong to the polygon")
    func holes() throws {
        func square(_ size: Double) -> [GeoPosition] {
            ring((-size, -size), (-size, size), (size, size), (size, -size), (-size, -size))
        }
        let polygon = try region(.polygon(rings: [square(10), square(5), square(2)]))
        for (longitude, isInside) in [(7.0, true), (3, false), (1, true), (11, false), (5, true)] {
            #expect(polygon.contains(place(0, longitude)) == isInside, "\(longitude)")
        }
    }

    @Test("what is no place is nowhere")
    func impossible() throws {
        let all = try region(.circle(center: place(0, 0), radius: 4))
        for (latitude, longitude) in [(91.0, 0.0), (0, 181), (.nan, 0), (0, .infinity)] {
            #expect(!all.contains(place(latitude, longitude)))
        }
    }

    @Test("what is wrong with a shape is told")
    func refusals() {
        func refusal(_ shape: GeoShape) -> String? {
            do { _ = try GeoRegion(shape) } catch { return error.description }
            return nil
        }
        #expect(
            refusal(.circle(center: place(0, 0), radius: -1))
                == "The circle radius must be a non-negative number"
        )
        #expect(
            refusal(.circle(center: place(0, 200), radius: 1))
                == "[200.0, 0.0] is no place on the earth"
        )
        #expect(refusal(.polygon(rings: [])) == "Polygon has no rings.")
        #expect(
            refusal(.polygon(rings: [ring((0, 0), (0, 1), (1, 1), (1, 0))]))
                == "Ring is not closed, first vertex '[0.0, 0.0]' does not equal last vertex "
                + "'[0.0, 1.0]'"
        )
        #expect(
            refusal(.polygon(rings: [ring((0, 0), (0, 1), (0, 0), (0, 0))]))
                == "Ring 0 must have at least 3 different vertices, 2 unique vertices were provided"
        )
        #expect(
            refusal(.polygon(rings: [ring((0, 0), (10, 10), (0, 10), (10, 0), (0, 0))]))
                == "Ring 0 is not valid: 'Edges 0 and 2 cross'"
        )
        #expect(
            refusal(
                .polygon(rings: [ring((0, 0), (0, 5), (5, 5), (0, 5), (-5, 5), (0, 0))])
            ) == "Ring 0 is not valid: 'Duplicate vertices: 1 and 3'"
        )
        let outer = ring((0, 0), (0, 10), (10, 10), (10, 0), (0, 0))
        #expect(
            refusal(.polygon(rings: [outer, ring((20, 20), (20, 25), (25, 20), (20, 20))]))
                == "Secondary ring 1 not contained by first exterior ring - secondary rings must "
                + "be holes in the first ring"
        )
    }
}

@Suite("Random regions")
struct RandomGeoTests {
    private var random = SplitMix64(seed: Scale.seed)

    /// Seen from the middle of the earth through a plane that touches it above a center: great
    /// circles are straight lines there.
    private struct Plane {
        let up: SpherePoint
        let right: SpherePoint
        let ahead: SpherePoint

        init(_ center: SpherePoint) {
            up = center
            let other: SpherePoint = abs(center.z) < 0.9 ? [0, 0, 1] : [1, 0, 0]
            right = other.cross(center).normalized
            ahead = center.cross(right)
        }

        func flat(_ point: SpherePoint) -> (Double, Double) {
            (point.dot(right) / point.dot(up), point.dot(ahead) / point.dot(up))
        }

        func position(_ x: Double, _ y: Double) -> GeoPosition {
            let point = (up + x * right + y * ahead).normalized
            return GeoPosition(
                latitude: asin(max(-1, min(1, point.z))) * 180 / .pi,
                longitude: atan2(point.y, point.x) * 180 / .pi
            )
        }
    }

    private mutating func somewhere() -> GeoPosition {
        let z = Double.random(in: -1...1, using: &random)
        return GeoPosition(
            latitude: asin(z) * 180 / .pi,
            longitude: .random(in: -180...180, using: &random)
        )
    }

    @Test("polygons hold what flat polygons hold, seen from the middle of the earth")
    mutating func polygons() throws {
        for round in 0..<100 * Scale.factor {
            let plane = Plane(SpherePoint(somewhere()))
            // A star: at ascending angles, so that no sides cross.
            let size = pow(10, Double.random(in: -5...0.5, using: &random))
            let corners = Int.random(in: 3...24, using: &random)
            var flat: [(Double, Double)] = []
            for corner in 0..<corners {
                let angle = 2 * Double.pi * Double(corner) / Double(corners)
                let distance = size * Double.random(in: 0.3...1, using: &random)
                flat.append((distance * cos(angle), distance * sin(angle)))
            }
            var ring = flat.map { plane.position($0.0, $0.1) }
            if Bool.random(using: &random) { ring.reverse() }
            ring.append(ring[0])
            let region = try GeoRegion(.polygon(rings: [ring]))
            for _ in 0..<100 {
                let x = Double.random(in: -size...size, using: &random)
                let y = Double.random(in: -size...size, using: &random)
                let expected = Self.isInside(x, y, flat)
                #expect(
                    region.contains(plane.position(x, y)) == expected,
                    "DOMESDAY_SEED=\(Scale.seed), round \(round): \(ring) \((x, y))"
                )
                let far = somewhere()
                if SpherePoint(far).dot(plane.up) < 0 { #expect(!region.contains(far)) }
            }
        }
    }

    /// The crossings of a line to the right.
    private static func isInside(
        _ x: Double,
        _ y: Double,
        _ corners: [(Double, Double)]
    ) -> Bool {
        var isInside = false
        for index in corners.indices {
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            if (a.1 > y) != (b.1 > y), x < a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0) {
                isInside.toggle()
            }
        }
        return isInside
    }

    @Test("circles hold what the haversine says")
    mutating func circles() throws {
        for _ in 0..<100 * Scale.factor {
            let center = somewhere()
            let radius = Double.random(in: 0...3, using: &random)
            let region = try GeoRegion(.circle(center: center, radius: radius))
            for _ in 0..<100 {
                let place = somewhere()
                func half(_ degrees: Double) -> Double { pow(sin(degrees * .pi / 360), 2) }
                let chord =
                    half(place.latitude - center.latitude)
                    + cos(place.latitude * .pi / 180) * cos(center.latitude * .pi / 180)
                    * half(place.longitude - center.longitude)
                let distance = 2 * asin(min(1, chord.squareRoot()))
                if abs(distance - radius) < 1e-7 { continue }
                #expect(
                    region.contains(place) == (distance < radius),
                    "DOMESDAY_SEED=\(Scale.seed): \(center) \(radius) \(place)"
                )
            }
        }
    }
}
