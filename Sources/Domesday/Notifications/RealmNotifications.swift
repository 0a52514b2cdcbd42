/// The observers of one Realm, and the delivery to them.
///
/// A delivery goes through the observers in the order they came. What each is told is worked out right
/// before it is told: a callback may write, and the next one still gets what fits what it sees.
///
/// **Threads.** The Realm's; `remove` from any.
final class RealmNotifications: RealmObserver {
    // SAFETY: the Realm owns this; it is used only from the Realm's members, or by notifiers that keep
    // the Realm open.
    unowned(unsafe) private let state: RealmState
    private let notifiers = Lock<[Notifier]>([])
    private var isDelivering = false
    private var held: HeldSnapshot?
    /// By the older version, while the Realm stays at one version.
    private var differences: [UInt64: VersionDifference] = [:]
    /// The difference that was asked for last, as it is for most observers.
    private var latest: VersionDifference?
    /// The version that all observers were told of, if nobody has come since.
    private var toldVersion: UInt64?

    /// The Realm's, made at first use.
    static func of(_ state: RealmState) -> RealmNotifications {
        if let existing = state.observer as? RealmNotifications { return existing }
        let made = RealmNotifications(state)
        state.observer = made
        return made
    }

    private init(_ state: RealmState) { self.state = state }

    var isObserved: Bool { notifiers.withLock { !$0.isEmpty } }

    func add(_ notifier: Notifier) {
        toldVersion = nil
        notifiers.withLock { $0.append(notifier) }
        state.isObservedFlag.isSet = true
        if notifier.base == nil { state.scheduleTurn() }
    }

    /// Nothing is delivered to it any more.
    func remove(_ notifier: Notifier) {
        notifier.stop()
        // Released after the lock: its closures may hold anything.
        let removed = notifiers.withLock { notifiers in
            notifiers.firstIndex { $0 === notifier }.map { notifiers.remove(at: $0) }
        }
        _ = removed
    }

    /// The Realm's version, kept for those who were told of it.
    func heldSnapshot() -> HeldSnapshot {
        let snapshot = state.reader.snapshot
        if let held, held.snapshot === snapshot { return held }
        let fresh = HeldSnapshot(snapshot)
        held = fresh
        return fresh
    }

    func difference(_ old: HeldSnapshot, _ new: HeldSnapshot) -> VersionDifference {
        if let latest, latest.old === old, latest.new === new { return latest }
        let version = old.snapshot.version
        let known = differences[version].flatMap { $0.new === new ? $0 : nil }
        let found = known ?? VersionDifference(from: old, to: new)
        differences[version] = found
        latest = found
        return found
    }

    private func forget() {
        held = nil
        differences = [:]
        latest = nil
        if !isObserved { state.isObservedFlag.isSet = false }
    }

    func deliver() {
        // A callback that refreshes or writes is called by a delivery already.
        if isDelivering || state.reader.isWriting { return }
        let version = state.reader.snapshot.version
        if toldVersion == version { return }
        isDelivering = true
        defer {
            isDelivering = false
            forget()
        }
        let all = notifiers.withLock { $0 }
        // Whoever comes meanwhile takes it back.
        toldVersion = version
        for notifier in all {
            // A callback left a write open: the rest is told when it is over.
            if state.reader.isWriting {
                toldVersion = nil
                break
            }
            advance(notifier, isSilent: false)
            if notifier.isStopped { remove(notifier) }
        }
        if state.reader.snapshot.version != version { state.scheduleTurn() }
    }

    func didCommit(skipping skipped: [AnyObject]) {
        for notifier in notifiers.withLock({ $0 }) {
            let isSkipped = skipped.contains { $0 === notifier }
            // Realm's own observers are told at once, as RealmSwift does.
            if isSkipped || notifier is RealmNotifier, !state.reader.isWriting {
                advance(notifier, isSilent: isSkipped)
            }
        }
        if !isDelivering { forget() }
        state.scheduleTurn()
    }

    func refreshIsRequired() {
        for notifier in notifiers.withLock({ $0 }) {
            (notifier as? RealmNotifier)?.refreshIsRequired()
        }
    }

    private func advance(_ notifier: Notifier, isSilent: Bool) {
        do throws(StorageError) { try notifier.advance(self, isSilent: isSilent) } catch {
            ObjectTrap.storage(error, "What is observed")
        }
    }
}
