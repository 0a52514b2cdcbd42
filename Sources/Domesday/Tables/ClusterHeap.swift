import Foundation

/// The heap part of a cluster: the byte strings of its `bytes` columns. See ``ClusterView``.
enum ClusterHeap {
    /// Allocates an empty heap part; `capacities` are bytes per column id, 0 for other kinds.
    ///
    /// Every column gets its ends, so that readers need no case for columns without bytes.
    static func make(rowCapacity: Int, capacities: [Int?]) -> BlobBuffer {
        var offset =
            ClusterView.heapHeaderByteCount + capacities.count * ClusterView.heapColumnByteCount
        var places: [(ends: Int, data: Int)?] = []
        for capacity in capacities {
            guard capacity != nil else {
                places.append(nil)
                continue
            }
            places.append((offset, 0))
            offset += (rowCapacity + 1) * 4
        }
        for (id, capacity) in capacities.enumerated() {
            guard let capacity else { continue }
            places[id]?.data = offset
            offset += capacity
        }
        let buffer = BlobBuffer(payloadByteCount: offset)
        let payload = buffer.payload
        payload.storeBytes(of: UInt32(rowCapacity), as: UInt32.self)
        payload.storeBytes(of: UInt32(capacities.count), toByteOffset: 4, as: UInt32.self)
        for (id, place) in places.enumerated() {
            guard let place, let capacity = capacities[id] else { continue }
            let entry = payload + 16 + id * 16
            entry.storeBytes(of: UInt32(place.ends), as: UInt32.self)
            entry.storeBytes(of: UInt32(place.data), toByteOffset: 4, as: UInt32.self)
            entry.storeBytes(of: UInt32(capacity), toByteOffset: 8, as: UInt32.self)
        }
        return buffer
    }

    /// The ends of a column: row capacity + 1 offsets, the first 0.
    @inline(__always)
    static func ends(_ heap: UnsafeMutableRawPointer, _ column: Int) -> UnsafeMutablePointer<UInt32>
    {
        let entry = heap + (16 &+ column &* 16)
        // SAFETY: offsets were made by `make` or checked by `ClusterCheck` when loaded; 4-aligned.
        return (heap + Int(entry.load(as: UInt32.self))).assumingMemoryBound(to: UInt32.self)
    }

    @inline(__always)
    static func data(_ heap: UnsafeMutableRawPointer, _ column: Int) -> UnsafeMutableRawPointer {
        heap + Int((heap + (16 &+ column &* 16)).load(fromByteOffset: 4, as: UInt32.self))
    }

    @inline(__always)
    static func capacity(_ heap: UnsafeRawPointer, _ column: Int) -> Int {
        Int((heap + (16 &+ column &* 16)).load(fromByteOffset: 8, as: UInt32.self))
    }

    /// Whether the bytes of a row are `value`, told by parts of a heap part that nobody has verified:
    /// where they agree they are right.
    static func glance(
        _ heap: any BlobGlance,
        column: Int,
        row: Int,
        is value: UnsafeRawBufferPointer
    ) -> Bool {
        func numbers(at offset: Int) -> (Int, Int)? {
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2) { pair in
                heap.copy(from: offset, into: UnsafeMutableRawBufferPointer(pair))
                    ? (Int(UInt32(littleEndian: pair[0])), Int(UInt32(littleEndian: pair[1]))) : nil
            }
        }
        guard let (ends, data) = numbers(at: 16 + column * 16),
            let (start, end) = numbers(at: ends + row * 4), end - start == value.count
        else { return false }
        return withUnsafeTemporaryAllocation(byteCount: value.count, alignment: 1) { stored in
            guard heap.copy(from: data + start, into: stored) else { return false }
            // SAFETY: both have the value's count of bytes.
            guard let a = stored.baseAddress, let b = value.baseAddress else { return true }
            return memcmp(a, b, value.count) == 0
        }
    }

    static func columnCount(_ heap: UnsafeRawPointer) -> Int {
        Int(heap.load(fromByteOffset: 4, as: UInt32.self))
    }

    static func rowCapacity(_ heap: UnsafeRawPointer) -> Int { Int(heap.load(as: UInt32.self)) }
}
