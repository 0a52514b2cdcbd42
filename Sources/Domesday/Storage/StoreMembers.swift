import CSQLite
import Foundation
import Synchronization

/// The processes that have a store open, as one of them, its member, sees them.
///
/// Each holds a **slot**: the lock of a byte, which the kernel drops when the process dies, and a few
/// numbers in shared memory. A process that is alone keeps no read transaction at its newest version
/// and takes no lock to write. Who joins may read at once; it may not commit until each of the
/// others, woken by the join, has said in its slot that it holds what it reads (`SharedPage.State`).
/// From then on writers take turns, and each takes a read transaction at the version it has made
/// before its turn ends: so each version that any process uses is held by a transaction of its own.
///
/// **Threads.** Any, but for the turn to write, which belongs to the holder of the writer gate.
final class StoreMembers: Sendable {
    let path: String
    let lock: StoreLock
    let page: SharedPage
    /// This process's slot.
    let slot: Int
    private let watch = Lock<MemberWatch?>(nil)
    /// Whether this process has the turn to write.
    let hasTurn = Atomic(false)

    /// Takes a slot. The lock of opening is held until `endOpening`.
    ///
    /// - Throws: `.busy` if another process takes too long to open the store, or all slots are taken;
    ///   `.full` if there is no room for the lock file.
    init(_ lock: StoreLock, _ file: StoreFile, timeout: Duration) throws(StorageError) {
        path = file.givenPath
        self.lock = lock
        guard lock.lock(.opening, until: .now + timeout) else {
            throw StorageError(
                .busy,
                path: path,
                detail: "another process goes on opening the store, or changing its schema"
            )
        }
        do throws(StorageError) {
            page = try SharedPage(lock, file)
            let held = (0..<SharedPage.slotCount).filter { lock.isHeldElsewhere(.slot($0)) }
            if held.isEmpty {
                page.reset()
            } else if !page.isUnderstood {
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "processes that share it otherwise have the store open"
                )
            }
            guard let free = (0..<SharedPage.slotCount).first(where: { lock.lock(.slot($0)) })
            else {
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "\(SharedPage.slotCount) processes have the store open"
                )
            }
            slot = free
        } catch {
            // Nothing is left beside a store that cannot be made.
            if file.identity == nil { unlink(file.lockPath) }
            lock.unlock(.opening)
            throw error
        }
        page.clear(slot)
        page.opener = getpid()
        page.setState(slot, livingOthers().isEmpty ? .unpinned : .pinned)
        page.setRenewed(slot, page.renewal)
        page.setProcess(slot, getpid())
        signal()
    }

    func endOpening() {
        page.opener = 0
        lock.unlock(.opening)
    }

    /// Gives up the slot and all locks. Called once.
    func leave() {
        endWatching()
        // What it has committed unseen is to be looked up.
        if page.state(slot) == .unpinned { page.announced = SharedPage.unknown }
        page.clear(slot)
        signal()
        lock.release()
    }

    // MARK: Others

    var others: some Sequence<Int> {
        (0..<SharedPage.slotCount).lazy.filter { [page, slot] in
            $0 != slot && page.process($0) != 0
        }
    }

    /// Whether there seem to be others; asks nobody.
    var isAccompanied: Bool { others.contains { _ in true } }

    /// The others that live. Cleans the slots of the dead.
    func livingOthers() -> [Int32] {
        others.compactMap { number in
            if lock.isHeldElsewhere(.slot(number)) { return page.process(number) }
            clean(number)
            return nil
        }
    }

    /// Whether somebody may commit without announcing it.
    var hasUnpinnedOther: Bool { others.contains { page.state($0) == .unpinned } }

    /// The others that live and have not said that they hold what they read.
    func unpinnedOthers() -> [Int32] {
        others.compactMap { number in
            guard page.state(number) == .unpinned else { return nil }
            if lock.isHeldElsewhere(.slot(number)) { return page.process(number) }
            clean(number)
            return nil
        }
    }

    /// Frees a slot whose process is dead.
    private func clean(_ number: Int) {
        // Somebody may have taken it meanwhile.
        guard lock.lock(.slot(number)) else { return }
        if page.state(number) == .unpinned { page.announced = SharedPage.unknown }
        page.clear(number)
        lock.unlock(.slot(number))
    }

    /// "process 12 has", "processes 12 and 13 have".
    static func names(_ processes: [Int32]) -> String {
        switch processes.count {
        case 0: "another process has"
        case 1: "process \(processes[0]) has"
        default:
            "processes \(processes.dropLast().map(String.init).joined(separator: ", ")) and "
                + "\(processes[processes.count - 1]) have"
        }
    }

    // MARK: Events

    /// Makes all others look around.
    func signal() {
        for number in others { signal(number) }
    }

    func signal(_ number: Int) {
        domesday_shared_count32(page.eventPlace(number))
        domesday_wake(page.eventPlace(number))
    }

    /// Calls `look` on a thread of its own whenever others have signalled, and once a second, as a tick,
    /// while there are others, who may have died.
    func beginWatching(_ look: @escaping @Sendable (_ isTick: Bool) -> Void) {
        watch.withLock { $0 = MemberWatch(self, look) }
    }

    /// Whether nothing is watched any more.
    var isEnding: Bool { watch.withLock { $0 == nil } }

    private func endWatching() {
        let ended = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        ended?.end(self)
    }

    // MARK: Being alone

    /// Keeps others from opening the store, until `endOpening`.
    ///
    /// - Throws: `.busy` naming those who have it open.
    func keepOthersOut(timeout: Duration) throws(StorageError) {
        guard lock.lock(.opening, until: .now + timeout) else {
            let name = page.opener == 0 ? "another process" : "process \(page.opener)"
            throw StorageError(.busy, path: path, detail: "\(name) is opening the store")
        }
        page.opener = getpid()
        let others = livingOthers()
        if others.isEmpty { return }
        endOpening()
        throw StorageError(
            .busy,
            path: path,
            detail: "\(Self.names(others)) the store open; what its classes are made of can be "
                + "changed only while no other process uses it"
        )
    }
}
