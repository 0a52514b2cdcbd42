import Testing

@testable import Domesday

extension StorageTests {
    @Suite("Checksum and hash")
    struct Checksums {
        private func checksum(_ bytes: [UInt8], _ seed: UInt64 = 1) -> UInt64 {
            bytes.withUnsafeBytes { Checksum.checksum($0, seed: seed) }
        }

        private func hash(_ bytes: [UInt8], _ seed: UInt64 = 1) -> UInt64 {
            bytes.withUnsafeBytes { Hash.hash($0, seed: seed) }
        }

        @Test("their values are part of the format and do not change")
        func golden() {
            let bytes = (0..<200).map { UInt8($0) }
            #expect(checksum([]) == 11_423_494_478_445_652_998)
            #expect(checksum(bytes) == 13_024_840_268_727_718_584)
            #expect(checksum(bytes, 2) == 6_874_123_019_747_420_904)
            #expect(hash([]) == 17_723_513_505_010_188_270)
            #expect(hash(bytes) == 1_383_590_267_420_656_522)
            #expect(Hash.hash("Domesday", seed: 1) == 9_494_086_804_822_259_835)
        }

        @Test("every bit, the length and the seed count", arguments: 0..<150)
        func sensitivity(_ count: Int) {
            var random = StorageRandom(UInt64(count))
            var bytes = random.bytes(count)
            var checksums: Set = [checksum(bytes), checksum(bytes, 2), checksum(bytes + [0])]
            var hashes: Set = [hash(bytes), hash(bytes, 2), hash(bytes + [0])]
            for bit in 0..<count * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                checksums.insert(checksum(bytes))
                hashes.insert(hash(bytes))
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
            #expect(checksums.count == count * 8 + 3)
            #expect(hashes.count == count * 8 + 3)
        }

        @Test("a flipped bit changes about half of the result")
        func avalanche() {
            var random = StorageRandom(3)
            for count in [1, 7, 8, 15, 16, 64, 200] {
                var bytes = random.bytes(count)
                let before = (checksum(bytes), hash(bytes))
                var changed = (0, 0)
                for bit in 0..<count * 8 {
                    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                    changed.0 += (checksum(bytes) ^ before.0).nonzeroBitCount
                    changed.1 += (hash(bytes) ^ before.1).nonzeroBitCount
                    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                }
                for sum in [changed.0, changed.1] {
                    #expect((26.0...38.0).contains(Double(sum) / Double(count * 8)))
                }
            }
        }

        @Test("hashes of similar keys spread over their low and high bits")
        func spread() {
            var low = [Int](repeating: 0, count: 256)
            var high = low
            for number in 0..<25_600 {
                let value = Hash.hash("key-\(number)", seed: 9)
                low[Int(value & 0xFF)] += 1
                high[Int(value >> 56)] += 1
            }
            for bucket in low + high { #expect((50...160).contains(bucket)) }
        }

        @Test("all zero bytes of any length have different checksums")
        func zeros() {
            let sums = (0..<600).map { checksum([UInt8](repeating: 0, count: $0)) }
            #expect(Set(sums).count == 600)
        }
    }
}
