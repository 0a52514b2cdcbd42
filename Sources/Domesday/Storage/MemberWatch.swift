import CSQLite
import Foundation
import Synchronization

/// A thread that sleeps until another process signals.
///
/// **Threads.** Any.
final class MemberWatch: Sendable {
    /// How often it looks whether the others still live, in nanoseconds.
    private static let interval: Int64 = 1_000_000_000

    private let isEnded = Atomic(false)
    private let thread = Lock<pthread_t?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ members: StoreMembers, _ look: @escaping @Sendable (_ isTick: Bool) -> Void) {
        let page = members.page
        let slot = members.slot
        let thread = Thread { [self] in
            self.thread.withLock { $0 = pthread_self() }
            let place = page.eventPlace(slot)
            var lastCount: UInt32?
            while true {
                // Before all else: what is signalled from now on ends the sleep.
                let count = domesday_shared_load32(place)
                if isEnded.load(ordering: .sequentiallyConsistent) { break }
                let isAccompanied = (0..<SharedPage.slotCount).contains {
                    $0 != slot && page.process($0) != 0
                }
                // Who is alone is left alone: looking keeps the store open for a moment.
                if isAccompanied || page.state(slot) == .pinned { look(count == lastCount) }
                lastCount = count
                domesday_sleep_while(place, count, isAccompanied ? Self.interval : -1)
            }
            hasEnded.signal()
        }
        thread.name = "domesday.members"
        thread.stackSize = 512 << 10
        thread.start()
    }

    /// Ends the thread, and waits for it unless this is it.
    func end(_ members: StoreMembers) {
        isEnded.store(true, ordering: .sequentiallyConsistent)
        members.signal(members.slot)
        let isThis = thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        if !isThis { hasEnded.wait() }
    }
}
