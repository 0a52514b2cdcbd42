import Foundation

/// Makes words comparable that differ in case, accents or the width of their letters.
///
/// Case is folded fully ("ß" is "ss"), compatibility forms are resolved, accents are left away:
/// marks above, below and through letters, and the points of Hebrew and Arabic. Vowel signs that
/// take the place of letters, as in Devanagari or Thai, stay, and so do the marks of kana.
enum WordFolding {
    /// - Complexity: O(text).
    static func folded(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if isAccent(scalar) { continue }
            switch scalar {
            case "\u{2019}", "\u{FF07}": scalars.append("'")
            case _ where scalar.value < 0x80:
                let isUpper = scalar.value &- 0x41 < 26
                scalars.append(isUpper ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar)
            default:
                // Upper case first: it joins letters that have one capital, such as the two sigmas.
                for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                    scalars.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
            return false
        }
        let combining = scalar.properties.canonicalCombiningClass.rawValue
        return combining == 1 || (10...35).contains(combining) || combining >= 200
    }
}
