import Foundation

/// How one stored blob follows from another, in few bytes: what is copied and what is new.
///
/// **Shape.** Steps until the new blob is full: a varint of bytes to copy; then, unless it is full
/// now, a varint of bytes that follow as they are, those bytes, and a zigzag varint by which the
/// place in the old blob moves beyond them. An old blob that is shorter, or none, is taken as
/// followed by zeros. An insertion in a sorted column moves all behind it; such a move is one step.
enum BlobDelta {
    /// So many bytes must agree before a copy goes on where it was, or elsewhere.
    private static let agreement = (inPlace: 8, moved: 16)
    /// How far the place in the old blob may move at a step, beside the difference of the payloads:
    /// something of any size that was put in or taken out.
    private static let moves = [-8, 8, -4, 4, -2, 2, -1, 1, -12, 12, -16, 16]
    /// Bytes after which looking for an agreement starts anew.
    private static let reach = 24

    /// Appends the steps from `old` to `new`; false, with half of them appended, once the writer
    /// holds more than `limit` bytes.
    ///
    /// - Complexity: O(*n*) in the new blob's bytes, a few hundred comparisons a difference.
    static func append(
        _ new: BlobBuffer,
        from old: BlobBuffer?,
        to writer: inout ByteWriter,
        limit: Int
    ) -> Bool {
        let growth = new.payloadByteCount - (old?.payloadByteCount ?? new.payloadByteCount)
        let old = source(old, byteCount: new.byteCount)
        // SAFETY: both buffers are kept until the end of this function; `Sides` stays within them.
        defer { withExtendedLifetime((old, new)) {} }
        let sides = Sides(
            new: UnsafeRawBufferPointer(start: new.base, count: new.byteCount),
            old: UnsafeRawBufferPointer(start: old.base, count: old.byteCount),
            growth: growth
        )
        var target = 0
        var source = 0
        while target < new.byteCount {
            let copied = sides.agreeingCount(target, source)
            target += copied
            source += copied
            writer.append(copied)
            if target == new.byteCount { break }
            let (literal, move) = sides.nextAgreement(target, source)
            writer.append(literal)
            writer.append(
                raw: UnsafeRawBufferPointer(rebasing: sides.new[target..<(target + literal)])
            )
            writer.append(zigzag: Int64(move))
            target += literal
            source = min(source + literal + move, old.byteCount)
            if writer.bytes.count > limit { return false }
        }
        return writer.bytes.count <= limit
    }

    /// Reads steps and carries them out.
    ///
    /// - Returns: A blob of `byteCount` stored bytes, to be verified by the caller.
    /// - Throws: The reader's error if a step leads out of a blob.
    static func apply(
        _ reader: inout ByteReader,
        to old: BlobBuffer?,
        byteCount: Int
    ) throws(StorageError) -> BlobBuffer {
        let old = source(old, byteCount: byteCount)
        let new = BlobBuffer(storedByteCount: byteCount)
        var target = 0
        var source = 0
        while target < byteCount {
            let copied = try reader.int(below: byteCount - target + 1)
            guard source >= 0, source + copied <= old.byteCount else { throw reader.damage }
            // SAFETY: both ranges were checked.
            memcpy(new.base + target, old.base + source, copied)
            target += copied
            source += copied
            if target == byteCount { break }
            let literal = try reader.int(below: byteCount - target + 1)
            let bytes = try reader.raw(literal)
            if let start = bytes.baseAddress, literal > 0 {
                memcpy(new.base + target, start, literal)
            }
            let move = try reader.zigzag()
            guard move.magnitude <= UInt64(old.byteCount) else { throw reader.damage }
            target += literal
            source = min(source + literal + Int(move), old.byteCount)
        }
        withExtendedLifetime(old) {}
        return new
    }

    /// The old blob, followed by zeros if it is shorter than the new one.
    private static func source(_ old: BlobBuffer?, byteCount: Int) -> BlobBuffer {
        if let old, old.byteCount >= byteCount { return old }
        let extended = BlobBuffer(storedByteCount: byteCount)
        if let old { memcpy(extended.base, old.base, old.byteCount) }
        return extended
    }

    /// The two blobs while they are compared.
    private struct Sides {
        // SAFETY: offsets are checked against the counts before each load.
        let new: UnsafeRawBufferPointer
        let old: UnsafeRawBufferPointer
        let growth: Int

        /// Bytes that agree from two places on.
        func agreeingCount(_ target: Int, _ source: Int) -> Int {
            agreeingCount(target, source, limit: min(new.count - target, old.count - source))
        }

        @inline(__always)
        private func agreeingCount(_ target: Int, _ source: Int, limit: Int) -> Int {
            var count = 0
            while count &+ 32 <= limit {
                let (a, b) = (target &+ count, source &+ count)
                let low = (word(new, a) ^ word(old, b)) | (word(new, a &+ 8) ^ word(old, b &+ 8))
                let high =
                    (word(new, a &+ 16) ^ word(old, b &+ 16))
                    | (word(new, a &+ 24) ^ word(old, b &+ 24))
                if low | high != 0 { break }
                count = count &+ 32
            }
            while count &+ 8 <= limit {
                let difference = word(new, target &+ count) ^ word(old, source &+ count)
                if difference != 0 { return count &+ difference.trailingZeroBitCount >> 3 }
                count = count &+ 8
            }
            while count < limit, new[target &+ count] == old[source &+ count] {
                count = count &+ 1
            }
            return count
        }

        @inline(__always)
        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
            // SAFETY: the caller has checked the offset; `Sides` is made of buffers that begin somewhere.
            UInt64(
                littleEndian: (bytes.baseAddress.unsafelyUnwrapped + offset)
                    .loadUnaligned(as: UInt64.self)
            )
        }

        /// How many bytes from a difference on are to be taken as they are, and where the old blob
        /// goes on then.
        func nextAgreement(_ target: Int, _ source: Int) -> (literal: Int, move: Int) {
            var skipped = 0
            while target + skipped < new.count {
                if let (literal, move) = agreement(target + skipped, source + skipped) {
                    return (skipped + literal, move)
                }
                skipped += BlobDelta.reach
            }
            return (new.count - target, 0)
        }

        private func agreement(_ target: Int, _ source: Int) -> (literal: Int, move: Int)? {
            for literal in 1...(BlobDelta.reach / 2)
            where agree(target + literal, source + literal, BlobDelta.agreement.inPlace) {
                return (literal, 0)
            }
            if growth != 0, let found = agreementBehindGrowth(target, source) { return found }
            for literal in 0...BlobDelta.reach {
                for move in BlobDelta.moves
                where agree(target + literal, source + literal + move, BlobDelta.agreement.moved) {
                    return (literal, move)
                }
            }
            return nil
        }

        /// Where something was put in, the new blob goes on behind it as the old one does at its
        /// place; where something was taken out, the other way round.
        private func agreementBehindGrowth(
            _ target: Int,
            _ source: Int
        ) -> (literal: Int, move: Int)? {
            let literals = growth > 0 ? growth...(growth + BlobDelta.reach) : 0...BlobDelta.reach
            for literal in literals
            where agree(target + literal, source + literal - growth, BlobDelta.agreement.moved) {
                return (literal, -growth)
            }
            return nil
        }

        /// Whether so many bytes agree, or all to the end.
        @inline(__always)
        private func agree(_ target: Int, _ source: Int, _ count: Int) -> Bool {
            guard target < new.count, source >= 0 else { return false }
            let wanted = min(count, new.count &- target)
            guard source &+ wanted <= old.count else { return false }
            return agreeingCount(target, source, limit: wanted) == wanted
        }
    }
}
