/// The sections of an observed collection at one version.
///
/// **Shape.** Each key once, in the order in which it comes first; the objects of a section in the
/// collection's order.
/// **Threads.** A value.
struct KnownSections<Key: Hashable> {
    private(set) var keys: [Key] = []
    private(set) var rows: [ContiguousArray<ObjectKey>] = []
    private var positions: [Key: Int] = [:]

    init() {}

    /// - Parameter keyOf: The section of each object that occurs.
    init(_ objects: ContiguousArray<ObjectKey>, _ keyOf: [ObjectKey: Key]) {
        for object in objects {
            guard let key = keyOf[object] else { continue }
            if let known = positions[key] {
                rows[known].append(object)
            } else {
                positions[key] = keys.count
                keys.append(key)
                rows.append([object])
            }
        }
    }

    func position(of key: Key) -> Int? { positions[key] }
}

/// What changed in sections.
///
/// **Shape.** Deletions and modifications are places in the sections that were told last, insertions in
/// the present ones; ascending. The objects of a section that came or went are listed too. A section
/// that moved is deleted and inserted with all its objects, and so is an object that moved or went to
/// another section.
/// **Threads.** A value.
struct SectionedDifference {
    typealias Place = (section: Int, row: Int)

    var deletions: [Place] = []
    var insertions: [Place] = []
    var modifications: [Place] = []
    var deletedSections: [Int] = []
    var insertedSections: [Int] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            && deletedSections.isEmpty && insertedSections.isEmpty
    }

    /// All sections.
    init<Key>(
        from old: KnownSections<Key>,
        to new: KnownSections<Key>,
        modified: Set<ObjectKey>
    ) {
        let change = SequenceDifference(from: old.keys, to: new.keys)
        deletedSections = change.deletions
        insertedSections = change.insertions
        let (gone, come) = (Set(change.deletions), Set(change.insertions))
        var next = 0
        for section in old.keys.indices {
            if gone.contains(section) {
                add(section, old.rows[section], nil, [], modified)
                continue
            }
            while come.contains(next) { next += 1 }
            add(section, old.rows[section], next, new.rows[next], modified)
            next += 1
        }
        for section in change.insertions { add(nil, [], section, new.rows[section], modified) }
        insertions.sort(by: <)
    }

    /// One section, wherever it stands.
    init<Key>(
        of key: Key,
        from old: KnownSections<Key>,
        to new: KnownSections<Key>,
        modified: Set<ObjectKey>
    ) {
        let (before, after) = (old.position(of: key), new.position(of: key))
        if let before, after == nil { deletedSections = [before] }
        if let after, before == nil { insertedSections = [after] }
        add(
            before,
            before.map { old.rows[$0] } ?? [],
            after,
            after.map { new.rows[$0] } ?? [],
            modified
        )
    }

    private mutating func add(
        _ section: Int?,
        _ old: ContiguousArray<ObjectKey>,
        _ newSection: Int?,
        _ new: ContiguousArray<ObjectKey>,
        _ modified: Set<ObjectKey>
    ) {
        let change = SequenceDifference(from: old, to: new)
        if let newSection { insertions += change.insertions.map { (newSection, $0) } }
        guard let section else { return }
        deletions += change.deletions.map { (section, $0) }
        if modified.isEmpty { return }
        let gone = Set(change.deletions)
        for row in old.indices where modified.contains(old[row]) && !gone.contains(row) {
            modifications.append((section, row))
        }
    }
}

/// Observes a collection in sections, or one of them.
///
/// What tells an object's section is asked anew when the object, or something up to four links away,
/// has changed.
final class SectionedNotifier<Key: Hashable>: Notifier {
    private let source: any ObservedSource
    private let table: BoundTable
    private let keyOf: (ObjectKey) throws(StorageError) -> Key
    /// The one section that is observed; nil for all.
    private let section: Key?
    private let counting: CountingChanges
    /// Called with nil at first.
    private let report: (SectionedDifference?) -> Void
    private var known = KnownElements.none
    private var keys: [ObjectKey: Key] = [:]
    private var sections = KnownSections<Key>()

    /// - Parameter source: Objects of `table`.
    init(
        _ state: RealmState,
        _ source: any ObservedSource,
        of table: BoundTable,
        section: Key?,
        keyPaths: [String]?,
        keyOf: @escaping (ObjectKey) throws(StorageError) -> Key,
        report: @escaping (SectionedDifference?) -> Void
    ) {
        self.source = source
        self.table = table
        self.section = section
        self.keyOf = keyOf
        self.report = report
        counting = CountingChanges(table, keyPaths)
        super.init(state, from: nil)
    }

    override func begin() throws(StorageError) -> () -> Void {
        known = try source.elements()
        for key in known.keys { keys[key] = try keyOf(key) }
        sections = KnownSections(known.keys, keys)
        return { [report] in report(nil) }
    }

    override func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        let next = try source.elements(after: known, affected)
        let touched = try affected.deeplyModified(table)
        let modified = try counting.objects(affected)
        if next == nil, !touched.contains(where: { known.contains($0) }),
            !modified.contains(where: { known.contains($0) })
        {
            return nil
        }
        let old = sections
        try moveOn(to: next ?? known, touched)
        let change =
            section.map { SectionedDifference(of: $0, from: old, to: sections, modified: modified) }
            ?? SectionedDifference(from: old, to: sections, modified: modified)
        return change.isEmpty ? nil : { [report] in report(change) }
    }

    /// - Complexity: O(elements); asks for the sections of those that came or were touched.
    private func moveOn(
        to next: KnownElements,
        _ touched: Set<ObjectKey>
    ) throws(StorageError) {
        var keys: [ObjectKey: Key] = [:]
        keys.reserveCapacity(next.keys.count)
        for object in next.keys {
            if !touched.contains(object), let key = self.keys[object] {
                keys[object] = key
            } else {
                keys[object] = try keyOf(object)
            }
        }
        self.keys = keys
        known = next
        sections = KnownSections(next.keys, keys)
    }
}
