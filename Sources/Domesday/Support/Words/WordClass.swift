/// What a character is to the breaking of text into words: Unicode's annex 29, as far as it tells
/// words from what lies between them.
enum WordClass {
    case letter
    case digit
    /// Belongs to the word it stands in: `_`.
    case connector
    /// Part of a word between two letters: `:`, `·`.
    case betweenLetters
    /// Part of a word between two digits: `,`, `;`.
    case betweenDigits
    /// Part of a word between two letters or two digits: `'`, `.`.
    case between
    /// Continues what it stands behind.
    case mark
    /// Of a script that is written without spaces: Chinese, Japanese, Korean.
    case ideograph
    case other

    @inline(__always)
    init(_ scalar: Unicode.Scalar) {
        self = scalar.value < 0x80 ? Self.ascii[Int(scalar.value)] : Self.beyondASCII(scalar)
    }

    private static let ascii: [WordClass] = (0..<0x80).map { value in
        switch UInt8(value) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letter
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        case UInt8(ascii: "_"): .connector
        case UInt8(ascii: ":"): .betweenLetters
        case UInt8(ascii: ","), UInt8(ascii: ";"): .betweenDigits
        case UInt8(ascii: "'"), UInt8(ascii: "."): .between
        default: .other
        }
    }

    private static func beyondASCII(_ scalar: Unicode.Scalar) -> WordClass {
        if isIdeograph(scalar.value) { return .ideograph }
        switch scalar {
        case "\u{B7}", "\u{387}", "\u{55F}", "\u{5F4}", "\u{2027}": return .betweenLetters
        case "\u{37E}", "\u{589}", "\u{60C}", "\u{60D}", "\u{66C}", "\u{2044}":
            return .betweenDigits
        case "\u{2018}", "\u{2019}", "\u{2024}": return .between
        case "\u{203F}", "\u{2040}", "\u{2054}": return .connector
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format: return .mark
        case .decimalNumber: return .digit
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber, .otherNumber:
            return .letter
        default: return .other
        }
    }

    private static func isIdeograph(_ value: UInt32) -> Bool {
        switch value {
        case 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3041...0x3096,
            0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F,
            0x3131...0x318E, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x1B000...0x1B16F,
            0x20000...0x3FFFF:
            true
        // Marks of kana, and parts of syllables, continue what they stand behind.
        case 0x1100...0x11FF, 0x3099...0x309A, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }
}
