import Dispatch

/// A lock whose waiters get it in the order they asked.
///
/// Not recursive. May be released on another thread than it was taken on.
/// **Threads.** Any.
final class FairLock: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [DispatchSemaphore] = []
    }

    private let state = Lock(State())

    func lock() {
        let turn = state.withLock { state -> DispatchSemaphore? in
            if !state.isTaken {
                state.isTaken = true
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            state.waiters.append(turn)
            return turn
        }
        turn?.wait()
    }

    func unlock() {
        let next = state.withLock { state -> DispatchSemaphore? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.signal()
    }
}
