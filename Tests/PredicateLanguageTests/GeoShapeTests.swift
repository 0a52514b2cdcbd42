import PredicateLanguage
import Testing

@Suite("Shapes in predicates")
struct GeoShapeTests {
    @Test("a box, a circle and a polygon are read, longitude first")
    func shapes() throws {
        try expect(
            "geoBox([0.5, -10], [20, 30.25])",
            .box(
                bottomLeft: GeoPosition(latitude: -10, longitude: 0.5),
                topRight: GeoPosition(latitude: 30.25, longitude: 20)
            )
        )
        try expect(
            "GEOCIRCLE([1, 2, 100.5], 0.25)",
            .circle(center: GeoPosition(latitude: 2, longitude: 1), radius: 0.25)
        )
        let corner = GeoPosition(latitude: 0, longitude: 0)
        let east = GeoPosition(latitude: 0, longitude: 1)
        let north = GeoPosition(latitude: 1, longitude: 0)
        let ring = "{[0, 0], [1, 0], [0, 1], [0, 0]}"
        try expect(
            "geoPolygon(\(ring), \(ring))",
            .polygon(
                rings: [[corner, east, north, corner], [corner, east, north, corner]]
            )
        )
    }

    @Test("numbers may be arguments")
    func arguments() throws {
        let expected = compare(
            "a",
            .geoWithin,
            GeoShape.circle(center: GeoPosition(latitude: -2, longitude: 1), radius: 0.5)
        )
        #expect(try parse("a GEOWITHIN geoCircle([%@, %f], %@)", 1, -2.0, 0.5) == expected)
    }

    @Test("without the parenthesis the names are properties")
    func names() throws {
        #expect(try parse("geoBox == 1") == compare("geoBox", .equal, 1 as Int64))
    }

    @Test("TEXT and GEOWITHIN are names where no operator can stand")
    func operatorNames() throws {
        #expect(try parse("text == 'a'") == compare("text", .equal, "a"))
        #expect(try parse("text TEXT 'a'") == compare("text", .text, "a"))
        #expect(try parse("text CONTAINS 'a'") == compare("text", .contains, "a"))
        #expect(try parse("ANY text == 'a'").description == "ANY #text == \"a\"")
        #expect(try parse("text IN {'a'}") == compare("text", .in, ["a"]))
    }

    @Test(
        "what is no shape is told with its place",
        arguments: [
            ("a GEOWITHIN geoBox([0, 0])", 25, "expected ',', found ')'"),
            ("a GEOWITHIN geoBox([0], [1, 1])", 21, "expected ',', found ']'"),
            ("a GEOWITHIN geoCircle([0, 0], 'x')", 30, "expected a number, found a string"),
            ("a GEOWITHIN geoPolygon([0, 0])", 23, "expected '{', found '['"),
            ("a GEOWITHIN geoPolygon({[0, 0]}", 31, "expected ')', found the end"),
            ("a GEOWITHIN[c] geoCircle([0, 0], 1)", 2, "not supported with modifier [c]."),
        ]
    )
    func mistakes(_ text: String, _ offset: Int, _ message: String) {
        let error = failure(of: text)
        #expect(error?.utf8Offset == offset)
        #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
    }

    private func expect(_ text: String, _ shape: GeoShape) throws {
        let parsed = try parse("a GEOWITHIN \(text)")
        #expect(parsed == compare("a", .geoWithin, shape))
        // What is printed is read again.
        #expect(try parse(parsed.description) == parsed)
    }
}
