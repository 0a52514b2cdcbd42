// shape    = "geoBox" "(" position "," position ")" / "geoCircle" "(" position "," number ")"
//          / "geoPolygon" "(" ring *("," ring) ")"
// ring     = "{" position *("," position) "}"
// position = "[" number "," number ["," number] "]"     longitude, latitude, altitude

extension PredicateParser {
    /// Whether a shape begins here: its name is a name of a property without the parenthesis.
    var beginsShape: Bool {
        guard case .word(let word) = current.kind, word.count > 5,
            following.kind == .mark(.openParenthesis)
        else { return false }
        return ["geobox", "geocircle", "geopolygon"].contains(word.lowercased())
    }

    /// Reads a shape; `beginsShape` holds.
    @inline(never)
    mutating func shape() throws(PredicateSyntaxError) -> GeoShape {
        guard case .word(let word) = advance().kind else { throw unexpected("a shape") }
        try expect(.openParenthesis)
        let shape: GeoShape
        switch word.lowercased() {
        case "geobox":
            let bottomLeft = try geoPosition()
            try expect(.comma)
            shape = .box(bottomLeft: bottomLeft, topRight: try geoPosition())
        case "geocircle":
            let center = try geoPosition()
            try expect(.comma)
            shape = .circle(center: center, radius: try number())
        default:
            var rings: [[GeoPosition]] = []
            repeat { rings.append(try ring()) } while take(.comma)
            shape = .polygon(rings: rings)
        }
        try expect(.closeParenthesis)
        return shape
    }

    private mutating func ring() throws(PredicateSyntaxError) -> [GeoPosition] {
        try expect(.openBrace)
        var positions: [GeoPosition] = []
        repeat { positions.append(try geoPosition()) } while take(.comma)
        try expect(.closeBrace)
        return positions
    }

    private mutating func geoPosition() throws(PredicateSyntaxError) -> GeoPosition {
        try expect(.openBracket)
        let longitude = try number()
        try expect(.comma)
        let latitude = try number()
        if take(.comma) { _ = try number() }
        try expect(.closeBracket)
        return GeoPosition(latitude: latitude, longitude: longitude)
    }

    private mutating func number() throws(PredicateSyntaxError) -> Double {
        let value: Any?
        switch current.kind {
        case .literal(.integer(let number)): value = number
        case .literal(.double(let number)): value = number
        case .placeholder(let placeholder, let index) where placeholder != .keyPath:
            value = try argument(index, for: .double)
            return value as? Double ?? 0
        default: throw unexpected("a number")
        }
        advance()
        return (value as? Double) ?? Double(value as? Int64 ?? 0)
    }
}
