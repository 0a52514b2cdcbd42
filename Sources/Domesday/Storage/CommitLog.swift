/// Where small commits are written: not each changed blob, which would be a page or two of SQLite
/// each, but what has changed in all of them, side by side.
///
/// A record says how the blobs of one commit follow from what the store held before it (see
/// ``BlobDelta``). Records stand one behind the other in rows of one SQLite page each, so that a
/// small commit is one page. Before the rows are full, a commit writes the blobs themselves, which
/// empties the log: it is *folded*.
///
/// **Shape.** Rows are blobs of one stored size in a space of their own, ids from 0 up to `rowCount`.
/// Payload: epoch (u64), bytes in use (u32), zero (u32), then so many bytes of records. A fold counts
/// the epoch up in row 0, after which rows of another epoch hold nothing. A row is followed by
/// another when it is full, and in use only when its predecessor is. The row behind one in use always
/// exists, so that one that is missing is known to be damage.
///
/// Record: a varint of blobs; for each the varint of its space, the zigzag varint of its id, a varint
/// of its stored bytes over `BlobBuffer.quantum`, and its delta.
///
/// **Threads.** A value; the writer's.
struct CommitLog {
    static let space = Space(-1)
    /// Rows at most.
    static let rowCount = 256
    /// As large as the page of one row allows with sizes that are multiples of the quantum.
    static let payloadByteCount = 3792
    private static let headerByteCount = 16
    private static let rowCapacity = payloadByteCount - headerByteCount

    /// A row to be written.
    typealias Row = (id: Int64, blob: BlobBuffer)

    private(set) var epoch: UInt64
    /// The row that is being filled, and the records in it.
    private var row = 0
    private var bytes: [UInt8] = []
    /// Rows known to exist.
    private var existingRowCount = 1

    /// Whether no record is in use.
    var isEmpty: Bool { row == 0 && bytes.isEmpty }

    /// The row that a new store begins with.
    static func firstRow() -> Row { (0, CommitLog().encoded([])) }

    /// An empty one.
    init() { self.init(epoch: 1) }

    private init(epoch: UInt64) { self.epoch = epoch }

    // MARK: Writing

    /// Adds a record.
    ///
    /// - Returns: The rows to be written; nil, with nothing added, if there is no room for it.
    mutating func append(_ record: [UInt8]) -> [Row]? {
        let room = (Self.rowCount - row) * Self.rowCapacity - bytes.count
        guard record.count <= room, !record.isEmpty else { return nil }
        var rows: [Row] = []
        var rest = record[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.rowCapacity - bytes.count)
            bytes += part
            rest = rest.dropFirst(part.count)
            rows.append((Int64(row), encoded(bytes)))
            if bytes.count == Self.rowCapacity {
                row += 1
                bytes = []
            }
        }
        let next = rows[rows.count - 1].id + 1
        if next < Self.rowCount, existingRowCount <= next {
            rows.append((next, CommitLog(epoch: 0).encoded([])))
            existingRowCount = Int(next) + 1
        }
        return rows
    }

    /// Empties the log.
    ///
    /// - Returns: The row to be written, in the transaction that writes what the log held.
    mutating func fold() -> Row {
        epoch += 1
        row = 0
        bytes = []
        return (0, encoded([]))
    }

    private func encoded(_ bytes: [UInt8]) -> BlobBuffer {
        let blob = BlobBuffer(payloadByteCount: Self.payloadByteCount)
        // SAFETY: the payload has room for the header and a row's capacity of bytes.
        blob.payload.storeBytes(of: epoch.littleEndian, as: UInt64.self)
        blob.payload.storeBytes(
            of: UInt32(bytes.count).littleEndian,
            toByteOffset: 8,
            as: UInt32.self
        )
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                (blob.payload + Self.headerByteCount)
                    .copyMemory(from: start, byteCount: source.count)
            }
        }
        return blob
    }

    // MARK: Reading

    /// Finds the rows in use.
    ///
    /// - Parameter known: The log as it was read or written before.
    /// - Parameter read: The row of an id, verified; nil if there is none.
    /// - Returns: The log, and its records one behind the other: if it goes on from `known`, those that
    ///   were added.
    /// - Throws: What `read` throws; `.damaged` if a row is missing or makes no sense.
    static func read(
        path: String,
        after known: CommitLog? = nil,
        _ read: (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> (log: CommitLog, records: [UInt8], isContinued: Bool) {
        let first = try Self.row(0, path, read)
        let isContinued = known?.epoch == first.epoch
        var log = CommitLog(epoch: first.epoch)
        if isContinued, let known { log = known }
        // What is known already of the first row that is looked at.
        var knownCount = log.bytes.count
        var records: [UInt8] = []
        for id in log.row..<rowCount {
            let row = id == 0 ? first : try Self.row(id, path, read)
            log.existingRowCount = max(log.existingRowCount, id + 1)
            log.row = id
            log.bytes = []
            if row.epoch != log.epoch { break }
            guard row.bytes.count >= knownCount else { throw shrunk(path, id) }
            log.bytes = row.bytes
            records += row.bytes[knownCount...]
            knownCount = 0
            if row.bytes.count < rowCapacity { break }
            if id == rowCount - 1 {
                log.row = rowCount
                log.bytes = []
            }
        }
        return (log, records, isContinued)
    }

    private static func row(
        _ id: Int,
        _ path: String,
        _ read: (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> (epoch: UInt64, bytes: [UInt8]) {
        let address = BlobAddress(space: space, id: Int64(id))
        guard let blob = try read(address) else { throw damage(path, address, "is missing") }
        let payload = blob.payloadBytes
        guard payload.count == payloadByteCount else {
            throw damage(path, address, "has another size")
        }
        let epoch = UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))
        let count = Int(
            UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        )
        guard count <= rowCapacity else { throw damage(path, address, "claims too much") }
        return (epoch, Array(payload[headerByteCount..<(headerByteCount + count)]))
    }

    private static func shrunk(_ path: String, _ id: Int) -> StorageError {
        damage(path, BlobAddress(space: space, id: Int64(id)), "has lost records")
    }

    private static func damage(
        _ path: String,
        _ address: BlobAddress,
        _ detail: String
    ) -> StorageError {
        StorageError(
            .damaged,
            path: path,
            address: address,
            detail: "row of the commit log \(detail)"
        )
    }

    /// What a commit has changed, while it is gathered.
    struct Record {
        /// Above so many bytes a commit writes its blobs themselves.
        static let byteLimit = 8192

        private var writer = ByteWriter(capacity: 512)
        var bytes: [UInt8] { writer.bytes }

        init(blobCount: Int) { writer.append(blobCount) }

        /// Adds a blob that replaces `old`; false if the record becomes too large.
        mutating func append(_ blob: BlobBuffer, at address: BlobAddress, from old: BlobBuffer?)
            -> Bool
        {
            guard blob.byteCount % BlobBuffer.quantum == 0 else { return false }
            writer.append(address.space.number)
            writer.append(zigzag: address.id)
            writer.append(blob.byteCount / BlobBuffer.quantum)
            return BlobDelta.append(blob, from: old, to: &writer, limit: Self.byteLimit)
        }
    }
}
