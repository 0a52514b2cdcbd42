extension Lexer {
    /// The byte at the current position, or `nil` at the end.
    func byte() -> UInt8? { byte(at: position) }

    /// The byte at a position, or `nil` past the end.
    func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The text from an offset to the current position.
    func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// An error of this text.
    func failure(
        _ code: PredicateSyntaxError.Code,
        at offset: Int,
        _ message: String
    ) -> PredicateSyntaxError {
        PredicateSyntaxError(code, at: offset, in: format, message)
    }

    /// The scalar that begins at an offset within the text.
    func scalar(at index: Int) -> Unicode.Scalar {
        let slice = bytes[index..<min(index + 4, bytes.count)]
        return String(decoding: slice, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    }

    /// Passes over spaces, line ends and their Unicode relatives.
    mutating func skipWhitespace() {
        while let byte = byte() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if byte >= 0x80, scalar(at: position).properties.isWhitespace {
                position += UTF8.width(scalar(at: position))
            } else {
                return
            }
        }
    }

    /// Reads a name, or nothing if none begins here.
    mutating func word() -> String? {
        let start = position
        while let byte = byte() {
            let scalar = byte < 0x80 ? Unicode.Scalar(byte) : scalar(at: position)
            guard Self.isNamePart(scalar, isFirst: position == start) else { break }
            position += UTF8.width(scalar)
        }
        return position == start ? nil : text(from: start)
    }

    /// Reads a name after one sign; for a variable the name may be a number.
    mutating func prefixedWord() throws(PredicateSyntaxError) -> String {
        let start = position
        position += 1
        let sign = text(from: start)
        let nameStart = position
        if sign == "$" {
            while let next = byte(), (0x30...0x39).contains(next) { position += 1 }
        }
        _ = word()
        guard position > nameStart else {
            position = start
            throw failure(.unexpectedCharacter, at: start, "expected a name after '\(sign)'")
        }
        return text(from: nameStart)
    }

    /// Whether a whole string can stand in a path as it is.
    static func isName(_ text: String) -> Bool {
        var lexer = Lexer(text)
        return lexer.word() != nil && lexer.position == lexer.bytes.count
    }

    /// Whether a scalar can be part of a name: as in Swift, letters, digits, `_`, emoji and marks.
    static func isNamePart(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": return true
        case "0"..."9": return !isFirst
        default: break
        }
        guard !scalar.isASCII else { return false }
        let properties = scalar.properties
        return properties.isXIDContinue || properties.isEmoji || properties.isEmojiModifier
            || scalar == "\u{200D}" || scalar == "\u{FE0F}"
    }
}
