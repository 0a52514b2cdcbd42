import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

private class Shop: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted var location: Location?
    @Persisted var branches: List<Location>
    @Persisted var owner: ShopOwner?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Location: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ShopOwner: Object {
    @Persisted var home: Location?
    @Persisted var type: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Places in queries")
struct GeoTests {
    private let folder: TemporaryFolder
    private let realm: Realm

    init() throws {
        folder = try TemporaryFolder()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("geo"),
                objectTypes: [Shop.self, Location.self, ShopOwner.self]
            )
        )
    }

    private func add(_ serial: Int, _ location: Location?, branches: [Location] = []) throws {
        let shop = Shop()
        shop.serial = serial
        shop.location = location
        shop.branches.append(objectsIn: branches)
        try realm.write { realm.add(shop) }
    }

    private func serials(_ results: Results<Shop>) -> [Int] { results.map(\.serial) }

    private func addCities() throws {
        try add(1, Location(55.67, 12.57))  // Copenhagen
        try add(2, Location(59.33, 18.07))  // Stockholm
        try add(3, nil)
        let line = Location(55.67, 12.57)
        line.type = "LineString"
        try add(4, line)
        let short = Location()
        short.coordinates.append(12.57)
        try add(5, short)
        try add(6, Location(555, 12))
        try add(7, nil, branches: [Location(0, 0), Location(55.6, 12.6)])
        let owner = ShopOwner()
        owner.home = Location(55.7, 12.5)
        try realm.write { realm.create(Shop.self, value: ["serial": 8, "owner": owner]) }
    }

    @Test("text, NSPredicate and typed queries find the places in a shape")
    func ways() throws {
        try addCities()
        let shops = realm.objects(Shop.self)
        let box = try #require(GeoBox(bottomLeft: (55, 12), topRight: (56, 13)))
        let radius = try #require(Distance.kilometers(20))
        let circle = try #require(GeoCircle(center: (55.67, 12.57), radius: radius))
        let polygon = try #require(
            GeoPolygon(outerRing: [(55, 12), (55, 13), (56, 13), (56, 12), (55, 12)])
        )
        #expect(serials(shops.where { $0.location.geoWithin(box) }) == [1])
        #expect(serials(shops.where { $0.location.geoWithin(circle) }) == [1])
        #expect(serials(shops.where { $0.location.geoWithin(polygon) }) == [1])
        for shape in [box, circle, polygon] as [any RLMGeospatial] {
            #expect(serials(shops.filter("location IN %@", shape)) == [1])
            #expect(serials(shops.filter("location GEOWITHIN $0", shape)) == [1])
            #expect(serials(shops.filter(NSPredicate(format: "location IN %@", shape))) == [1])
            #expect(serials(shops.filter("ANY branches IN %@", shape)) == [7])
            #expect(serials(shops.filter("owner.home IN %@", shape)) == [8])
            #expect(serials(shops.filter("NOT location IN %@", shape)) == [2, 3, 4, 5, 6, 7, 8])
            #expect(
                serials(shops.filter("SUBQUERY(branches, $b, $b IN %@).@count == 1", shape)) == [7]
            )
        }
        #expect(serials(shops.where { $0.branches.geoWithin(box) }) == [7])
        #expect(serials(shops.filter("location GEOWITHIN geoBox([12, 55], [13, 56])")) == [1])
        #expect(
            serials(shops.filter("location GEOWITHIN geoCircle([12.57, 55.67], 0.1)")) == [1, 2]
        )
    }

    @Test("a typed query reads as RealmSwift's")
    func rendering() throws {
        let box = try #require(GeoBox(bottomLeft: (55, 12), topRight: (56, 13)))
        let query = Query<Shop>._constructForTesting().location.geoWithin(box)
        let (text, arguments) = query._constructPredicate()
        #expect(text == "(location IN %@)")
        #expect(arguments.first as? GeoBox == box)
    }

    @Test("results follow a place that moves")
    func changes() throws {
        try addCities()
        let near = realm.objects(Shop.self).filter("location GEOWITHIN geoCircle([0, 0], 0.1)")
        #expect(near.count == 0)
        let shop = try #require(realm.object(ofType: Shop.self, forPrimaryKey: 2))
        try realm.write {
            shop.location?.coordinates[0] = 1
            shop.location?.coordinates[1] = 1
        }
        #expect(serials(near) == [2])
        try realm.write { shop.location?.type = "Polygon" }
        #expect(near.isEmpty)
    }

    @Test("points, boxes, circles, polygons and distances are only made of sensible numbers")
    func validation() throws {
        #expect(GeoPoint(latitude: 90, longitude: -180)?.altitude == 0)
        for (latitude, longitude, altitude) in [
            (90.1, 0.0, 0.0), (-90.1, 0, 0), (0, 180.1, 0), (0, -180.1, 0), (0, 0, -0.1),
            (.nan, 0, 0), (0, .nan, 0), (0, 0, .nan),
        ] {
            #expect(
                GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) == nil
            )
        }
        #expect(GeoBox(bottomLeft: (91, 0), topRight: (0, 0)) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: -0.1) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: .nan) == nil)
        #expect(GeoCircle(center: (0, 181), radiusInRadians: 1) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (1, 0)]) == nil)
        let square = [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0), (9.0, 0.0), (0.0, 0.0)]
        #expect(GeoPolygon(outerRing: square, holes: [(1, 1), (1, 2), (1, 1)]) == nil)
        #expect(GeoPolygon(outerRing: square, holes: [[(1, 1), (1, 2), (2, 2), (1, 1)]]) != nil)
        #expect(Distance.kilometers(-1) == nil && Distance.radians(.nan) == nil)
        let distance = try #require(Distance.kilometers(6378.1))
        #expect(distance.asRadians() == 1 && distance.asKilometers() == 6378.1)
        #expect(abs(distance.asMiles() - 3963.1676) < 0.001)
        #expect(abs(distance.asDegrees() - 57.29578) < 0.00001)
        #expect(Distance.degrees(180)?.asRadians() == .pi)
        #expect(Distance.miles(1)?.asKilometers() == 1.609344)
    }

    @Test("what is no place is refused, and so is a shape that is none")
    func refusals() throws {
        let shops = realm.objects(Shop.self)
        let box = try #require(GeoBox(bottomLeft: (55, 12), topRight: (56, 13)))
        func refusal(_ text: String, _ argument: Any? = nil) -> String {
            do {
                _ = try argument.map { try shops.tryFilter(text, $0) } ?? shops.tryFilter(text)
                return ""
            } catch { return "\(error)" }
        }
        #expect(
            refusal("owner IN %@", box).contains(
                "Query 'owner' links to data in the wrong format for a geoWithin query"
            )
        )
        #expect(refusal("serial IN %@", box).contains("wrong format for a geoWithin query"))
        #expect(refusal("location == %@", box).contains("Operator '==' not supported with a shape"))
        #expect(refusal("branches IN %@", box).contains("must use aggregate operations"))
        #expect(refusal("location GEOWITHIN 5").contains("Operator 'GEOWITHIN' not supported"))
        #expect(
            refusal("location GEOWITHIN geoCircle([0, 0], -1)").contains(
                "Invalid region in GEOWITHIN query for parameter 'geoCircle([0.0, 0.0], -1.0)': "
                    + "'The circle radius must be a non-negative number'"
            )
        )
    }

    @Test("the store and the evaluator agree on random places and shapes")
    func random() throws {
        var random = SplitMix64(seed: Scale.seed)
        func place() -> Location {
            let location = Location(
                .random(in: -90...90, using: &random),
                .random(in: -180...180, using: &random)
            )
            if Int.random(in: 0..<8, using: &random) == 0 { location.type = "" }
            if Int.random(in: 0..<8, using: &random) == 0 { location.coordinates.append(5) }
            return location
        }
        var shops: [Shop] = []
        try realm.write {
            for serial in 0..<400 {
                let shop = Shop()
                shop.serial = serial
                if Int.random(in: 0..<6, using: &random) > 0 { shop.location = place() }
                for _ in 0..<Int.random(in: 0..<3, using: &random) { shop.branches.append(place()) }
                realm.add(shop)
                shops.append(shop)
            }
        }
        let paths = ["location", "ANY branches", "NONE branches", "ALL branches"]
        for round in 0..<60 * Scale.factor {
            let south = Double.random(in: -90...60, using: &random)
            let west = Double.random(in: -180...180, using: &random)
            let east = Double.random(in: -180...180, using: &random)
            let shape: GeoShape =
                switch round % 2 {
                case 0:
                    .box(
                        bottomLeft: GeoPosition(latitude: south, longitude: west),
                        topRight: GeoPosition(latitude: south + 30, longitude: east)
                    )
                default:
                    .circle(
                        center: GeoPosition(latitude: south, longitude: west),
                        radius: .random(in: 0...1.5, using: &random)
                    )
                }
            for path in paths {
                let text = "\(path) GEOWITHIN \(shape)"
                let expected = try RandomGeoQuery.serials(shops, text)
                let found = serials(realm.objects(Shop.self).filter(text))
                #expect(found == expected, "DOMESDAY_SEED=\(Scale.seed): \(text)")
            }
        }
    }

    private enum RandomGeoQuery {
        static func serials(_ shops: [Shop], _ text: String) throws -> [Int] {
            let evaluator = ObjectEvaluator(try PredicateParser.parse(text))
            return try shops.filter { try evaluator.matches($0) }.map(\.serial)
        }
    }
}
