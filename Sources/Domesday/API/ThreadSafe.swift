/// A variable that holds something managed and may be read on any thread.
///
/// ```swift
/// @ThreadSafe var person: Person? = ann
/// Task.detached { try person?.realm?.write { person?.age += 1 } }
/// ```
///
/// Each read gives the object as the Realm of the current thread, queue or actor has it, which is
/// opened if need be.
///
/// **Threads.** Any, at once.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private struct Kept {
        let value: any Relocatable
        let state: RealmState
    }

    /// A frozen twin.
    private let kept: Lock<Kept?>

    /// - Precondition: as setting it.
    public init(wrappedValue: T?) { kept = Lock(wrappedValue.map { Self.keep($0) }) }

    /// What it holds, as it is here; nil if that was deleted.
    ///
    /// - Precondition: a managed value to set: "Only managed objects may be wrapped as thread safe."
    public var wrappedValue: T? {
        get {
            guard let kept = kept.withLock({ $0 }) else { return nil }
            let value = Freezing.relocated(kept.value, to: Freezing.live(of: kept.state)) as? T
            guard let value else { return nil }
            // The version it was set at need not be kept any longer.
            if let next = Self.keepIfStored(value), next.state !== kept.state {
                self.kept.withLock { if $0?.state === kept.state { $0 = next } }
            }
            return value
        }
        set {
            let next = newValue.map { Self.keep($0) }
            kept.withLock { $0 = next }
        }
    }

    private static func keep(_ value: T) -> Kept {
        guard value is any Relocatable, (value as? any Relocatable)?.managingState != nil else {
            fatalError("Only managed objects may be wrapped as thread safe. \(T.self).")
        }
        Freezing.checkValid(value)
        guard let kept = keepIfStored(value) else {
            fatalError(
                "Cannot wrap an object as thread safe in the same write transaction as it was created "
                    + "in. \(T.self)."
            )
        }
        return kept
    }

    private static func keepIfStored(_ value: T) -> Kept? {
        guard let managed = value as? any Relocatable, let state = managed.managingState else {
            return nil
        }
        let frozen = OpenRealms.frozen(state)
        return Freezing.relocated(managed, to: frozen).map { Kept(value: $0, state: frozen) }
    }
}
