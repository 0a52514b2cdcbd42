/// What changed in a map: keys, ascending by their bytes.
struct MapDifference: Equatable {
    var deletions: [String] = []
    var insertions: [String] = []
    var modifications: [String] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// The entries of a map at one version, ascending by the bytes of their keys.
private struct KnownEntries {
    /// `link` is 0 for what leads to no object.
    typealias Entry = (key: [UInt8], stored: [UInt8], link: ObjectKey)

    var entries: [Entry] = []

    /// - Returns: nil if the bytes are damaged.
    init?(_ sequence: StoredSequence) {
        var isWhole = true
        let layout = sequence.layout
        let isRead = sequence.forEach { element in
            guard let key = layout.key(of: element) else {
                isWhole = false
                return false
            }
            let link = layout.type == .link ? layout.link(of: element) : 0
            entries.append((Array(key), Array(element), link))
            return true
        }
        if !isRead || !isWhole { return nil }
    }

    init() {}

    /// How these became `next`, in which the objects `modified` changed.
    ///
    /// - Complexity: O(*n*).
    func difference(to next: KnownEntries, _ modified: Set<ObjectKey>) -> MapDifference {
        var result = MapDifference()
        var old = entries[...]
        var new = next.entries[...]
        while let before = old.first, let after = new.first {
            if before.key == after.key {
                if before.stored != after.stored || modified.contains(after.link) {
                    result.modifications.append(Self.text(after))
                }
                old.removeFirst()
                new.removeFirst()
            } else if before.key.lexicographicallyPrecedes(after.key) {
                result.deletions.append(Self.text(before))
                old.removeFirst()
            } else {
                result.insertions.append(Self.text(after))
                new.removeFirst()
            }
        }
        result.deletions += old.map(Self.text)
        result.insertions += new.map(Self.text)
        return result
    }

    private static func text(_ entry: Entry) -> String {
        String(decoding: entry.key, as: UTF8.self)
    }
}

/// Observes a map.
final class MapNotifier: Notifier {
    private let column: ObservedColumn
    private let counting: CountingChanges
    /// Called with nil at first.
    private let report: (MapDifference?) -> Void
    private var known = KnownEntries()

    init(
        _ state: RealmState,
        _ column: ObservedColumn,
        keyPaths: [String]?,
        report: @escaping (MapDifference?) -> Void
    ) {
        self.column = column
        self.report = report
        counting = CountingChanges(column.elementTable, keyPaths)
        super.init(state, from: nil)
    }

    override func begin() throws(StorageError) -> () -> Void {
        known = try entries()
        return { [report] in report(nil) }
    }

    override func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        let next = try column.mayHaveChanged(affected) ? try entries() : known
        let difference = known.difference(to: next, try counting.objects(affected))
        known = next
        if difference.isEmpty { return nil }
        return { [report] in report(difference) }
    }

    /// None if the object is gone.
    private func entries() throws(StorageError) -> KnownEntries {
        guard let sequence = try column.sequence() else { return KnownEntries() }
        guard let entries = KnownEntries(sequence) else { throw column.damaged }
        return entries
    }
}
