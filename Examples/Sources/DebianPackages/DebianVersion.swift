/// A version as Debian orders it: `[epoch:]upstream[-revision]`.
///
/// **Threads.** A value; any thread.
package struct DebianVersion: Sendable, CustomStringConvertible {
    package let description: String
    private let epoch: Int
    private let upstream: [UInt8]
    private let revision: [UInt8]

    package init(_ text: String) {
        description = text
        var rest = Substring(text)
        if let colon = rest.firstIndex(of: ":"), let number = Int(rest[..<colon]) {
            epoch = number
            rest = rest[rest.index(after: colon)...]
        } else {
            epoch = 0
        }
        let dash = rest.lastIndex(of: "-") ?? rest.endIndex
        upstream = Array(rest[..<dash].utf8)
        revision = Array(rest[dash...].dropFirst().utf8)
    }
}

extension DebianVersion: Comparable {
    package static func == (a: DebianVersion, b: DebianVersion) -> Bool { a.order(b) == 0 }
    package static func < (a: DebianVersion, b: DebianVersion) -> Bool { a.order(b) < 0 }

    /// Negative if this is the earlier one, 0 if they are equal: `1.0` and `1.00` are.
    private func order(_ other: DebianVersion) -> Int {
        if epoch != other.epoch { return epoch - other.epoch }
        let byUpstream = Self.order(upstream[...], other.upstream[...])
        return byUpstream != 0 ? byUpstream : Self.order(revision[...], other.revision[...])
    }

    /// Compares a run that is no number, then a number, and so on.
    private static func order(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
        var (a, b) = (a, b)
        while !a.isEmpty || !b.isEmpty {
            while a.first.map(isDigit) == false || b.first.map(isDigit) == false {
                let difference = weight(a.first) - weight(b.first)
                if difference != 0 { return difference }
                (a, b) = (a.dropFirst(), b.dropFirst())
            }
            let (numberA, numberB) = (takeNumber(&a), takeNumber(&b))
            // Without leading zeros a longer number is a greater one, however long.
            if numberA.count != numberB.count { return numberA.count - numberB.count }
            if numberA != numberB { return numberA.lexicographicallyPrecedes(numberB) ? -1 : 1 }
        }
        return 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A tilde sorts before the end, the end before letters, and these before everything else.
    private static func weight(_ byte: UInt8?) -> Int {
        guard let byte, !isDigit(byte) else { return 0 }
        if byte == UInt8(ascii: "~") { return -1 }
        let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
        return isLetter ? Int(byte) : Int(byte) + 256
    }

    private static func takeNumber(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}

extension DebianVersion: Hashable {
    /// By the epoch only: versions that are equal may be spelled differently.
    package func hash(into hasher: inout Hasher) { hasher.combine(epoch) }
}
