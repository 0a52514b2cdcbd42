/// Observes one object along named ways: what a projection shows of it.
///
/// **Threads.** Its Realm's.
final class PathsNotifier: Notifier {
    private let table: BoundTable
    private let key: ObjectKey
    private let paths: [(name: String, paths: [ObservedPath])]
    /// Called with the names of the ways on which something changed, in order and each once, and the
    /// version that was told last; with nil once the object is gone, and never after that.
    private let report: ((names: [String], old: HeldSnapshot)?) -> Void

    init(
        _ state: RealmState,
        _ table: BoundTable,
        _ key: ObjectKey,
        paths: [(name: String, paths: [ObservedPath])],
        from base: HeldSnapshot,
        report: @escaping ((names: [String], old: HeldSnapshot)?) -> Void
    ) {
        self.table = table
        self.key = key
        self.paths = paths
        self.report = report
        super.init(state, from: base)
    }

    override func update(_ affected: AffectedObjects) throws(StorageError) -> (() -> Void)? {
        let difference = affected.difference
        if try difference.table(table.id).deleted.position(of: key) != nil {
            return { [self] in
                // Before the call, which may let go of everything.
                stop()
                report(nil)
            }
        }
        var names: [String] = []
        for (name, paths) in paths where !names.contains(name) {
            if try affected.objects(along: paths).contains(key) { names.append(name) }
        }
        if names.isEmpty { return nil }
        return { [report, names] in report((names, difference.old)) }
    }
}
