import Foundation
import PredicateLanguage

/// Text as a comparison with modifiers sees it.
///
/// Without modifiers text is its Unicode scalars: a composed and a decomposed letter differ.
struct TextComparison {
    let options: TextOptions

    /// The scalars to compare: `[d]` decomposes and drops nonspacing marks, `[c]` folds case.
    func scalars(of text: String) -> [Unicode.Scalar] {
        var scalars = Array(text.unicodeScalars)
        if options.contains(.diacriticInsensitive) {
            scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
                .filter { $0.properties.generalCategory != .nonspacingMark }
        }
        if options.contains(.caseInsensitive) { scalars = scalars.map { TextFolding.folded($0) } }
        return scalars
    }

    /// Whether `text` has `part` at its beginning, its end or anywhere; never if `part` is empty.
    static func matches<Element: Equatable>(
        _ op: ComparisonOperator,
        _ text: [Element],
        _ part: [Element]
    ) -> Bool {
        guard !part.isEmpty, part.count <= text.count else { return false }
        switch op {
        case .beginsWith: return text.starts(with: part)
        case .endsWith: return text.suffix(part.count).elementsEqual(part)
        default:
            return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
        }
    }

    /// Whether `text` as a whole matches `pattern`: `?` is one scalar, `*` any number of them, and
    /// after a backslash each of these and the backslash itself.
    static func isLike(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        // matched[n]: whether the pattern so far matches the first n scalars.
        var matched = [true] + Array(repeating: false, count: text.count)
        func advance(_ takes: (Unicode.Scalar) -> Bool) {
            for index in stride(from: text.count, to: 0, by: -1) {
                matched[index] = matched[index - 1] && takes(text[index - 1])
            }
            matched[0] = false
        }
        var rest = pattern[...]
        while let sign = rest.popFirst() {
            if sign == "\\", let special = rest.first, "*?\\".unicodeScalars.contains(special) {
                rest.removeFirst()
                advance { $0 == special }
            } else if sign == "*" {
                if let first = matched.firstIndex(of: true) {
                    for index in first..<matched.count { matched[index] = true }
                }
            } else {
                advance { sign == "?" || sign == $0 }
            }
        }
        return matched[text.count]
    }
}
