public import Dispatch

extension Realm {
    /// Opens a Realm for the actor that calls, or gives the one that is open there already.
    ///
    /// ```swift
    /// let realm = try await Realm.open()
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The store and its classes.
    ///   - _isolation: The actor; the caller's unless given.
    ///   - downloadBeforeOpen: Without effect.
    /// - Throws: As `init(configuration:queue:)`.
    /// - Precondition: called on an actor.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation: isolated any Actor = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        Realm(state: try opened(configuration, .onActor(_isolation), "Realm.open()"))
    }

    /// Opens a Realm in the background, and gives it on a queue.
    ///
    /// What takes long when a store is opened is done before `callback` is called.
    ///
    /// - Parameters:
    ///   - configuration: The store and its classes.
    ///   - callbackQueue: A serial queue, to which the Realm is confined; the main one's Realm belongs to
    ///     the main actor.
    ///   - callback: Is given the Realm, or why it cannot be opened.
    /// - Returns: A task that can be cancelled before `callback` is called.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        // A thread of its own: opening may take long, and tasks share the few of the global queue.
        DispatchQueue(label: "domesday.open").async {
            // Kept until the queue's own is open.
            let opened = Result { try Realm(configuration: configuration) }
            let kept = Observation.Handed(opened)
            callbackQueue.async {
                guard !task.isCancelled else { return }
                switch kept.value {
                case .failure(let error): callback(.failure(error))
                case .success:
                    let isMain = callbackQueue === DispatchQueue.main
                    callback(
                        Result {
                            try Realm(
                                configuration: configuration,
                                queue: isMain ? nil : callbackQueue
                            )
                        }
                    )
                }
            }
        }
        return task
    }

    /// The opening of a Realm in the background.
    ///
    /// **Threads.** Any.
    public final class AsyncOpenTask: Sendable {
        private let state = Lock(false)

        init() {}

        /// Lets the callback not be called, unless it was.
        public func cancel() { state.withLock { $0 = true } }

        var isCancelled: Bool { state.withLock { $0 } }
    }
}
