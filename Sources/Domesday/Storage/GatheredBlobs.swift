/// What a transaction has written while it may still be small.
struct GatheredBlobs {
    /// A transaction that writes more bytes is none for the log.
    private static let byteLimit = 256 << 10

    private var places: [BlobAddress: Int] = [:]
    private(set) var inOrder: [(address: BlobAddress, blob: BlobBuffer, old: BlobBuffer?)] = []
    private(set) var byteCount = 0

    var isEmpty: Bool { inOrder.isEmpty }
    var isSmall: Bool { byteCount <= Self.byteLimit }

    subscript(address: BlobAddress) -> BlobBuffer? { places[address].map { inOrder[$0].blob } }

    /// - Parameter old: The stored blob, if the caller has it.
    mutating func set(_ blob: BlobBuffer, at address: BlobAddress, replacing old: BlobBuffer?) {
        byteCount += blob.byteCount
        if let place = places[address] {
            byteCount -= inOrder[place].blob.byteCount
            inOrder[place].blob = blob
        } else {
            places[address] = inOrder.count
            inOrder.append((address, blob, old))
        }
    }
}
