import CRuntime
import Foundation
import PredicateLanguage

enum TextOperator: String {
    case equal = "=="
    case notEqual = "!="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
}

/// A comparison of byte strings with one needle.
///
/// Without options bytes are compared: texts that Unicode holds equivalent may differ. `[c]` folds
/// case by Unicode's simple folding, `[d]` leaves combining marks away.
struct TextMatch {
    let operation: TextOperator
    let options: TextOptions
    /// As given; nil equals and is like nil, differs from every value, and else never matches.
    let original: [UInt8]?
    /// Folded as the options say.
    private let needle: [UInt8]

    init(_ operation: TextOperator, _ needle: [UInt8]?, _ options: TextOptions = []) {
        self.operation = operation
        self.options = options
        original = needle
        self.needle = TextFolding.folded(needle ?? [], options)
    }

    /// Whether a value matches; nil is the missing value.
    func matches(_ value: UnsafeRawBufferPointer?) -> Bool {
        guard let value, original != nil else {
            switch operation {
            case .equal, .like: return value == nil && original == nil
            case .notEqual: return (value == nil) != (original == nil)
            default: return false
            }
        }
        if options.isEmpty { return compare(value) }
        return TextFolding.withFolded(value, options, compare)
    }

    @inline(__always)
    private func compare(_ value: UnsafeRawBufferPointer) -> Bool {
        needle.withUnsafeBytes { needle in
            switch operation {
            case .equal:
                return value.count == needle.count && Bytes.areEqual(value, needle, needle.count)
            case .notEqual:
                return value.count != needle.count || !Bytes.areEqual(value, needle, needle.count)
            case .beginsWith where !needle.isEmpty:
                return value.count >= needle.count && Bytes.areEqual(value, needle, needle.count)
            case .endsWith where !needle.isEmpty:
                guard value.count >= needle.count else { return false }
                let tail = UnsafeRawBufferPointer(rebasing: value.suffix(needle.count))
                return Bytes.areEqual(tail, needle, needle.count)
            case .contains where !needle.isEmpty: return Bytes.contains(value, needle)
            case .like: return Wildcards.matches(value, needle)
            // As with Foundation, nothing has the empty text within it.
            case .beginsWith, .endsWith, .contains: return false
            }
        }
    }
}

enum Bytes {
    /// Whether the first `count` bytes are equal; both have at least so many.
    @inline(__always)
    static func areEqual(
        _ a: UnsafeRawBufferPointer,
        _ b: UnsafeRawBufferPointer,
        _ count: Int
    ) -> Bool {
        guard count > 0, let a = a.baseAddress, let b = b.baseAddress else { return true }
        return memcmp(a, b, count) == 0
    }

    static func contains(_ value: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool
    {
        guard let start = needle.baseAddress, !needle.isEmpty else { return true }
        guard let bytes = value.baseAddress, value.count >= needle.count else { return false }
        return domesday_find(bytes, value.count, start, needle.count) != nil
    }
}

/// Patterns in which `?` is any one character (Unicode scalar) and `*` any number of them.
enum Wildcards {
    /// - Complexity: O(value * pattern) at worst.
    static func matches(
        _ value: UnsafeRawBufferPointer,
        _ pattern: UnsafeRawBufferPointer
    ) -> Bool {
        var v = 0
        var p = 0
        /// Where to go on after the last `*`: it takes one character more.
        var retry: (value: Int, pattern: Int)?
        while v < value.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                p += 1
                retry = (v, p)
            } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") {
                p += 1
                v = end(ofScalarAt: v, value)
            } else if p + 1 < pattern.count, pattern[p] == UInt8(ascii: "\\"),
                isSpecial(pattern[p + 1]), pattern[p + 1] == value[v]
            {
                p += 2
                v += 1
            } else if p < pattern.count, pattern[p] == value[v], !isEscape(p, pattern) {
                p += 1
                v += 1
            } else if let from = retry {
                v = end(ofScalarAt: from.value, value)
                p = from.pattern
                retry = (v, p)
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
        return p == pattern.count
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "\\")
    }

    private static func isEscape(_ p: Int, _ pattern: UnsafeRawBufferPointer) -> Bool {
        pattern[p] == UInt8(ascii: "\\") && p + 1 < pattern.count && isSpecial(pattern[p + 1])
    }

    private static func end(ofScalarAt index: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        var next = index + 1
        while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
