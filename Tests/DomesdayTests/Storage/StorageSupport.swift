import Foundation
import Testing

@testable import Domesday

/// A folder for one test, gone with its last reference.
final class StorageFolder: Sendable {
    let path: String

    init() throws {
        var template = Array((NSTemporaryDirectory() + "domesday-storage-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
        path = String(cString: made)
        LeakCheck.begin(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "test.domesday") -> String { path + "/" + name }

    /// Names and bytes of all that lies in the folder; folders and pipes without bytes.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            var status = stat()
            lstat(file(name), &status)
            let isRegular = status.st_mode & S_IFMT == S_IFREG
            contents[name] =
                isRegular ? try Data(contentsOf: URL(fileURLWithPath: file(name))) : Data()
        }
        return contents
    }
}

/// SplitMix64: the same numbers on every machine.
struct StorageRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for start in stride(from: 0, to: count, by: 8) {
            let word = next()
            for index in start..<min(start + 8, count) {
                bytes[index] = UInt8(truncatingIfNeeded: word >> UInt64((index - start) * 8))
            }
        }
        return bytes
    }
}

extension BlobBuffer {
    convenience init(_ bytes: [UInt8], version: UInt64 = 0) {
        self.init(payloadByteCount: bytes.count)
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                payload.copyMemory(from: start, byteCount: source.count)
            }
        }
        self.version = version
    }

    var bytes: [UInt8] {
        Array(UnsafeRawBufferPointer(start: payload, count: payloadByteCount))
    }
}

extension BlobAddress {
    init(_ space: Int, _ id: Int64) { self.init(space: Space(space), id: id) }
}

extension PageStore {
    /// Writes the blobs in one transaction.
    func commit(_ blobs: [BlobAddress: [UInt8]]) throws(StorageError) {
        let writer = try beginWrite()
        for (address, bytes) in blobs { try writer.write(BlobBuffer(bytes), at: address) }
        try writer.commit()
    }

    func bytes(_ address: BlobAddress) throws(StorageError) -> [UInt8]? { try read(address)?.bytes }
}

/// How much more than usual the long tests do; 1 unless `DOMESDAY_SCALE` says otherwise.
let storageScale = ProcessInfo.processInfo.environment["DOMESDAY_SCALE"].flatMap(Double.init) ?? 1

/// The error that `body` throws; an issue is recorded if it throws none or another kind.
func storageError<R>(_ body: () throws -> R) -> StorageError? {
    #expect(throws: StorageError.self) { _ = try body() }
}
