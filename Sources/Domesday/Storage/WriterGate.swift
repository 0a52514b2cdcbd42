import Dispatch

/// Admits one writer at a time to a page store, in about the order they came.
///
/// **Threads.** Any; `leave` may be called on another thread than `enter`.
final class WriterGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    /// Waits at most `timeout`.
    ///
    /// - Returns: Whether the caller is in, and owes one `leave`.
    func enter(timeout: Duration) -> Bool {
        let parts = timeout.components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        return semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }

    func leave() { semaphore.signal() }
}
