import Foundation

/// One blob in memory: a header of 32 bytes, a payload, and zeros up to a rounded size.
///
/// **Shape.** Little-endian. Header: checksum of everything behind it (u64), payload byte count
/// (u32), zero (u32), version that wrote it (u64), zero (u64). Stored sizes are rounded up and
/// unused bytes are zero, so that a changed blob mostly keeps its size and SQLite rewrites only the
/// pages that differ. In memory three words stand in front of the header, for who holds a payload
/// pointer only: at payload - 56 this buffer, at - 48 the payload of the heap part (0: not loaded),
/// at - 40 the writer's cluster (0: none).
///
/// **Threads.** Immutable once published in a cell; before that it belongs to one writer.
final class BlobBuffer: @unchecked Sendable {
    // @unchecked: bytes change only while one writer owns the buffer, before it is published under
    // the cache's lock.

    static let headerByteCount = 32
    private static let prefixByteCount = 32
    /// Sizes are multiples of this many bytes.
    static let quantum = 256

    /// Start of the header.
    let base: UnsafeMutableRawPointer
    /// Header, payload and padding: what is stored.
    let byteCount: Int
    /// The heap part that belongs to this fixed part, kept alive with it; set once, before the
    /// address in front of the header is published.
    var companion: BlobBuffer?
    /// Frees the bytes with the last buffer that shares them.
    private let memory: Memory

    private typealias Memory = ManagedBuffer<Void, UInt64>

    /// Allocates a zeroed buffer whose payload holds at least `payloadByteCount` bytes.
    init(payloadByteCount: Int) {
        byteCount = Self.storedByteCount(payloadByteCount: payloadByteCount)
        (memory, base) = Self.allocate(byteCount: byteCount)
        memset(base, 0, byteCount)
        base.storeBytes(of: UInt32(payloadByteCount), toByteOffset: 8, as: UInt32.self)
        noteSelf()
    }

    /// Copies a stored blob, header included; the caller verifies it.
    init(copying bytes: UnsafeRawBufferPointer) {
        byteCount = bytes.count
        (memory, base) = Self.allocate(byteCount: bytes.count)
        if let source = bytes.baseAddress { memcpy(base, source, bytes.count) }
        noteSelf()
    }

    /// Zeros, header included, to be filled in by the caller.
    init(storedByteCount byteCount: Int) {
        self.byteCount = byteCount
        (memory, base) = Self.allocate(byteCount: byteCount)
        memset(base, 0, byteCount)
        noteSelf()
    }

    private init(sharing other: BlobBuffer) {
        (memory, base, byteCount) = (other.memory, other.base, other.byteCount)
    }

    /// Memory for a new buffer and the start of its header, nothing behind that initialized.
    private static func allocate(byteCount: Int) -> (Memory, UnsafeMutableRawPointer) {
        // 16 bytes of slack behind: wide loads at the end of a value stay inside the allocation.
        let allBytes = prefixByteCount + byteCount + 16
        let memory = Memory.create(minimumCapacity: (allBytes + 7) / 8) { _ in }
        // SAFETY: elements of a managed buffer stay where they are as long as it lives; they lie
        // behind its header of 16 bytes, 16-aligned.
        let start = memory.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
        memset(start, 0, prefixByteCount)
        memset(start + prefixByteCount + byteCount, 0, 16)
        return (memory, start + prefixByteCount)
    }

    /// Another buffer of the same bytes, which keeps them alive but not this one's companion.
    ///
    /// For who keeps stored bytes, not for readers: what stands in front of them is this buffer's.
    func sharingBytes() -> BlobBuffer { BlobBuffer(sharing: self) }

    /// The stored bytes in a buffer of their own, without what stands in front of them.
    func copy() -> BlobBuffer {
        BlobBuffer(copying: UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    private func noteSelf() {
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
        (payload - 56).storeBytes(of: address, as: UInt64.self)
    }

    /// The buffer a payload pointer belongs to.
    ///
    /// - Precondition: the buffer is retained by somebody.
    static func holding(_ payload: UnsafeRawPointer) -> BlobBuffer {
        let word = (payload - 56).load(as: UInt64.self)
        // SAFETY: written by `noteSelf`; the caller's precondition keeps the buffer alive.
        return Unmanaged<BlobBuffer>
            .fromOpaque(UnsafeRawPointer(bitPattern: UInt(word)).unsafelyUnwrapped)
            .takeUnretainedValue()
    }

    static func storedByteCount(payloadByteCount: Int) -> Int {
        (unroundedByteCount(payloadByteCount: payloadByteCount) + quantum - 1) / quantum * quantum
    }

    /// What a payload needs, before the size is rounded up to one that is stored.
    static func unroundedByteCount(payloadByteCount: Int) -> Int {
        // 16 bytes of slack behind the payload, as above.
        headerByteCount + payloadByteCount + 16
    }

    /// Start of the payload; 16-aligned.
    var payload: UnsafeMutableRawPointer { base + Self.headerByteCount }

    /// Bytes of payload in use, as the header says; at most `payloadCapacity`.
    var payloadByteCount: Int {
        get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
        set { base.storeBytes(of: UInt32(newValue), toByteOffset: 8, as: UInt32.self) }
    }

    var payloadCapacity: Int { byteCount - Self.headerByteCount }

    /// The version of the store that wrote this blob.
    var version: UInt64 {
        get { base.load(fromByteOffset: 16, as: UInt64.self) }
        set { base.storeBytes(of: newValue, toByteOffset: 16, as: UInt64.self) }
    }

    var checksum: UInt64 {
        get { base.load(as: UInt64.self) }
        set { base.storeBytes(of: newValue, as: UInt64.self) }
    }
}
