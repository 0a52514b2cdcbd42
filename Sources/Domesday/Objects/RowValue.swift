import Foundation

/// A value that takes one column of one row and leads to no other object.
///
/// Its `store` and the closures in ``FieldMover`` are compiled for each conforming type, so that
/// adding an object asks no wrapper for its metadata.
///
/// **Threads.** As the row writer.
protocol RowValue {
    static func store(_ value: Self, _ row: RowWriter, _ column: Int) throws(StorageError)
}

extension RowValue where Self: FixedWidthInteger & SignedInteger {
    @inline(__always)
    static func store(_ value: Self, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setInt(Int64(value), column)
    }
}

extension Int: RowValue {}
extension Int8: RowValue {}
extension Int16: RowValue {}
extension Int32: RowValue {}
extension Int64: RowValue {}

extension Bool: RowValue {
    @inline(__always)
    static func store(_ value: Bool, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setInt(value ? 1 : 0, column)
    }
}

extension Float: RowValue {
    @inline(__always)
    static func store(_ value: Float, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setFloat(value, column)
    }
}

extension Double: RowValue {
    @inline(__always)
    static func store(_ value: Double, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setDouble(value, column)
    }
}

extension Date: RowValue {
    @inline(__always)
    static func store(_ value: Date, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setDouble(value.timeIntervalSinceReferenceDate, column)
    }
}

extension String: RowValue {
    @inline(__always)
    static func store(_ value: String, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try row.setText(value, column)
    }
}

extension Data: RowValue {
    static func store(_ value: Data, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try withBytes(of: value) { (bytes) throws(StorageError) in
            try row.setBytes(bytes, column)
        }
    }

    private static func withBytes(
        of value: Data,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        // `withUnsafeBytes` knows no typed errors.
        let result = value.withUnsafeBytes { bytes -> Result<Void, StorageError> in
            do throws(StorageError) { return .success(try body(bytes)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

extension UUID: RowValue {
    @inline(__always)
    static func store(_ value: UUID, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try withUnsafeBytes(of: value.uuid) { (bytes) throws(StorageError) in
            try row.setBytes(bytes, column)
        }
    }
}

extension ObjectId: RowValue {
    static func store(_ value: ObjectId, _ row: RowWriter, _ column: Int) throws(StorageError) {
        try value.withStoredBytes { (bytes) throws(StorageError) in
            try row.setBytes(bytes, column)
        }
    }

    /// As `withUnsafeBytes`, for a body whose errors have a type.
    func withStoredBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let result = withUnsafeBytes { bytes -> Result<R, StorageError> in
            do throws(StorageError) { return .success(try body(bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Moves the value of a `@Persisted` wrapper into a column: one for each type of value.
///
/// **Threads.** Immutable; used where the row writer may be.
struct FieldMover: Sendable {
    /// Writes the value to the column and leaves the wrapper empty, also when it throws.
    ///
    /// - Precondition: the slot holds a `Persisted` of the type the mover was asked for.
    let move: @Sendable (UnsafeMutableRawPointer, RowWriter, Int) throws(StorageError) -> Void

    /// The mover of a property's type; nil for types that are not here: enums, links, collections.
    static func of(_ type: Any.Type) -> FieldMover? { movers[ObjectIdentifier(type)] }

    private static let movers: [ObjectIdentifier: FieldMover] = {
        var movers: [ObjectIdentifier: FieldMover] = [:]
        movers.enter(Int.self)
        movers.enter(Int8.self)
        movers.enter(Int16.self)
        movers.enter(Int32.self)
        movers.enter(Int64.self)
        movers.enter(Bool.self)
        movers.enter(Float.self)
        movers.enter(Double.self)
        movers.enter(Date.self)
        movers.enter(String.self)
        movers.enter(Data.self)
        movers.enter(UUID.self)
        movers.enter(ObjectId.self)
        movers.enter(Decimal128.self)
        return movers
    }()
}

extension [ObjectIdentifier: FieldMover] {
    /// The movers of a type and of its optional.
    @inline(__always)
    fileprivate mutating func enter<Stored: RowValue & Sendable>(_ type: Stored.Type) {
        self[ObjectIdentifier(type)] = FieldMover {
            (slot, row, column) throws(StorageError) in
            // SAFETY: `Persisted<Stored>` is an `Optional<Stored>` and nothing else.
            let slot = slot.assumingMemoryBound(to: Stored?.self)
            let value = slot.move()
            slot.initialize(to: nil)
            if let value { try Stored.store(value, row, column) }
        }
        self[ObjectIdentifier(Stored?.self)] = FieldMover {
            (slot, row, column) throws(StorageError) in
            // SAFETY: as above, for `Persisted<Stored?>`.
            let slot = slot.assumingMemoryBound(to: Stored??.self)
            let value = slot.move()
            slot.initialize(to: .none)
            switch value {
            case .none: break
            case .some(.some(let value)): try Stored.store(value, row, column)
            case .some(.none): if !row.isNew { try row.setNil(column) }
            }
        }
    }
}
