/// A long collection decoded from plain bytes, after FORMAT.md rather than after the engine.
struct StoreCheckLeaves {
    /// The bytes of each leaf.
    private(set) var leaves: [[UInt8]] = []
    /// How many elements the root says each has.
    private(set) var counts: [Int] = []
    private(set) var separators: [UInt8] = []
    /// The numbers of the root and of the leaves.
    private(set) var numbers: [Int64] = []
    /// What is wrong, nil if nothing is.
    private(set) var finding: String?

    /// A short collection: one leaf and no root.
    init(_ bytes: [UInt8]) { leaves = [bytes] }

    /// - Parameters:
    ///   - reference: what stands in the row.
    ///   - read: the blob of a number among the table's long values.
    init(
        reference: [UInt8],
        _ read: (Int64) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) {
        guard reference.count == 16 else {
            finding = "the reference to a collection is damaged"
            return
        }
        let root = Int64(bitPattern: Self.number(reference, 0, 8))
        numbers.append(root)
        guard let blob = try read(root), blob.version == Self.number(reference, 8, 8),
            blob.payloadByteCount >= 8
        else {
            finding = "the root of a collection is missing, or another"
            return
        }
        let bytes = Array(blob.payloadBytes)
        let count = Int(Self.number(bytes, 0, 4))
        let end = 8 + 24 * count
        guard count > 0, end <= bytes.count, Self.number(bytes, 4, 4) == 0 else {
            finding = "the root of a collection ends in the middle"
            return
        }
        separators = Array(bytes[end...])
        for offset in stride(from: 8, to: end, by: 24) {
            let number = Int64(bitPattern: Self.number(bytes, offset, 8))
            numbers.append(number)
            counts.append(Int(Self.number(bytes, offset + 16, 4)))
            guard let leaf = try read(number), leaf.version == Self.number(bytes, offset + 8, 8),
                leaf.payloadByteCount == Int(Self.number(bytes, offset + 20, 4))
            else {
                finding = "a leaf of a collection is missing, or another"
                return
            }
            leaves.append(Array(leaf.payloadBytes))
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
        (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
}
