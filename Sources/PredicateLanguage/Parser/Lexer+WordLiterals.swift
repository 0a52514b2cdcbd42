import Foundation

// Literals of types that have no sign of their own: uuid(...), oid(...), B64"...", L1:7, dates.
//
// A name stays a name: `uuid` and `oid` are literals only before a parenthesis, `B64` only before a
// quotation mark, `T1` and `L1` only before a colon.

extension Lexer {
    /// Reads such a literal, or nothing if none begins here.
    mutating func wordlikeLiteral() throws(PredicateSyntaxError) -> Token.Literal? {
        guard let byte = byte() else { return nil }
        switch byte {
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            guard let (text, end) = try enclosed(after: "uuid(") else { return nil }
            guard let value = UUID(uuidString: text) else {
                throw failure(.invalidLiteral, at: position, "expected a UUID in 'uuid(...)'")
            }
            position = end
            return .uuid(value)
        case UInt8(ascii: "o"), UInt8(ascii: "O"):
            guard let (text, end) = try enclosed(after: "oid(") else { return nil }
            guard let value = ObjectIdLiteral(text) else {
                throw failure(
                    .invalidLiteral,
                    at: position,
                    "expected 24 hexadecimal digits in 'oid(...)'"
                )
            }
            position = end
            return .objectId(value)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return try base64()
        case UInt8(ascii: "L"): return link()
        case UInt8(ascii: "T"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try date()
        default: return nil
        }
    }

    /// Whether a text stands here, in any case.
    private func stands(_ text: String) -> Bool {
        guard position + text.utf8.count <= bytes.count else { return false }
        return zip(text.utf8, bytes[position...]).allSatisfy { letter, byte in
            letter == byte || (letter | 0x20 == byte | 0x20 && letter | 0x20 >= 0x61)
        }
    }

    /// What stands between a word with its parenthesis and the closing one, without quotation
    /// marks, and where to read on; nil if the word does not stand here.
    private func enclosed(
        after opening: String
    ) throws(PredicateSyntaxError) -> (text: String, end: Int)? {
        guard stands(opening) else { return nil }
        let start = position + opening.utf8.count
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ")")) else {
            throw failure(.unclosedString, at: position, "expected ')' at the end of '\(opening)'")
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        return (text.trimmingCharacters(in: CharacterSet(charactersIn: " '\"")), end + 1)
    }

    /// Reads `L1:7`.
    private mutating func link() -> Token.Literal? {
        let start = position
        position += 1
        if let numbers = numbers(separatedBy: [":"]) {
            return .link(LinkLiteral(table: numbers[0], key: Int64(numbers[1])))
        }
        position = start
        return nil
    }

    private mutating func base64() throws(PredicateSyntaxError) -> Token.Literal? {
        guard stands("B64\"") || stands("B64'") else { return nil }
        let start = position
        position += 3
        let text = try string()
        guard let data = Data(base64Encoded: text) else {
            throw failure(.invalidLiteral, at: start, "expected base64 in 'B64\"...\"'")
        }
        return .data(data)
    }

    // MARK: - Dates

    /// Reads `2024-02-29@13:45:00`, `2024-02-29T13:45:00:500` (nanoseconds), or `T12:500`: seconds
    /// and nanoseconds since 1970. All are UTC.
    private mutating func date() throws(PredicateSyntaxError) -> Token.Literal? {
        let start = position
        let numbers: [Int]?
        let isTimestamp = byte() == UInt8(ascii: "T")
        if isTimestamp {
            position += 1
            numbers = self.numbers(separatedBy: [":"])
        } else {
            numbers = self.numbers(separatedBy: ["-", "-", "@T", ":", ":"])
        }
        guard var parts = numbers else {
            position = start
            return nil
        }
        if !isTimestamp, byte() == UInt8(ascii: ":") {
            position += 1
            guard let nanoseconds = digits() else { throw invalidDate(at: start) }
            parts.append(nanoseconds)
        }
        let seconds = isTimestamp ? Double(parts[0]) : Self.seconds(parts)
        guard let seconds else { throw invalidDate(at: start) }
        let nanoseconds = isTimestamp ? parts[1] : parts.count > 6 ? parts[6] : 0
        return .date(Date(timeIntervalSince1970: seconds + Double(nanoseconds) / 1e9))
    }

    private func invalidDate(at start: Int) -> PredicateSyntaxError {
        failure(
            .invalidLiteral,
            at: start,
            "expected a date such as 2024-02-29@13:45:00 or T1709214300:0"
        )
    }

    /// One number more than separators, of each of which one character stands; nil for any other
    /// text.
    private mutating func numbers(separatedBy separators: [String]) -> [Int]? {
        guard let first = digits() else { return nil }
        var result = [first]
        for separator in separators {
            guard let sign = byte(), separator.utf8.contains(sign) else { return nil }
            position += 1
            guard let next = digits() else { return nil }
            result.append(next)
        }
        return result
    }

    private mutating func digits() -> Int? {
        let start = position
        while let digit = byte(), (0x30...0x39).contains(digit) { position += 1 }
        return position == start ? nil : Int(text(from: start))
    }

    /// Seconds from 1970 to year, month, day, hour, minute, second; nil if there is no such time.
    private static func seconds(_ parts: [Int]) -> Double? {
        let (year, month, day) = (parts[0], parts[1], parts[2])
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...length(ofMonth: month, year)).contains(day),
            (0...23).contains(parts[3]), (0...59).contains(parts[4]), (0...60).contains(parts[5])
        else { return nil }
        // Days since 0000-03-01 in the calendar of 400 years.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days =
            365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return Double(days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
