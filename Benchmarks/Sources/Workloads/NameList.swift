import Foundation

/// The first and last names that persons are given: 8 to 18 characters together.
struct NameList: Sendable {
    /// 200 names of four letters.
    let first: [String]
    /// 500 names of 3 to 13 letters.
    let last: [String]

    private static let syllables = [
        "al", "an", "be", "ro", "mi", "ta", "ke", "lo", "su", "ni",
        "da", "ri", "mo", "le", "sa", "vi", "no", "ga", "pe", "jo",
    ]

    init() {
        let syllables = Self.syllables
        first = (0..<200).map { index in
            (syllables[index / 10] + syllables[(index * 7 + index / 20) % 20]).capitalized
        }
        last = (0..<500).map { index in
            let parts = (0..<(2 + index % 5)).map { part in
                syllables[(index * (part + 3) + part * 5 + index / 20) % 20]
            }
            return String(parts.joined().prefix(3 + (index * 13) % 11)).capitalized
        }
    }
}
