import Synchronization

@testable import Domesday

/// One thing that goes wrong in a `FaultyPageStore`.
struct Fault: Sendable {
    enum Operation: Hashable, Sendable { case read, write, delete, begin, commit, pin }

    enum Effect: Sendable {
        /// Throws, and the operation does not happen.
        case failBefore(StorageError.Code)
        /// Throws although the operation has happened; a commit whose outcome is unknown.
        case failAfter(StorageError.Code)
        /// A bit of the stored bytes is wrong below the checksum, which notices.
        case flipBit(Int)
        /// A bit of the payload is wrong and the checksum right: what the layers above must bear.
        case flipUnnoticed(Int)
    }

    let operation: Operation
    /// Counted from 1, over all transactions and pins of the store.
    let number: Int
    let effect: Effect
}

/// Passes everything on to another store and lets chosen operations go wrong.
///
/// **Threads.** As the store it wraps.
final class FaultyPageStore: PageStore {
    private struct Plan {
        var faults: [Fault]
        var counts: [Fault.Operation: Int] = [:]
    }

    let inner: any PageStore
    private let plan: Mutex<Plan>
    private let room = Mutex(true)
    private let roomQuestions = Mutex(0)

    init(_ inner: any PageStore, faults: [Fault] = []) {
        self.inner = inner
        plan = Mutex(Plan(faults: faults))
    }

    /// Replaces the plan and counts from 1 again.
    func plan(_ faults: [Fault]) { plan.withLock { $0 = Plan(faults: faults) } }

    func count(of operation: Fault.Operation) -> Int {
        plan.withLock { $0.counts[operation, default: 0] }
    }

    var path: String { inner.path }
    var seed: UInt64 { inner.seed }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try reading(address) { () throws(StorageError) in try inner.read(address) }
    }

    func beginWrite() throws(StorageError) -> any PageWriter {
        FaultyPageWriter(
            self,
            try run(.begin) { () throws(StorageError) in try inner.beginWrite() }
        )
    }

    func pin() throws(StorageError) -> any PagePin {
        FaultyPagePin(self, try run(.pin) { () throws(StorageError) in try inner.pin() })
    }

    func hasRoom(for byteCount: Int) -> Bool {
        roomQuestions.withLock { $0 += 1 }
        return room.withLock { $0 } && inner.hasRoom(for: byteCount)
    }

    /// What `hasRoom` says from now on.
    func setRoom(_ hasRoom: Bool) { room.withLock { $0 = hasRoom } }

    /// How often anybody asked for room.
    var roomQuestionCount: Int { roomQuestions.withLock { $0 } }

    func close() throws(StorageError) { try inner.close() }

    // MARK: Faults

    fileprivate func nextEffect(_ operation: Fault.Operation) -> Fault.Effect? {
        plan.withLock { plan in
            plan.counts[operation, default: 0] += 1
            let number = plan.counts[operation]
            return plan.faults.first { $0.operation == operation && $0.number == number }?.effect
        }
    }

    fileprivate func run<R>(
        _ operation: Fault.Operation,
        at address: BlobAddress? = nil,
        _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch nextEffect(operation) {
        case .failBefore(let code): throw error(code, address)
        case .failAfter(let code):
            _ = try body()
            throw error(code, address)
        default: return try body()
        }
    }

    fileprivate func reading(
        _ address: BlobAddress,
        _ body: () throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> BlobBuffer? {
        let effect = nextEffect(.read)
        if case .failBefore(let code) = effect { throw error(code, address) }
        let buffer = try body()
        if case .failAfter(let code) = effect { throw error(code, address) }
        guard let buffer else { return nil }
        if case .flipBit(let bit) = effect {
            buffer.flip(bit, from: 0)
            if let damage = buffer.damage(at: address, seed: seed) {
                throw StorageError(.damaged, path: path, address: address, detail: damage)
            }
        }
        if case .flipUnnoticed(let bit) = effect {
            buffer.flip(bit, from: BlobBuffer.headerByteCount)
        }
        return buffer
    }

    private func error(_ code: StorageError.Code, _ address: BlobAddress?) -> StorageError {
        StorageError(code, path: path, address: address, detail: "injected")
    }
}

extension BlobBuffer {
    fileprivate func flip(_ bit: Int, from start: Int) {
        let offset = start + (bit / 8) % (byteCount - start)
        let byte = base.load(fromByteOffset: offset, as: UInt8.self)
        base.storeBytes(of: byte ^ (1 << UInt8(bit % 8)), toByteOffset: offset, as: UInt8.self)
    }
}

final class FaultyPageWriter: PageWriter {
    private let store: FaultyPageStore
    private let inner: any PageWriter
    private var failure: StorageError?

    init(_ store: FaultyPageStore, _ inner: any PageWriter) {
        self.store = store
        self.inner = inner
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        if let failure { throw failure }
        return try store.reading(address) { () throws(StorageError) in try inner.read(address) }
    }

    func write(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError) {
        try perform(.write, at: address) { () throws(StorageError) in
            try inner.write(buffer, at: address)
        }
    }

    func delete(_ address: BlobAddress) throws(StorageError) {
        try perform(.delete, at: address) { () throws(StorageError) in try inner.delete(address) }
    }

    func deleteSpace(_ space: Space) throws(StorageError) {
        try perform(.delete) { () throws(StorageError) in try inner.deleteSpace(space) }
    }

    func commit() throws(StorageError) {
        try perform(.commit) { () throws(StorageError) in try inner.commit() }
    }

    func rollback() { inner.rollback() }

    /// Keeps the promise of the protocol: a change that fails ends the transaction.
    private func perform(
        _ operation: Fault.Operation,
        at address: BlobAddress? = nil,
        _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if let failure { throw failure }
        do throws(StorageError) {
            try store.run(operation, at: address, body)
        } catch {
            failure = error
            inner.rollback()
            throw error
        }
    }
}

final class FaultyPagePin: PagePin {
    private let store: FaultyPageStore
    private let inner: any PagePin

    init(_ store: FaultyPageStore, _ inner: any PagePin) {
        self.store = store
        self.inner = inner
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try store.reading(address) { () throws(StorageError) in try inner.read(address) }
    }

    func release() { inner.release() }
}
