public import Foundation

/// A 12-byte identifier: seconds since 1970 (4 bytes, big-endian), 5 random bytes of the process,
/// and a 3-byte counter.
///
/// **Threads.** A value; any thread.
public struct ObjectId: Hashable, Sendable {
    /// Big-endian: the first eight and the last four bytes.
    private let high: UInt64
    private let low: UInt32

    private init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// The identifier of twelve zero bytes.
    public init() { self.init(high: 0, low: 0) }

    /// A new identifier: now, this process, and the next count.
    public static func generate() -> ObjectId {
        let (process, count) = ObjectIdSource.next()
        let seconds = UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970))
        return ObjectId(seconds: seconds, process: process, count: count)
    }

    /// - Throws: ``Realm/Error`` `.invalidInput` unless `string` is 24 hexadecimal digits.
    public init(string: String) throws {
        guard let value = ObjectId(hexadecimal: string) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid Object ID string '\(string)': must be 24 hex digits"
            )
        }
        self = value
    }

    /// - Precondition: 24 hexadecimal digits.
    public init(_ string: StaticString) {
        guard let value = ObjectId(hexadecimal: string.description) else {
            fatalError("Invalid Object ID string '\(string)': must be 24 hex digits")
        }
        self = value
    }

    /// An identifier of a given moment; the machine's low 24 and the process's low 16 bits count.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let process = UInt64(machineId & 0xFF_FFFF) << 16 | UInt64(processId & 0xFFFF)
        let seconds = UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970))
        self.init(seconds: seconds, process: process, count: ObjectIdSource.next().count)
    }

    private init(seconds: UInt32, process: UInt64, count: UInt32) {
        high = UInt64(seconds) << 32 | process >> 8
        low = UInt32(truncatingIfNeeded: process & 0xFF) << 24 | count & 0xFF_FFFF
    }

    private init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (index, digit) in digits.enumerated() {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            if index < 16 {
                high = high << 4 | UInt64(value)
            } else {
                low = low << 4 | UInt32(value)
            }
        }
        self.init(high: high, low: low)
    }

    /// - Precondition: `bytes` holds twelve bytes.
    init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= 12, "an ObjectId has twelve bytes")
        // SAFETY: twelve bytes were checked; loadUnaligned needs no alignment.
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { buffer in
            buffer.storeBytes(of: high.bigEndian, as: UInt64.self)
            buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
            return try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// 24 lower-case hexadecimal digits.
    public var stringValue: String {
        func padded(_ value: some BinaryInteger, _ width: Int) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        return padded(high, 16) + padded(low, 8)
    }

    /// The moment in the first four bytes, to the second.
    public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(high >> 32)) }
}

extension ObjectId: Comparable {
    /// By bytes, which is by time first.
    public static func < (a: ObjectId, b: ObjectId) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension ObjectId: CustomStringConvertible {
    /// As `stringValue`.
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// From 24 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    /// As 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
