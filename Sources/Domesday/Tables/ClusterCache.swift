import Synchronization

/// Something whose memory can be given up and read again.
protocol Evictable: AnyObject, Sendable {
    /// The place in the cache's list; the cache's alone.
    var cacheSlot: Int { get set }
    /// Set at each use, cleared by the cache's hand.
    var touched: Atomic<Bool> { get }
    /// Drops the memory; false if it is in use this moment.
    func evict() -> Bool
}

/// Bounds the memory of loaded blobs: a clock over everything loaded, second chance for what was
/// touched since the hand last passed.
///
/// Dropping only gives up the cache's reference: who uses a buffer keeps it alive.
///
/// **Threads.** Any.
final class ClusterCache: @unchecked Sendable {
    // @unchecked: all state is inside `state`, whose entries are removed before they die.

    private struct Entry {
        unowned(unsafe) var cell: any Evictable
        var byteCount: Int
    }

    private struct State {
        var entries: [Entry] = []
        var byteCount = 0
        var hand = 0
    }

    private let state = Lock(State())
    /// Bytes of clean blobs kept; the cells of one running operation may exceed it.
    let byteLimit: Int

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// How many cells have left the cache with their memory, which readers may still hold.
    var departureCount: Int { departures.load(ordering: .relaxed) }
    private let departures = Atomic<Int>(0)

    var byteCount: Int { state.withLock { $0.byteCount } }

    func add(_ cell: any Evictable, byteCount: Int) {
        state.withLock { state in
            if cell.cacheSlot >= 0 {
                state.byteCount += byteCount - state.entries[cell.cacheSlot].byteCount
                state.entries[cell.cacheSlot].byteCount = byteCount
            } else {
                cell.cacheSlot = state.entries.count
                state.entries.append(Entry(cell: cell, byteCount: byteCount))
                state.byteCount += byteCount
            }
            shrink(&state)
        }
    }

    func grow(_ cell: any Evictable, by byteCount: Int) {
        state.withLock { state in
            guard cell.cacheSlot >= 0 else { return }
            state.entries[cell.cacheSlot].byteCount += byteCount
            state.byteCount += byteCount
            shrink(&state)
        }
    }

    func remove(_ cell: any Evictable) {
        state.withLock { state in
            guard cell.cacheSlot >= 0 else { return }
            drop(cell.cacheSlot, &state)
        }
    }

    private func drop(_ slot: Int, _ state: inout State) {
        departures.wrappingAdd(1, ordering: .relaxed)
        let entry = state.entries[slot]
        state.byteCount -= entry.byteCount
        entry.cell.cacheSlot = -1
        let last = state.entries.removeLast()
        if slot < state.entries.count {
            state.entries[slot] = last
            last.cell.cacheSlot = slot
        }
    }

    private func shrink(_ state: inout State) {
        guard state.byteCount > byteLimit else { return }
        var steps = state.entries.count * 2
        while state.byteCount > byteLimit, steps > 0, !state.entries.isEmpty {
            steps -= 1
            if state.hand >= state.entries.count { state.hand = 0 }
            let cell = state.entries[state.hand].cell
            if cell.touched.exchange(false, ordering: .relaxed) || !cell.evict() {
                state.hand += 1
            } else {
                drop(state.hand, &state)
            }
        }
    }
}
