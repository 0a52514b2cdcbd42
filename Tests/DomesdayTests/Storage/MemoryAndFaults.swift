import Testing

@testable import Domesday

extension StorageTests {
    @Suite("Memory store")
    struct MemoryStore {
        let store = MemoryPageStore(path: "memory", seed: 1)
        let address = BlobAddress(1, 1)

        @Test("superseded blobs stay while a pin needs them, and no longer")
        func superseded() throws {
            try store.commit([address: [0]])
            let first = try store.pin()
            for number in 1...10 { try store.commit([address: [UInt8(number)]]) }
            #expect(store.keptBlobCount == 2)
            let second = try store.pin()
            let same = try store.pin()
            let writer = try store.beginWrite()
            try writer.delete(address)
            try writer.commit()
            #expect(store.keptBlobCount == 2)
            first.release()
            #expect(store.keptBlobCount == 1)
            same.release()
            #expect(try second.read(address)?.bytes == [10])
            second.release()
            #expect(store.keptBlobCount == 0)
        }

        @Test("without pins there is one blob per address")
        func newestOnly() throws {
            for number in 0..<50 { try store.commit([BlobAddress(1, Int64(number % 5)): [1]]) }
            #expect(store.keptBlobCount == 5)
        }

        @Test("what is read is the reader's own")
        func copies() throws {
            let buffer = BlobBuffer([1])
            let writer = try store.beginWrite()
            try writer.write(buffer, at: address)
            try writer.commit()
            buffer.payload.storeBytes(of: 9, as: UInt8.self)
            let read = try #require(try store.read(address))
            withExtendedLifetime(read) { read.payload.storeBytes(of: 8, as: UInt8.self) }
            #expect(try store.bytes(address) == [1])
        }
    }

    /// The store that fails on purpose does what its plan says.
    @Suite("Faulty store")
    struct FaultyStore {
        let store = FaultyPageStore(MemoryPageStore(path: "memory"))
        let address = BlobAddress(1, 1)

        @Test(
            "the n-th operation fails, and the next one does not",
            arguments: [Fault.Operation.read, .write, .begin, .commit]
        )
        func fails(_ operation: Fault.Operation) throws {
            try store.commit([address: [1]])
            store.plan([Fault(operation: operation, number: 2, effect: .failBefore(.full))])
            var outcomes: [Bool] = []
            for _ in 0..<3 {
                do {
                    try store.commit([address: [2]])
                    _ = try store.read(address)
                    outcomes.append(true)
                } catch { outcomes.append(false) }
            }
            #expect(outcomes == [true, false, true])
        }

        @Test("a failed write rolls its transaction back")
        func rollsBack() throws {
            store.plan([Fault(operation: .write, number: 2, effect: .failAfter(.full))])
            let writer = try store.beginWrite()
            try writer.write(BlobBuffer([1]), at: address)
            #expect(storageError { try writer.write(BlobBuffer([2]), at: address) }?.code == .full)
            #expect(storageError { try writer.commit() }?.code == .full)
            #expect(try store.read(address) == nil)
            try store.commit([address: [3]])
        }

        @Test("a commit of unknown outcome may have happened")
        func unknownOutcome() throws {
            store.plan([Fault(operation: .commit, number: 1, effect: .failAfter(.inputOutput))])
            #expect(storageError { try store.commit([address: [1]]) }?.code == .inputOutput)
            #expect(try store.bytes(address) == [1])
        }

        @Test("a flipped bit is noticed by the checksum, unless it is meant not to be")
        func flips() throws {
            try store.commit([address: [1, 2, 3]])
            for bit in 0..<256 * 8 {
                store.plan([Fault(operation: .read, number: 1, effect: .flipBit(bit))])
                #expect(storageError { try store.read(address) }?.code == .damaged)
            }
            store.plan([Fault(operation: .read, number: 1, effect: .flipUnnoticed(0))])
            #expect(try store.bytes(address) == [0, 2, 3])
            #expect(try store.bytes(address) == [1, 2, 3])
        }
    }
}
