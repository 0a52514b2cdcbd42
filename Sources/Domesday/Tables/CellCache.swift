/// Keeps the blobs in memory below a limit: counts their bytes and empties cells not used of late.
///
/// Recency is one bit per cell and a clock hand that passes over them; a read never touches the
/// cache. Pinned cells are counted and never emptied, so the sum may exceed the limit.
///
/// **Threads.** Any thread. Order of locks: the cache's, then a cell's. The cache's is held for no
/// load.
final class CellCache: Sendable {
    private struct State {
        var limit: Int
        var byteCount = 0
        /// The cells that may be emptied, in no order. A cell leaves in its deinit at the latest.
        var ring: [Unmanaged<Cell>] = []
        var hand = 0
    }

    private let state: Lock<State>

    /// - Parameter maximumByteCount: Of stored bytes: headers, payloads and padding.
    init(maximumByteCount: Int) {
        state = Lock(State(limit: maximumByteCount))
    }

    /// Bytes of all buffers that cells hold. Buffers kept by readers alone are not counted.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Changes the limit and drops what exceeds it at once.
    var maximumByteCount: Int {
        get { state.withLock { $0.limit } }
        set {
            // Buffers are released when `dropped` goes, after the lock.
            let dropped = state.withLock { state in
                state.limit = newValue
                return Self.sweep(&state)
            }
            _ = dropped
        }
    }

    /// Counts a buffer that a cell has just got, and drops others if the sum exceeds the limit.
    func count(_ cell: Cell, byteCount: Int, isEvictable: Bool) {
        let dropped = state.withLock { state in
            state.byteCount += byteCount
            cell.countedBytes = byteCount
            if isEvictable { Self.enter(cell, &state) }
            return Self.sweep(&state)
        }
        _ = dropped
    }

    /// Lets a counted cell be emptied from now on.
    func makeEvictable(_ cell: Cell) {
        let dropped = state.withLock { state in
            if cell.countedBytes > 0, cell.ringIndex < 0 { Self.enter(cell, &state) }
            return Self.sweep(&state)
        }
        _ = dropped
    }

    /// Removes a dying cell. Called by its deinit, which waits here while the hand stands on it.
    func forget(_ cell: Cell) {
        state.withLock { state in
            if cell.ringIndex >= 0 { Self.leave(cell, &state) }
            state.byteCount -= cell.countedBytes
            cell.countedBytes = 0
        }
    }

    private static func enter(_ cell: Cell, _ state: inout State) {
        cell.ringIndex = state.ring.count
        state.ring.append(.passUnretained(cell))
    }

    private static func leave(_ cell: Cell, _ state: inout State) {
        let last = state.ring.removeLast()
        if cell.ringIndex < state.ring.count {
            state.ring[cell.ringIndex] = last
            // SAFETY: cells in the ring are alive, see `sweep`.
            last._withUnsafeGuaranteedRef { $0.ringIndex = cell.ringIndex }
        }
        cell.ringIndex = -1
    }

    /// Moves the hand until the sum is within the limit or no cell is left.
    ///
    /// - Complexity: Each step empties a cell or clears a bit that a read has set; at most two
    ///   rounds, so that readers which keep touching cells cannot hold the lock's owner forever.
    private static func sweep(_ state: inout State) -> [BlobBuffer] {
        var dropped: [BlobBuffer] = []
        var stepsLeft = 2 * state.ring.count
        while state.byteCount > state.limit, !state.ring.isEmpty, stepsLeft > 0 {
            stepsLeft -= 1
            if state.hand >= state.ring.count { state.hand = 0 }
            // SAFETY: an entry's cell is alive or waits in its deinit for the lock held here.
            state.ring[state.hand]._withUnsafeGuaranteedRef { cell in
                guard let buffer = cell.dropUnlessTouched() else {
                    state.hand += 1
                    return
                }
                dropped.append(buffer)
                state.byteCount -= cell.countedBytes
                cell.countedBytes = 0
                leave(cell, &state)
            }
        }
        return dropped
    }
}
