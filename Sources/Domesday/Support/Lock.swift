import Glibc

/// A value behind a lock of the system's.
///
/// pthread's and not `Synchronization.Mutex`, because Thread Sanitizer knows it: a suite that runs
/// clean under it says something.
///
/// **Threads.** Any. Not recursive.
final class Lock<Value>: @unchecked Sendable {
    // @unchecked: `value` is touched only between lock and unlock.

    private let handle: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) private var value: Value

    init(_ value: Value) {
        self.value = value
        // SAFETY: a mutex of its own allocation never moves; freed in deinit.
        handle = .allocate(capacity: 1)
        handle.initialize(to: pthread_mutex_t())
        pthread_mutex_init(handle, nil)
    }

    deinit {
        pthread_mutex_destroy(handle)
        handle.deallocate()
    }

    /// Runs `body` with the value, alone.
    @inline(__always)
    func withLock<R: ~Copyable, E>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(handle)
        defer { pthread_mutex_unlock(handle) }
        return try body(&value)
    }

    /// As `withLock` if nobody holds it this moment, else nil.
    func withLockIfAvailable<R, E>(_ body: (inout Value) throws(E) -> R) throws(E) -> R? {
        guard pthread_mutex_trylock(handle) == 0 else { return nil }
        defer { pthread_mutex_unlock(handle) }
        return try body(&value)
    }
}
