import Foundation

/// Appends little-endian numbers and byte strings to an array.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init() {}

    /// - Parameter capacity: Bytes for which there is room from the start.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ value: UInt8) { bytes.append(value) }

    mutating func append(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// A variable-length unsigned number: 7 bits a byte, the lowest first.
    mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A non-negative number.
    mutating func append(_ value: Int) { append(UInt64(value)) }

    /// A signed number, small ones of either sign in few bytes.
    mutating func append(zigzag value: Int64) {
        append(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// Bytes without their length.
    mutating func append(raw value: UnsafeRawBufferPointer) { bytes.append(contentsOf: value) }

    mutating func append(_ text: String) {
        let utf8 = Array(text.utf8)
        append(utf8.count)
        bytes += utf8
    }

    /// A byte string with its length.
    mutating func append(_ value: [UInt8]) {
        append(value.count)
        bytes += value
    }

    /// Copies what was written into a blob.
    func blob() -> BlobBuffer {
        let buffer = BlobBuffer(payloadByteCount: bytes.count)
        bytes.withUnsafeBytes { source in
            if let address = source.baseAddress { memcpy(buffer.payload, address, source.count) }
        }
        return buffer
    }
}

/// Reads what ``ByteWriter`` wrote; every step checks its bounds.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    let damage: StorageError

    /// - Parameter damage: thrown when the bytes end early or make no sense.
    init(_ bytes: UnsafeRawBufferPointer, damage: StorageError) {
        self.bytes = bytes
        self.damage = damage
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() throws(StorageError) -> UInt8 {
        guard offset < bytes.count else { throw damage }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func bool() throws(StorageError) -> Bool { try byte() != 0 }

    mutating func unsigned() throws(StorageError) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let next = try byte()
            result |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return result }
        }
        throw damage
    }

    /// A non-negative number below `limit`.
    mutating func int(below limit: Int = .max) throws(StorageError) -> Int {
        let value = try unsigned()
        guard value < UInt64(limit) else { throw damage }
        return Int(value)
    }

    /// What ``ByteWriter/append(zigzag:)`` wrote.
    mutating func zigzag() throws(StorageError) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// The next bytes; valid as long as those the reader was made for.
    mutating func raw(_ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw damage }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    mutating func byteString() throws(StorageError) -> [UInt8] {
        let count = try int(below: bytes.count + 1)
        guard offset + count <= bytes.count else { throw damage }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    mutating func string() throws(StorageError) -> String {
        let count = try int(below: bytes.count + 1)
        guard offset + count <= bytes.count else { throw damage }
        defer { offset += count }
        guard
            let text = String(
                validating: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]),
                as: UTF8.self
            )
        else { throw damage }
        return text
    }
}
