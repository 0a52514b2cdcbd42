import CSQLite
import Foundation

/// The page of memory that the processes which have a store open share: the content of its `.lock`
/// file.
///
/// **Shape.** See FORMAT.md. A slot belongs to the process that holds its lock; what is left in one
/// that nobody holds means nothing.
/// **Threads.** Any, of any process: every access is one atomic load or store.
final class SharedPage: @unchecked Sendable {
    // @unchecked: a mapping that stays until the last reference is gone, accessed by atomics only.

    /// What a process says of itself.
    enum State: UInt32 {
        /// No process, or one that does not take part yet.
        case none = 0
        /// Reads its newest version without a read transaction: nobody else may commit.
        case unpinned = 1
        /// Holds a read transaction at each version it reads: others may commit.
        case pinned = 2
    }

    static let byteCount = 4096
    static let slotCount = 64
    private static let magic: UInt64 = 0x7961_6473_656D_6F44  // "Domesday"
    private static let layout: UInt32 = 1
    private static let slotByteCount = 32
    private static let firstSlot = 512

    private let base: UnsafeMutableRawPointer

    /// Maps the file, made long enough; to be called by who holds the lock of opening.
    init(_ lock: StoreLock, _ file: StoreFile) throws(StorageError) {
        // Room on disk now: a page without would be a trap when it is written.
        let refusal = posix_fallocate(lock.descriptor, 0, Self.byteCount)
        if refusal != 0 {
            throw StorageError(
                errno: refusal,
                during: "making the lock file \(file.lockPath)",
                path: file.givenPath
            )
        }
        let mapped = mmap(
            nil,
            Self.byteCount,
            PROT_READ | PROT_WRITE,
            MAP_SHARED,
            lock.descriptor,
            0
        )
        guard let mapped, mapped != MAP_FAILED else {
            throw StorageError(
                errno: errno,
                during: "mapping the lock file \(file.lockPath)",
                path: file.givenPath
            )
        }
        base = mapped
    }

    deinit { munmap(base, Self.byteCount) }

    /// Forgets what processes that are gone have left; to be called while no slot is held.
    func reset() {
        for offset in stride(from: 16, to: Self.byteCount, by: 8) {
            domesday_shared_store64(base + offset, 0)
        }
        domesday_shared_store32(base + 8, Self.layout)
        domesday_shared_store64(base, Self.magic)
    }

    /// Whether this code understands the page.
    var isUnderstood: Bool {
        domesday_shared_load64(base) == Self.magic
            && domesday_shared_load32(base + 8) == Self.layout
    }

    // MARK: What all share

    /// The place of a count that rises whenever a process has ended a write.
    var turnPlace: UnsafeMutableRawPointer { base + 20 }

    /// The process that writes, or writes last; 0 if none does.
    var writer: Int32 {
        get { Int32(bitPattern: domesday_shared_load32(base + 24)) }
        set { domesday_shared_store32(base + 24, UInt32(bitPattern: newValue)) }
    }

    /// The process that joins, or keeps others from joining.
    var opener: Int32 {
        get { Int32(bitPattern: domesday_shared_load32(base + 28)) }
        set { domesday_shared_store32(base + 28, UInt32(bitPattern: newValue)) }
    }

    /// The version that is being committed or was last; ``unknown`` if that must be looked up.
    var announced: UInt64 {
        get { domesday_shared_load64(base + 32) }
        set { domesday_shared_store64(base + 32, newValue) }
    }

    static let unknown = UInt64.max

    /// A count that rises whenever all are asked to renew their read transactions.
    var renewal: UInt64 {
        get { domesday_shared_load64(base + 40) }
        set { domesday_shared_store64(base + 40, newValue) }
    }

    /// Notes what was looked up, unless somebody has announced a version meanwhile.
    func noteFound(_ version: UInt64) {
        domesday_shared_replace64(base + 32, Self.unknown, version)
    }

    // MARK: Slots

    private func slot(_ number: Int) -> UnsafeMutableRawPointer {
        base + Self.firstSlot + number * Self.slotByteCount
    }

    /// 0 for a slot without a process.
    func process(_ number: Int) -> Int32 {
        Int32(bitPattern: domesday_shared_load32(slot(number)))
    }

    func setProcess(_ number: Int, _ process: Int32) {
        domesday_shared_store32(slot(number), UInt32(bitPattern: process))
    }

    func state(_ number: Int) -> State {
        State(rawValue: domesday_shared_load32(slot(number) + 4)) ?? .none
    }

    func setState(_ number: Int, _ state: State) {
        domesday_shared_store32(slot(number) + 4, state.rawValue)
    }

    /// Since when the process waits to write, on the clock that all processes share; 0 if it does not.
    func waiting(_ number: Int) -> UInt64 { domesday_shared_load64(slot(number) + 8) }

    func setWaiting(_ number: Int, _ time: UInt64) {
        domesday_shared_store64(slot(number) + 8, time)
    }

    /// The place of a count that rises whenever the process should look around.
    func eventPlace(_ number: Int) -> UnsafeMutableRawPointer { slot(number) + 16 }

    /// The last renewal that the process has answered.
    func renewed(_ number: Int) -> UInt64 { domesday_shared_load64(slot(number) + 24) }

    func setRenewed(_ number: Int, _ renewal: UInt64) {
        domesday_shared_store64(slot(number) + 24, renewal)
    }

    func clear(_ number: Int) {
        setState(number, .none)
        setWaiting(number, 0)
        setProcess(number, 0)
    }

    /// The processes that hold a slot, by who has not joined.
    static func processes(in lock: StoreLock) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        guard pread(lock.descriptor, &bytes, byteCount, 0) == byteCount else { return [] }
        return (0..<slotCount).compactMap { number in
            let process = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: firstSlot + number * slotByteCount, as: Int32.self)
            }
            return process != 0 && lock.isHeldElsewhere(.slot(number)) ? process : nil
        }
    }
}
