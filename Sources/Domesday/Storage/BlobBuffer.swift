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

    /// Allocates a zeroed buffer whose payload holds at least `payloadByteCount` bytes.
    init(payloadByteCount: Int) {
        byteCount = Self.storedByteCount(payloadByteCount: payloadByteCount)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount + Self.prefixByteCount,
            alignment: 16
        )
        memset(memory, 0, byteCount + Self.prefixByteCount)
        base = memory + Self.prefixByteCount
        base.storeBytes(of: UInt32(payloadByteCount), toByteOffset: 8, as: UInt32.self)
        noteSelf()
    }

    /// Copies a stored blob, header included; the caller verifies it.
    init(copying bytes: UnsafeRawBufferPointer) {
        byteCount = bytes.count
        base = Self.allocate(byteCount: bytes.count)
        if let source = bytes.baseAddress { memcpy(base, source, bytes.count) }
        noteSelf()
    }

    /// Zeros, header included, to be filled in by the caller.
    init(storedByteCount byteCount: Int) {
        self.byteCount = byteCount
        base = Self.allocate(byteCount: byteCount)
        memset(base, 0, byteCount)
        noteSelf()
    }

    /// Start of the header of a new buffer, all behind it not initialized.
    private static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        // 16 bytes of slack behind: wide loads at the end of a value stay inside the allocation.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount + prefixByteCount + 16,
            alignment: 16
        )
        memset(memory, 0, prefixByteCount)
        memset(memory + prefixByteCount + byteCount, 0, 16)
        return memory + prefixByteCount
    }

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

    deinit { (base - Self.prefixByteCount).deallocate() }

    static func storedByteCount(payloadByteCount: Int) -> Int {
        // 16 bytes of slack behind the payload, as above.
        (headerByteCount + payloadByteCount + 16 + quantum - 1) / quantum * quantum
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
