/// A predicate, sort or aggregate that does not fit the class it is about.
struct QueryError: Error, CustomStringConvertible {
    /// What is wrong, in RealmSwift's words where it has some.
    let message: String
    /// Where in the predicate's text, as a UTF-8 offset; nil when there is no text.
    var utf8Offset: Int?

    init(_ message: String, at utf8Offset: Int? = nil) {
        self.message = message
        self.utf8Offset = utf8Offset
    }

    var description: String {
        guard let utf8Offset else { return message }
        return "\(message) (at offset \(utf8Offset))"
    }
}

/// Names near to one that does not exist.
enum Suggestion {
    /// " Did you mean 'a' or 'b'?", or nothing.
    static func text(for name: String, among candidates: [String]) -> String {
        let limit = max(1, min(3, name.count / 2))
        let near =
            candidates
            .map { (name: $0, distance: distance(name.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(3)
            .map { "'\($0.name)'" }
        guard let last = near.last else { return "" }
        let head = near.dropLast().joined(separator: ", ")
        return " Did you mean \(head.isEmpty ? last : "\(head) or \(last)")?"
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two texts. O(a * b).
    private static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        var before = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1..<(a.count + 1) {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1..<(b.count + 1) {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], before[j - 2] + 1)
                }
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
