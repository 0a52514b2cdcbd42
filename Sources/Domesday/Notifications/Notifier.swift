import Synchronization

/// One registered observer: what it was told last, and how it is told more.
///
/// Subclasses say what is observed. Each delivery is one exact difference between the version told
/// last and the one the Realm shows at that moment.
///
/// **Threads.** Its Realm's; `stop` from any.
class Notifier {
    // Keeps the Realm open as long as somebody observes it.
    let state: RealmState
    /// The version that was told last; nil before the first delivery.
    private(set) var base: HeldSnapshot?
    private let hasStopped = Atomic(false)

    init(_ state: RealmState, from base: HeldSnapshot?) {
        self.state = state
        self.base = base
    }

    var isStopped: Bool { hasStopped.load(ordering: .acquiring) }

    /// Nothing is delivered once it returns, but for a call that is under way on another thread.
    func stop() { hasStopped.store(true, ordering: .releasing) }

    /// Takes what there is at first. Returns the call to be made.
    func begin() throws(StorageError) -> () -> Void { fatalError("a notifier must override begin") }

    /// Moves on. Returns the call to be made, nil if nothing changed.
    func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        fatalError("a notifier must override update")
    }

    /// Moves on to the Realm's version and tells.
    ///
    /// - Parameter isSilent: Whether not to tell.
    final func advance(_ notifications: RealmNotifications, isSilent: Bool) throws(StorageError) {
        if isStopped { return }
        let now = notifications.heldSnapshot()
        let call: (() -> Void)?
        if let base {
            if base.snapshot.version == now.snapshot.version { return }
            call = try update(AffectedObjects(difference: notifications.difference(base, now)))
        } else {
            call = try begin()
        }
        base = now
        if !isSilent, !isStopped { call?() }
    }
}

/// What changed in a collection.
///
/// **Shape.** `deletions` and `modifications` are positions in the collection that was told last,
/// `insertions` and `modificationsInNew` in the present one; ascending. An object that moved is
/// deleted and inserted, and not modified besides.
struct CollectionDifference: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var modificationsInNew: [Int] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// Which changes in a collection's objects count as modifications of its elements.
struct CountingChanges {
    /// The class of the elements; nil for values.
    private let table: BoundTable?
    /// nil for everything up to four links away.
    private let paths: [ObservedPath]?

    /// - Precondition: key paths are given for objects only, and lead somewhere.
    init(_ table: BoundTable?, _ keyPaths: [String]?) {
        self.table = table
        paths = keyPaths.map { names in
            if names.isEmpty { return [] }
            guard let table else {
                fatalError("Key paths can only be observed in collections of objects.")
            }
            return KeyPathFilter.paths(names, from: table)
        }
    }

    func objects(_ affected: AffectedObjects) throws(StorageError) -> Set<ObjectKey> {
        guard let table else { return [] }
        guard let paths else { return try affected.deeplyModified(table) }
        return try affected.objects(along: paths)
    }
}

/// Observes a collection.
final class CollectionNotifier: Notifier {
    private let source: any ObservedSource
    private let counting: CountingChanges
    /// Called with nil at first.
    private let report: (CollectionDifference?) -> Void
    private var known = KnownElements.none

    init(
        _ state: RealmState,
        _ source: any ObservedSource,
        keyPaths: [String]?,
        report: @escaping (CollectionDifference?) -> Void
    ) {
        self.source = source
        self.report = report
        counting = CountingChanges(source.elementTable, keyPaths)
        super.init(state, from: nil)
    }

    override func begin() throws(StorageError) -> () -> Void {
        known = try source.elements()
        return { [report] in report(nil) }
    }

    override func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        let difference = try self.difference(affected)
        if difference.isEmpty { return nil }
        return { [report] in report(difference) }
    }

    private func difference(_ affected: AffectedObjects) throws(StorageError)
        -> CollectionDifference
    {
        let next = try source.elements(after: known, affected)
        let modified = try counting.objects(affected)
        var result = CollectionDifference()
        guard let next else {
            result.modifications = known.positions(of: modified)
            result.modificationsInNew = result.modifications
            return result
        }
        let change = known.difference(to: next, pairsReplacements: source.hasSettableElements)
        result.deletions = change.deletions
        result.insertions = change.insertions
        var pairs = change.replacements
        if !modified.isEmpty {
            let gone = Set(change.deletions).union(change.replacements.map(\.old))
            let old = known.positions(of: modified).filter { !gone.contains($0) }
            if !old.isEmpty {
                let place = PositionMap(change)
                pairs += old.map { ($0, place.newPosition(of: $0)) }
            }
        }
        pairs.sort { $0.old < $1.old }
        result.modifications = pairs.map(\.old)
        result.modificationsInNew = pairs.map(\.new)
        known = next
        return result
    }
}

/// Tells where elements that stayed are now.
struct PositionMap {
    private let deletions: [Int]
    private let insertions: [Int]

    init(deletions: [Int], insertions: [Int]) {
        self.deletions = deletions
        self.insertions = insertions
    }

    init(_ change: SequenceDifference) {
        self.init(deletions: change.deletions, insertions: change.insertions)
    }

    /// The new position of an element that was neither deleted nor moved.
    ///
    /// - Complexity: O(log deletions + log insertions).
    func newPosition(of old: Int) -> Int {
        // Among those that stayed it is the `rank`-th, also in the new collection.
        let rank = old - Self.count(in: deletions, below: old)
        // The least position with that many that stayed before it, itself not inserted.
        var low = 0
        var high = insertions.count
        while low < high {
            let middle = (low + high) >> 1
            if insertions[middle] - middle <= rank { low = middle + 1 } else { high = middle }
        }
        return rank + low
    }

    private static func count(in positions: [Int], below position: Int) -> Int {
        var low = 0
        var high = positions.count
        while low < high {
            let middle = (low + high) >> 1
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Observes a Realm.
final class RealmNotifier: Notifier {
    /// Called with whether it must be refreshed, else it has changed.
    private let report: (Bool) -> Void

    init(_ state: RealmState, from base: HeldSnapshot, report: @escaping (Bool) -> Void) {
        self.report = report
        super.init(state, from: base)
    }

    override func update(_ affected: AffectedObjects) -> (() -> Void)? {
        { [report] in report(false) }
    }

    func refreshIsRequired() {
        if !isStopped { report(true) }
    }
}
