import Dispatch

/// A lock whose waiters get it in the order they asked.
///
/// Who must not block waits by a `Request`: the lock is offered to it, and is held once `take` says so.
/// A lock that is offered is nobody's yet. If a thread has waited longer than `patience` behind an
/// offer, it takes it, since what would answer may need the very thread that waits: tasks, for
/// instance, run on a pool of about as many threads as there are processors. If another request has
/// waited longer than `requestPatience`, the offer is made to that one.
///
/// Not recursive. May be released on another thread than it was taken on.
/// **Threads.** Any.
final class FairLock: Sendable {
    /// A place among the waiters that blocks no thread.
    final class Request: Sendable {
        /// Called where the lock is asked for or released, and must not wait for anything.
        fileprivate let offered: @Sendable (Request) -> Void

        fileprivate init(_ offered: @escaping @Sendable (Request) -> Void) {
            self.offered = offered
        }
    }

    private enum Waiter {
        case thread(DispatchSemaphore)
        case request(Request)

        func `is`(_ other: AnyObject) -> Bool {
            switch self {
            case .thread(let turn): turn === other
            case .request(let request): request === other
            }
        }
    }

    private enum Holder {
        case nobody
        case somebody
        case offered(Request)
    }

    private struct State {
        var holder = Holder.nobody
        var waiters: [Waiter] = []

        func isOffered(to request: Request) -> Bool {
            if case .offered(let other) = holder { other === request } else { false }
        }
    }

    /// How long an offer stands while threads wait.
    static let patience = DispatchTimeInterval.milliseconds(50)
    /// How long an offer stands while only requests wait. Longer, since who was slow asks anew, behind
    /// all others.
    static let requestPatience = DispatchTimeInterval.milliseconds(500)
    private static let clock = DispatchQueue(label: "domesday.lock")

    private let state = Lock(State())

    /// Waits for the lock.
    func lock() {
        let turn = state.withLock { state -> DispatchSemaphore? in
            if case .nobody = state.holder {
                state.holder = .somebody
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            state.waiters.append(.thread(turn))
            return turn
        }
        guard let turn else { return }
        while turn.wait(timeout: .now() + Self.patience) == .timedOut {
            let isTaken = state.withLock { state in
                guard case .offered = state.holder,
                    let index = state.waiters.firstIndex(where: { $0.is(turn) })
                else { return false }
                state.waiters.remove(at: index)
                state.holder = .somebody
                return true
            }
            if isTaken { return }
        }
    }

    /// Asks for the lock without waiting.
    ///
    /// - Parameter offered: Called at most once, maybe at once, and soon answered by `take` or
    ///   `withdraw`; on any thread.
    func request(_ offered: @escaping @Sendable (Request) -> Void) -> Request {
        let request = Request(offered)
        let current = state.withLock { state -> Request? in
            switch state.holder {
            case .nobody:
                state.holder = .offered(request)
                return request
            case .somebody, .offered:
                state.waiters.append(.request(request))
                guard case .offered(let other) = state.holder else { return nil }
                return other
            }
        }
        if current === request { offered(request) } else if let current { watch(current) }
        return request
    }

    /// Passes an offer on if nobody answers it.
    private func watch(_ request: Request) {
        Self.clock.asyncAfter(deadline: .now() + Self.requestPatience) { [weak self] in
            guard let self else { return }
            let isAwaited = state.withLock { $0.isOffered(to: request) && !$0.waiters.isEmpty }
            if isAwaited { pass(on: request) }
        }
    }

    /// Takes what was offered.
    ///
    /// - Returns: Whether the caller holds the lock now; if not, the request waits as before, or its
    ///   offer is over and it must be made again.
    func take(_ request: Request) -> Bool {
        state.withLock { state in
            guard state.isOffered(to: request) else { return false }
            state.holder = .somebody
            return true
        }
    }

    /// Ends a request: it is not offered anything any more, and what it was offered goes to the next.
    func withdraw(_ request: Request) {
        let isOffered = state.withLock { state in
            if let index = state.waiters.firstIndex(where: { $0.is(request) }) {
                state.waiters.remove(at: index)
            }
            return state.isOffered(to: request)
        }
        if isOffered { pass(on: request) }
    }

    func unlock() { pass(on: nil) }

    /// Gives the lock to who has waited longest.
    ///
    /// - Parameter request: Whose offer ends; nil if the lock is held. An offer that a thread took
    ///   meanwhile is not passed on.
    private func pass(on request: Request?) {
        var isAwaited = false
        let next = state.withLock { state -> Waiter? in
            if let request, !state.isOffered(to: request) { return nil }
            guard !state.waiters.isEmpty else {
                state.holder = .nobody
                return nil
            }
            let next = state.waiters.removeFirst()
            isAwaited = !state.waiters.isEmpty
            state.holder =
                switch next {
                case .thread: .somebody
                case .request(let request): .offered(request)
                }
            return next
        }
        switch next {
        case .thread(let turn): turn.signal()
        case .request(let request):
            request.offered(request)
            if isAwaited { watch(request) }
        case nil: break
        }
    }
}
