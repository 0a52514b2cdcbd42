/// How long a store keeps the history of what commits have changed.
///
/// Raw numbers are part of the file format.
enum HistoryLimit: Hashable, Sendable {
    case unlimited
    /// At least that many commits.
    case commits(UInt64)
    /// Commits for at least that many seconds.
    case seconds(UInt64)
}

/// That a store keeps a history, and which; nil where it keeps none.
///
/// Every commit of every process writes it as long as it stands here: a history has no holes.
struct HistorySettings: Hashable, Sendable {
    /// Where the record of version *v* has the id *v*.
    let space: Space
    var limit: HistoryLimit
    /// The oldest version that has a record; all later ones have one.
    var first: UInt64

    static let address = BlobAddress(space: .root, id: 3)

    func address(of version: UInt64) -> BlobAddress {
        BlobAddress(space: space, id: Int64(version))
    }

    // MARK: - Coding

    func encoded() -> BlobBuffer {
        var writer = ByteWriter()
        writer.append(space.number)
        switch limit {
        case .unlimited:
            writer.append(UInt8(0))
            writer.append(UInt64(0))
        case .commits(let count):
            writer.append(UInt8(1))
            writer.append(count)
        case .seconds(let count):
            writer.append(UInt8(2))
            writer.append(count)
        }
        writer.append(first)
        return writer.blob()
    }

    init(space: Space, limit: HistoryLimit, first: UInt64) {
        self.space = space
        self.limit = limit
        self.first = first
    }

    /// - Precondition: `buffer` is kept by the caller.
    init(_ buffer: BlobBuffer, damage: StorageError) throws(StorageError) {
        var reader = ByteReader(buffer.payloadBytes, damage: damage)
        space = Space(try reader.int(below: 1 << 40))
        let kind = try reader.byte()
        let count = try reader.unsigned()
        switch kind {
        case 0: limit = .unlimited
        case 1: limit = .commits(count)
        case 2: limit = .seconds(count)
        default: throw damage
        }
        first = UInt64(try reader.int(below: 1 << 60))
    }
}
