extension BlobBuffer {
    /// Fills in the checksum, for a blob that is stored at `address` in the store of this seed.
    ///
    /// - Complexity: O(*n*) in the bytes.
    func seal(at address: BlobAddress, seed: UInt64) {
        checksum = expectedChecksum(at: address, seed: seed)
    }

    /// What is wrong with a stored blob, in words; `nil` if nothing is.
    ///
    /// Seeded with store and place, so that a right blob in a wrong place is noticed as well.
    ///
    /// - Complexity: O(*n*) in the bytes.
    func damage(at address: BlobAddress, seed: UInt64) -> String? {
        guard byteCount >= Self.headerByteCount else {
            return "the blob has \(byteCount) bytes, fewer than its header"
        }
        guard payloadByteCount <= payloadCapacity else {
            return "the blob claims \(payloadByteCount) bytes of payload and has \(payloadCapacity)"
        }
        guard checksum == expectedChecksum(at: address, seed: seed) else {
            return "the blob does not match its checksum"
        }
        return nil
    }

    private func expectedChecksum(at address: BlobAddress, seed: UInt64) -> UInt64 {
        let behind = UnsafeRawBufferPointer(start: base + 8, count: byteCount - 8)
        return Checksum.checksum(behind, seed: address.checksumSeed(seed))
    }
}

extension BlobAddress {
    /// The store's seed and the place, mixed into one number.
    fileprivate func checksumSeed(_ seed: UInt64) -> UInt64 {
        let place = UInt64(truncatingIfNeeded: space.number) &* 0x9E37_79B9_7F4A_7C15
        let mixed = Checksum.fold(seed ^ place, UInt64(bitPattern: id) ^ 0xD1B5_4A32_D192_ED03)
        // Added once more: a factor of zero would otherwise swallow the other.
        return mixed ^ seed &+ place &+ UInt64(bitPattern: id)
    }
}
