import CSQLite

/// Copies the WAL back into the main file as it grows.
///
/// SQLite's own automatic checkpoint tries again at every commit while somebody reads an old
/// version, because the WAL then stays long, and each try costs a sync. This one tries once for so
/// many new frames.
///
/// Small commits it keeps within a short WAL, which begins anew after each checkpoint: a sync of a
/// file that grows writes its metadata as well, and takes several times as long as one of a file
/// that is overwritten.
///
/// **Threads.** Its connection's.
final class WALCheckpoints {
    /// Pages of 4 kB.
    private static let interval: Int32 = 1000
    /// The same after so many commits, so that a try adds little to what they cost.
    private static let small = (interval: Int32(256), commitCount: 64)
    /// The length of the WAL at the last try.
    private var lastFrameCount: Int32 = 0
    private var commitCount = 0
    /// The length of the WAL after the last commit.
    private(set) var frameCount: Int32 = 0

    /// The connection must be closed before this object goes.
    func install(on handle: OpaquePointer) {
        // SAFETY: not retained; the connection owns this object and closes the handle first.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, handle, _, frameCount in
                guard let context, let handle else { return SQLITE_OK }
                // SAFETY: as above.
                let checkpoints = Unmanaged<WALCheckpoints>.fromOpaque(context)
                    .takeUnretainedValue()
                checkpoints.didCommit(frameCount, handle)
                return SQLITE_OK
            },
            context
        )
    }

    private func didCommit(_ frameCount: Int32, _ handle: OpaquePointer) {
        self.frameCount = frameCount
        // The WAL began anew.
        if frameCount < lastFrameCount { lastFrameCount = 0 }
        commitCount += 1
        let interval =
            commitCount >= Self.small.commitCount ? Self.small.interval : Self.interval
        guard frameCount - lastFrameCount >= interval else { return }
        lastFrameCount = frameCount
        commitCount = 0
        // What cannot be copied now, because it is read or the disk is full, is copied later: the
        // commit itself is durable.
        _ = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}

extension SQLiteConnection {
    /// Copies the WAL into the main file as far as nobody reads older pages there.
    ///
    /// - Returns: Whether that was all of it.
    func copyWAL() -> Bool {
        var frameCount: Int32 = 0
        var copiedCount: Int32 = 0
        let result = sqlite3_wal_checkpoint_v2(
            handle,
            "main",
            SQLITE_CHECKPOINT_PASSIVE,
            &frameCount,
            &copiedCount
        )
        return result == SQLITE_OK && frameCount == copiedCount
    }
}
