extension Lexer {
    /// Whether a number begins here: a digit, or `-` or `.` before one.
    func beginsNumber() -> Bool {
        var index = position
        if byte(at: index) == UInt8(ascii: "-") { index += 1 }
        if byte(at: index) == UInt8(ascii: ".") { index += 1 }
        return isDigit(at: index)
    }

    /// Reads an integer (decimal, `0x`, `0o`, `0b`) or a decimal fraction with its exponent, which
    /// an `f` may follow.
    mutating func number() throws(PredicateSyntaxError) -> Token.Literal {
        let start = position
        if byte() == UInt8(ascii: "-") { position += 1 }
        if let radix = radix() {
            return try integer(from: start, radix: radix)
        }
        skipDigits()
        var isInteger = true
        if byte() == UInt8(ascii: "."), isDigit(at: position + 1) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if skipExponent() { isInteger = false }
        let end = position
        let suffix = word()
        if isInteger, suffix == nil { return try integer(from: start, radix: 10) }
        guard suffix == nil || suffix?.lowercased() == "f",
            let value = Double(String(decoding: bytes[start..<end], as: UTF8.self)), value.isFinite
        else { throw invalidNumber(from: start) }
        // `1.5f` is the nearest Float.
        return .double(suffix == nil ? value : Double(Float(value)))
    }

    /// The base if a prefix such as `0x` stands here.
    private func radix() -> Int? {
        guard byte() == UInt8(ascii: "0"), let letter = byte(at: position + 1) else { return nil }
        switch letter | 0x20 {
        case UInt8(ascii: "x"): return 16
        case UInt8(ascii: "o"): return 8
        case UInt8(ascii: "b"): return 2
        default: return nil
        }
    }

    private mutating func integer(
        from start: Int,
        radix: Int
    ) throws(PredicateSyntaxError) -> Token.Literal {
        let sign = bytes[start] == UInt8(ascii: "-") ? "-" : ""
        if radix != 10 { position += 2 }
        let digitStart = radix == 10 ? start + sign.utf8.count : position
        skipDigits()
        _ = word()
        guard let value = Int64(sign + text(from: digitStart), radix: radix) else {
            throw invalidNumber(from: start)
        }
        return .integer(value)
    }

    /// Passes over `e5`, `E-5`, `e+5`; tells whether there was one.
    private mutating func skipExponent() -> Bool {
        guard let letter = byte(), letter | 0x20 == UInt8(ascii: "e") else { return false }
        var index = position + 1
        if let sign = byte(at: index), "+-".utf8.contains(sign) { index += 1 }
        guard isDigit(at: index) else { return false }
        position = index
        skipDigits()
        return true
    }

    private mutating func skipDigits() {
        while isDigit(at: position) { position += 1 }
    }

    private func isDigit(at index: Int) -> Bool {
        byte(at: index).map { (0x30...0x39).contains($0) } ?? false
    }

    private func invalidNumber(from start: Int) -> PredicateSyntaxError {
        failure(
            .invalidNumber,
            at: start,
            "expected a number of at most 64 bits, found '\(text(from: start))'"
        )
    }

    /// Reads a string in single or double quotation marks.
    mutating func string() throws(PredicateSyntaxError) -> String {
        let start = position
        let quote = bytes[start]
        position += 1
        var result: [UInt8] = []
        while let byte = byte() {
            if byte == quote {
                position += 1
                return String(decoding: result, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                guard position + 1 < bytes.count else { break }
                result.append(contentsOf: UTF8.encode(try escape()) ?? .init())
            } else {
                result.append(byte)
                position += 1
            }
        }
        let mark = Character(Unicode.Scalar(quote))
        throw failure(.unclosedString, at: start, "expected \(mark) at the end of the string")
    }

    /// Reads one escape, which begins with a backslash at the current position.
    private mutating func escape() throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = position
        position += 2
        switch bytes[start + 1] {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "/"):
            return Unicode.Scalar(bytes[start + 1])
        case UInt8(ascii: "u"):
            if let scalar = unicodeEscape() { return scalar }
            throw failure(
                .invalidEscape,
                at: start,
                "expected four hexadecimal digits of a character"
            )
        default:
            let found = scalar(at: start + 1).escaped(asASCII: false)
            throw failure(
                .invalidEscape,
                at: start,
                "unknown escape '\\\(found)'; a backslash itself is written '\\\\'"
            )
        }
    }

    /// Reads what follows `\u`: four digits, or two such groups for a surrogate pair.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let first = codeUnit() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard byte() == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u") else {
            return nil
        }
        position += 2
        guard let second = codeUnit(), UTF16.isTrailSurrogate(second) else { return nil }
        let pair = UTF16.EncodedScalar([first, second])
        return UTF16.decode(pair)
    }

    private mutating func codeUnit() -> UInt16? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        position += 4
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
