import Foundation
import PredicateLanguage

/// `[c]` and `[d]`; the public type of that name is another one.
typealias TextOptions = PredicateLanguage.StringOptions

/// Makes texts comparable that differ in case (`[c]`) or in combining marks (`[d]`).
///
/// Case is folded scalar by scalar (Unicode's simple folding: one scalar for one), marks are those
/// of category Mn after canonical decomposition. Bytes that are no UTF-8 stay as they are.
enum TextFolding {
    static func folded(_ bytes: [UInt8], _ options: TextOptions) -> [UInt8] {
        if options.isEmpty { return bytes }
        return bytes.withUnsafeBytes { withFolded($0, options) { Array($0) } }
    }

    /// Lends the folded bytes; no memory is allocated for short ASCII.
    @inline(__always)
    static func withFolded<R>(
        _ bytes: UnsafeRawBufferPointer,
        _ options: TextOptions,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        if bytes.contains(where: { $0 >= 0x80 }) {
            return general(bytes, options).withUnsafeBytes(body)
        }
        // ASCII has no marks.
        guard options.contains(.caseInsensitive), !bytes.isEmpty else { return body(bytes) }
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { lower in
            for index in bytes.indices { lower[index] = ASCII.lowercase(bytes[index]) }
            return body(UnsafeRawBufferPointer(lower))
        }
    }

    @inline(never)
    private static func general(
        _ bytes: UnsafeRawBufferPointer,
        _ options: TextOptions
    ) -> [UInt8] {
        guard var text = String(validating: bytes, as: UTF8.self) else { return Array(bytes) }
        if options.contains(.diacriticInsensitive) {
            text = text.decomposedStringWithCanonicalMapping
        }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if options.contains(.diacriticInsensitive),
                scalar.properties.generalCategory == .nonspacingMark
            {
                continue
            }
            guard options.contains(.caseInsensitive) else {
                result.append(scalar)
                continue
            }
            result.append(folded(scalar))
        }
        return Array(String(result).utf8)
    }

    /// Simple case folding: one scalar for one, so that "ß" is not "ss".
    static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        // The dotless i has the capital I, but folds to itself outside Turkish.
        case "\u{131}": return scalar
        // Letters with one meaning and two numbers; neither has a capital of one scalar.
        case "\u{1FD3}": return "\u{390}"
        case "\u{1FE3}": return "\u{3B0}"
        case "\u{FB05}": return "\u{FB06}"
        default: break
        }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        return single(upper.properties.lowercaseMapping) ?? upper
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }
}

enum ASCII {
    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
