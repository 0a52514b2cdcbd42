import CRuntime
import Dispatch
import Foundation
import Synchronization

/// Where a Realm's turns are run: what brings it to newer versions and calls observers.
///
/// **Threads.** `enqueue` from any.
enum DeliveryPlace: Sendable {
    case main
    case queue(DispatchQueue)
    case actor(ActorInbox)
    case runLoop(RunLoopInbox)

    /// nil for a thread that runs no run loop now, for a task, and for a frozen Realm.
    init?(_ confinement: Confinement) {
        switch confinement {
        case .queue(let queue, _): self = .queue(queue)
        case .actor(let actor, _): self = actor is MainActor ? .main : .actor(ActorInbox(actor))
        case .thread:
            guard RunLoop.current.currentMode != nil else { return nil }
            self = .runLoop(RunLoopInbox())
        case .task, .anywhere: return nil
        }
    }

    /// Runs `work` there, later.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .main: DispatchQueue.main.async(execute: work)
        case .queue(let queue): queue.async(execute: work)
        case .actor(let inbox): inbox.append(work)
        case .runLoop(let inbox): inbox.append(work)
        }
    }
}

/// Work for an actor, done in order; tasks of their own may overtake each other.
///
/// **Threads.** Any.
final class ActorInbox: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        /// Whether a task was begun that will do it.
        var isTaken = false
    }

    private let actor: any Actor
    private let state = Lock(State())

    init(_ actor: any Actor) { self.actor = actor }

    func append(_ item: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.work.append(item)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isFirst { begin() }
    }

    private func begin() { Task { [self] in await run(on: actor) } }

    private func run(on actor: isolated any Actor) {
        let work = state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
        for item in work { item() }
        let hasMore = state.withLock { state in
            state.isTaken = !state.work.isEmpty
            return state.isTaken
        }
        if hasMore { begin() }
    }
}

/// Work for a thread that runs a run loop.
///
/// Foundation on Linux has no public way to wake another thread's run loop, so a timer of that loop
/// looks into the inbox.
///
/// **Threads.** Made on the thread; `append` from any.
final class RunLoopInbox: Sendable {
    static let interval = 0.01

    private let work = Lock<[@Sendable () -> Void]>([])

    init() {
        let timer = Timer(timeInterval: Self.interval, repeats: true) { [weak self] timer in
            guard let self else { return timer.invalidate() }
            let work = self.work.withLock { work in
                defer { work = [] }
                return work
            }
            for item in work { item() }
        }
        RunLoop.current.add(timer, forMode: .common)
    }

    func append(_ item: @escaping @Sendable () -> Void) { work.withLock { $0.append(item) } }
}

/// Whether a Realm is observed.
///
/// **Threads.** Any.
final class ObservedFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool {
        get { flag.load(ordering: .relaxed) }
        set { flag.store(newValue, ordering: .relaxed) }
    }
}

/// Asks for turns of one Realm; several requests before a turn are one.
///
/// **Threads.** Any.
final class TurnScheduler: Sendable {
    private let place: DeliveryPlace
    private let path: String
    /// Gives the Realm as long as it is open.
    private let realm: @Sendable () -> RealmState?
    private let isPending = Atomic(false)
    private let isWatched = Atomic(false)
    private let turnCount = Atomic(0)

    init(_ place: DeliveryPlace, path: String, realm: @escaping @Sendable () -> RealmState?) {
        self.place = place
        self.path = path
        self.realm = realm
    }

    /// - Parameter isObserved: Whether somebody waits for it.
    func schedule(isObserved: Bool) {
        if isObserved, case .main = place { watch() }
        if isPending.exchange(true, ordering: .acquiringAndReleasing) { return }
        place.enqueue { [self] in
            isPending.store(false, ordering: .releasing)
            turnCount.wrappingAdd(1, ordering: .relaxed)
            realm()?.turn()
        }
    }

    /// Runs `body` in a turn of its own, if the Realm is still open then.
    func enqueue(_ body: @escaping @Sendable (RealmState) -> Void) {
        place.enqueue { [realm] in
            if let state = realm() { body(state) }
        }
    }

    /// Seconds after which a main thread that takes no turn is reported.
    static let patience = 5.0

    /// Tells a program whose main thread waits for something else, once, that nothing will come.
    private func watch() {
        if isWatched.exchange(true, ordering: .relaxed) { return }
        let count = turnCount.load(ordering: .relaxed)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self else { return }
            if turnCount.load(ordering: .relaxed) != count {
                isWatched.store(false, ordering: .relaxed)
                return
            }
            FileHandle.standardError.write(
                Data(
                    """
                    Domesday: what is observed in the Realm at path '\(path)' has waited for the \
                    main thread for \(Int(Self.patience)) s. Notifications are delivered there only \
                    while it runs a run loop (RunLoop.main.run()), dispatchMain(), or an \
                    asynchronous main; or observe(on:) a queue or an actor.\n
                    """.utf8
                )
            )
        }
    }
}

/// What `RealmState` tells of its life to those who observe it.
///
/// **Threads.** The Realm's.
protocol RealmObserver: AnyObject {
    /// Whether anybody observes.
    var isObserved: Bool { get }
    /// Delivers what has changed since the last delivery. Called outside writes.
    func deliver()
    /// A write of this Realm was committed; `skipped` are not to be told of it.
    func didCommit(skipping skipped: [AnyObject])
    /// There is a newer version, and the Realm does not move by itself.
    func refreshIsRequired()
}
