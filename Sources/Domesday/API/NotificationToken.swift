/// Keeps an observer going: hold it as long as you want to be told.
///
/// **Threads.** Any.
public final class NotificationToken: Sendable {
    private struct State {
        var notifier: Notifier?
        var notifications: RealmNotifications?
        var isInvalidated = false
    }

    private let state = Lock(State())

    init() {}

    deinit { invalidate() }

    /// Ends the observation; the end of the token does it too.
    ///
    /// Nothing is delivered once it returns, but for a call that is under way on another thread.
    public func invalidate() {
        // Released after the lock: the callback may hold anything.
        let old = state.withLock { state in
            defer { state = State(isInvalidated: true) }
            return state
        }
        if let notifier = old.notifier { old.notifications?.remove(notifier) }
    }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// Registers an observer that ends with this token, unless it has ended.
    func begin(_ notifier: Notifier) {
        let notifications = RealmNotifications.of(notifier.state)
        let isOver = state.withLock { state in
            if state.isInvalidated { return true }
            state.notifier = notifier
            state.notifications = notifications
            return false
        }
        if !isOver { notifications.add(notifier) }
    }

    /// The observer, to be skipped in a commit of its Realm; traps for another Realm's.
    func notifier(in realm: RealmState) -> Notifier? {
        guard let notifier = state.withLock({ $0.notifier }) else { return nil }
        if notifier.state === realm { return notifier }
        fatalError(
            "Incorrect Realm: only notifications for the Realm being modified can be skipped. Realm at "
                + "path '\(realm.path)'; the token's belongs to "
                + "\(notifier.state.confinement.description)."
        )
    }
}
