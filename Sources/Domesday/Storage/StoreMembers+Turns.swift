import CSQLite
import Foundation
import Synchronization

/// Turns to write, while several processes have the store open.
extension StoreMembers {
    /// How long one that came later leaves the turn to one that came before, which may be stopped.
    private static let patience: UInt64 = 20_000_000
    /// How long a sleep lasts at most: who dies wakes nobody.
    private static let nap: Int64 = 5_000_000

    /// Nanoseconds on a clock that all processes share.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Waits until all others hold what they read and this process has the turn.
    ///
    /// - Throws: `.busy` naming who has not answered or goes on writing.
    func beginTurn(timeout: Duration) throws(StorageError) {
        let deadline = ContinuousClock.now + timeout
        page.setWaiting(slot, Self.now)
        defer { page.setWaiting(slot, 0) }
        while true {
            try waitForPins(until: deadline)
            try takeTurn(until: deadline)
            // One that was alone again may have joined anew, or failed to hold its version.
            if unpinnedOthers().isEmpty { return }
            endTurnIfHeld()
        }
    }

    /// Takes the turn if nobody has it and all others hold what they read.
    func beginTurnIfFree() -> Bool {
        guard lock.lock(.writing) else { return false }
        noteTurn()
        if unpinnedOthers().isEmpty { return true }
        endTurnIfHeld()
        return false
    }

    private func noteTurn() {
        hasTurn.store(true, ordering: .sequentiallyConsistent)
        page.writer = getpid()
    }

    /// Ends the turn, if this process has it.
    func endTurnIfHeld() {
        guard hasTurn.exchange(false, ordering: .sequentiallyConsistent) else { return }
        page.writer = 0
        lock.unlock(.writing)
        domesday_shared_count32(page.turnPlace)
        if isAnyWaiting { domesday_wake(page.turnPlace) }
    }

    /// Asks all others to renew their read transactions, and waits for them.
    ///
    /// - Returns: Whether all have in time.
    func renewOthers(timeout: Duration) -> Bool {
        let renewal = page.renewal + 1
        page.renewal = renewal
        signal()
        let deadline = ContinuousClock.now + timeout
        while true {
            let count = domesday_shared_load32(page.eventPlace(slot))
            if others.allSatisfy({ page.renewed($0) == renewal }) { return true }
            if ContinuousClock.now >= deadline { return livingOthers().isEmpty }
            domesday_sleep_while(page.eventPlace(slot), count, Self.nap)
        }
    }

    private func waitForPins(until deadline: ContinuousClock.Instant) throws(StorageError) {
        while true {
            let count = domesday_shared_load32(page.eventPlace(slot))
            let missing = unpinnedOthers()
            if missing.isEmpty { return }
            if ContinuousClock.now >= deadline {
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "\(Self.names(missing)) the store open and did not answer in time: "
                        + "stopped, or in a write that was begun alone"
                )
            }
            domesday_sleep_while(page.eventPlace(slot), count, Self.nap)
        }
    }

    private func takeTurn(until deadline: ContinuousClock.Instant) throws(StorageError) {
        var lastCount = domesday_shared_load32(page.turnPlace)
        var since = Self.now
        while true {
            let count = domesday_shared_load32(page.turnPlace)
            if count != lastCount {
                lastCount = count
                since = Self.now
            }
            if !isPreceded || Self.now - since > Self.patience, lock.lock(.writing) {
                noteTurn()
                return
            }
            if ContinuousClock.now >= deadline {
                let name = page.writer == 0 ? "another process" : "process \(page.writer)"
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "\(name) writes, and did not end in time"
                )
            }
            domesday_sleep_while(page.turnPlace, count, Self.nap)
        }
    }

    /// Whether another process has waited longer.
    private var isPreceded: Bool {
        let mine = page.waiting(slot)
        return (0..<SharedPage.slotCount).contains { number in
            let time = page.waiting(number)
            return number != slot && time != 0 && time < mine
        }
    }

    private var isAnyWaiting: Bool {
        (0..<SharedPage.slotCount).contains { page.waiting($0) != 0 }
    }
}
