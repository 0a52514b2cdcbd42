import Foundation
import PredicateLanguage

/// A closed line of great-circle arcs, and the smaller of the two parts of the sphere that it
/// separates.
///
/// **Threads.** Immutable once made.
struct GeoRing {
    /// Each once; the inside lies to the left.
    let vertices: [SpherePoint]
    /// Unit vectors to the left of the edges; edge n begins at vertex n.
    private let normals: [SpherePoint]
    /// Some point, and the cosine of an angle around it beyond which nothing is inside; nil for a
    /// ring wider than half the sphere.
    private let bounds: (center: SpherePoint, cosine: Double)?

    /// How far from an edge a point still lies on it: 64 nanometers.
    private static let onEdge = 1e-14

    /// - Parameters:
    ///   - positions: The first once more at the end.
    ///   - number: Which ring it is, for messages.
    /// - Throws: what is wrong with the ring, in the words of Realm's core.
    init(_ positions: [GeoPosition], number: Int) throws(GeoRegionError) {
        if let place = positions.first(where: { !$0.isValid }) {
            throw GeoRegionError("Ring \(number) has a vertex that is no place: \(place)")
        }
        guard let first = positions.first, let last = positions.last, first == last else {
            throw GeoRegionError(
                "Ring is not closed, first vertex '\(positions.first?.description ?? "")' does not "
                    + "equal last vertex '\(positions.last?.description ?? "")'"
            )
        }
        var points: [SpherePoint] = []
        for position in positions.dropLast() {
            let point = SpherePoint(position)
            if points.last != point { points.append(point) }
        }
        if points.count > 1, points.last == points.first { points.removeLast() }
        let distinct = Set(points).count
        guard distinct >= 3 else {
            throw GeoRegionError(
                "Ring \(number) must have at least 3 different vertices, \(distinct) unique "
                    + "vertices were provided"
            )
        }
        try Self.check(points, number)
        var normals = Self.normals(points)
        if Self.turning(points, normals) < 0 {
            points.reverse()
            normals = Self.normals(points)
        }
        vertices = points
        self.normals = normals
        bounds = Self.bounds(points)
    }

    private static func normals(_ points: [SpherePoint]) -> [SpherePoint] {
        points.indices.map {
            points[$0].robustCross(points[($0 + 1) % points.count]).normalized
        }
    }

    /// How far the line turns left in all: the full turn less the area to its left.
    private static func turning(_ points: [SpherePoint], _ normals: [SpherePoint]) -> Double {
        var sum = 0.0
        for index in points.indices {
            let before = normals[index]
            let after = normals[(index + 1) % points.count]
            let vertex = points[(index + 1) % points.count]
            sum += atan2(vertex.dot(before.cross(after)), before.dot(after))
        }
        return sum
    }

    private static func bounds(
        _ points: [SpherePoint]
    ) -> (center: SpherePoint, cosine: Double)? {
        let sum = points.reduce(.zero, +)
        guard sum.length > 1e-9 else { return nil }
        let center = sum.normalized
        // A circle smaller than half the sphere has with two points all of the arc between them.
        let cosine = points.reduce(1) { min($0, center.dot($1)) } - 1e-12
        return cosine > 0 ? (center, cosine) : nil
    }

    // MARK: - Checking

    /// - Complexity: O(vertices^2).
    private static func check(_ points: [SpherePoint], _ number: Int) throws(GeoRegionError) {
        func invalid(_ reason: String) -> GeoRegionError {
            GeoRegionError("Ring \(number) is not valid: '\(reason)'")
        }
        var known: [SpherePoint: Int] = [:]
        for (index, point) in points.enumerated() {
            if let other = known.updateValue(index, forKey: point) {
                throw invalid("Duplicate vertices: \(other) and \(index)")
            }
            let next = points[(index + 1) % points.count]
            if (point + next).length < 1e-12 {
                throw invalid("Vertices \(index) and \((index + 1) % points.count) are antipodal")
            }
        }
        let edges = points.indices.map { Arc(points, $0) }
        for first in edges.indices {
            for second in edges.indices.dropFirst(first + 2)
            where !(first == 0 && second == edges.count - 1) {
                if edges[first].crosses(edges[second]) {
                    throw invalid("Edges \(first) and \(second) cross")
                }
            }
        }
    }

    /// Whether an edge of one ring crosses one of the other.
    func crosses(_ other: GeoRing) -> Bool {
        let others = other.vertices.indices.map { Arc(other.vertices, $0) }
        return vertices.indices.contains { index in
            let edge = Arc(vertices, index)
            return others.contains { edge.crosses($0) }
        }
    }

    /// An edge, from `a` to `b`.
    private struct Arc {
        let a: SpherePoint
        let b: SpherePoint
        let normal: SpherePoint

        init(_ points: [SpherePoint], _ index: Int) {
            a = points[index]
            b = points[(index + 1) % points.count]
            normal = a.robustCross(b)
        }

        /// Whether both have a point in common that is no end of one of them.
        func crosses(_ other: Arc) -> Bool {
            let c = (other.a - a).dot(normal)
            let d = (other.b - a).dot(normal)
            let e = (a - other.a).dot(other.normal)
            let f = (b - other.a).dot(other.normal)
            let least = 1e-15
            return c > least && d < -least && e < -least && f > least
                || c < -least && d > least && e > least && f < -least
        }
    }

    // MARK: - Asking

    /// Whether a point is inside or on the line.
    ///
    /// - Complexity: O(vertices); O(1) far away.
    func contains(_ point: SpherePoint) -> Bool {
        if let bounds, point.dot(bounds.center) < bounds.cosine { return false }
        guard let edge = farEdge(point) else { return true }
        let end = vertices[(edge + 1) % vertices.count]
        let middle = (vertices[edge] + end).normalized
        // The arc from the point to the middle of an edge stays on one side of that edge. Each other
        // edge that it crosses exchanges inside and outside.
        var isInside = (point - vertices[edge]).dot(normals[edge]) > 0
        let plane = point.robustCross(middle)
        var side = (vertices[0] - point).dot(plane)
        for index in vertices.indices {
            let next = index + 1 == vertices.count ? 0 : index + 1
            let nextSide = (vertices[next] - point).dot(plane)
            defer { side = nextSide }
            // A vertex in the plane counts as above it, for both of its edges.
            guard index != edge, (side >= 0) != (nextSide >= 0) else { continue }
            let start = (point - vertices[index]).dot(normals[index])
            let stop = (middle - vertices[index]).dot(normals[index])
            if side >= 0 ? start < 0 && stop > 0 : start > 0 && stop < 0 { isInside.toggle() }
        }
        return isInside
    }

    /// Whether a point lies on the line itself.
    func hasOnLine(_ point: SpherePoint) -> Bool {
        if let bounds, point.dot(bounds.center) < bounds.cosine { return false }
        return farEdge(point) == nil
    }

    /// The edge whose great circle lies farthest from the point, which is not opposite to it; nil
    /// if the point is on the line.
    private func farEdge(_ point: SpherePoint) -> Int? {
        var best = (edge: 0, distance: -1.0)
        for index in vertices.indices {
            let (a, b) = (vertices[index], vertices[(index + 1) % vertices.count])
            let normal = normals[index]
            let distance = abs((point - a).dot(normal))
            if distance <= Self.onEdge, normal.cross(a).dot(point - a) >= -Self.onEdge,
                b.cross(normal).dot(point - b) >= -Self.onEdge, point.dot(a + b) > 0
            {
                return nil
            }
            if distance > best.distance, (point + (a + b).normalized).length > 1e-3 {
                best = (index, distance)
            }
        }
        return best.edge
    }
}
