import CRuntime
import Dispatch
import Foundation

/// Where a Realm and everything that came from it may be used.
///
/// **Threads.** `isCurrent` may be asked on any thread.
enum Confinement {
    /// A thread's identity, and its name for messages. A thread that ended and another that began
    /// later may share an identity.
    case thread(UInt, name: String)
    /// A serial queue, and the key that is set on it alone.
    case queue(DispatchQueue, mark: DispatchSpecificKey<Bool>)
    /// An actor; its executor's identity.
    case actor(any Actor, executor: UInt)
    /// No place: a frozen Realm may be used anywhere.
    case anywhere(version: UInt64)

    /// The thread that is running now.
    ///
    /// What runs on the main thread, or on the main actor wherever that is served, is confined to
    /// the main actor: a program whose `main` is asynchronous has no main thread to stay on.
    static var currentThread: Confinement {
        isOnMainActor
            ? .onActor(MainActor.shared)
            : .thread(UInt(domesday_thread_identity()), name: threadName)
    }

    /// Marks the queue, so that running on it, or on a queue that targets it, can be seen.
    static func onQueue(_ queue: DispatchQueue) -> Confinement {
        .queue(queue, mark: mark(of: queue))
    }

    static func onActor(_ actor: any Actor) -> Confinement {
        .actor(actor, executor: executorIdentity(of: actor))
    }

    private static var isOnMainActor: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mainMark) == true
            || UInt(domesday_current_executor()) == mainExecutor
    }

    private static let mainExecutor = executorIdentity(of: MainActor.shared)

    /// The main queue's mark: code on it is recognized on whatever thread it runs.
    private static let mainMark = mark(of: DispatchQueue.main)

    /// Under it each queue keeps its mark.
    private static let markKey = DispatchSpecificKey<DispatchSpecificKey<Bool>>()

    /// A key of the queue's own: under a shared one it would hide the mark of the queue it leads to.
    private static func mark(of queue: DispatchQueue) -> DispatchSpecificKey<Bool> {
        if let mark = queue.getSpecific(key: markKey) { return mark }
        let mark = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: mark, value: true)
        queue.setSpecific(key: markKey, value: mark)
        return mark
    }

    /// Whether the current code runs there.
    var isCurrent: Bool {
        switch self {
        case .thread(let identity, _):
            return identity == UInt(domesday_thread_identity())
        case .queue(_, let mark):
            return DispatchQueue.getSpecific(key: mark) == true
        case .actor(_, let executor):
            if UInt(domesday_current_executor()) == executor { return true }
            return executor == Self.mainExecutor && Self.isOnMainActor
        case .anywhere:
            return true
        }
    }

    /// The thread whose accesses need no question, 0 if there is none: queues and actors move
    /// between threads.
    var owner: UInt {
        switch self {
        case .thread(let identity, _): return identity
        case .actor(_, Self.mainExecutor) where Thread.isMainThread:
            // Nothing but the main actor ever runs there.
            return UInt(domesday_thread_identity())
        case .queue, .actor, .anywhere: return 0
        }
    }

    /// The place as far as it can be recognized at once.
    var home: ConfinedPlace {
        switch self {
        case .thread: .nowhere
        case .queue(let queue, _): ConfinedPlace(queue: queue)
        case .actor(_, let executor): ConfinedPlace(executor: executor)
        // Asked whether it was invalidated at each use.
        case .anywhere: .nowhere
        }
    }

    /// What tells two places apart: names need not be unique.
    var identity: String {
        switch self {
        case .thread(let identity, _): "thread \(identity)"
        case .queue(let queue, _): "queue \(ObjectIdentifier(queue))"
        case .actor(let actor, _): "actor \(ObjectIdentifier(actor))"
        case .anywhere(let version): "version \(version)"
        }
    }

    /// For messages: "thread 'main' (0x7f..)", "queue 'label'", "actor MainActor".
    var description: String {
        switch self {
        case .thread(let identity, let name): "thread '\(name)' (0x\(String(identity, radix: 16)))"
        case .queue(let queue, _): "queue '\(queue.label)'"
        case .actor(let actor, _): "actor \(type(of: actor))"
        case .anywhere(let version): "no thread, frozen at version \(version)"
        }
    }

    private static var threadName: String {
        if Thread.isMainThread { return "main" }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "unnamed" : name
    }

    private static func executorIdentity(of actor: any Actor) -> UInt {
        // SAFETY: an unowned executor is two words, of which the first is the executor's address;
        // it is only compared.
        unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self).0
    }
}

/// A queue or an actor, recognized by what runs now: for accesses by the million.
///
/// It says yes only where `Confinement.isCurrent` does, and is asked anew at each access, so nothing
/// that was seen earlier is relied on:
/// - A queue is recognized when the block that runs is its own: libdispatch notes the queue of each
///   block, also of a nested `sync`, beside the thread, and `getSpecific` begins its search there.
///   The queue has its mark; so that search would end at once. On a queue that leads here the
///   addresses differ, and the marks are asked.
/// - An actor is recognized by the executor that the runtime notes beside the thread while a job of
///   it runs; after a suspension it is noted on the thread where the actor goes on.
/// The `Confinement` retains the queue or the actor, so that no other can have its address.
///
/// **Threads.** A value; asked on any thread.
@usableFromInline
struct ConfinedPlace: Sendable {
    /// Addresses, 0 for none.
    private let queue: UInt
    private let executor: UInt

    static let nowhere = ConfinedPlace(queue: 0, executor: 0)

    init(queue: DispatchQueue) { self.init(queue: Self.address(of: queue), executor: 0) }

    init(executor: UInt) { self.init(queue: 0, executor: executor) }

    private init(queue: UInt, executor: UInt) {
        self.queue = queue
        self.executor = executor
    }

    /// libdispatch's own address of a queue, which Swift's object wraps on Linux; 0 if that has
    /// another form: then marks alone are asked.
    private static func address(of queue: DispatchQueue) -> UInt {
        let wrapped = Mirror(reflecting: queue).children.first { $0.label == "__wrapped" }?.value
        return (wrapped as? OpaquePointer).map { UInt(bitPattern: $0) } ?? 0
    }

    /// Whether the current code surely runs there.
    @inline(__always)
    var isCurrent: Bool {
        if queue != 0 { return queue == UInt(domesday_current_queue()) }
        return executor != 0 && executor == UInt(domesday_current_executor())
    }
}
