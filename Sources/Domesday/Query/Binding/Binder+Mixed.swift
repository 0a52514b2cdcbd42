import Foundation

extension Binder {
    /// A constant as a decimal: numbers, and texts that write one.
    static func decimal(_ constant: Any) -> QueryValue? {
        switch constant {
        case let value as any QueryConstant: .decimal(value.queryConstant)
        case is Bool: nil
        case let value as Int64: .decimal(DecimalNumber(value))
        case let value as Double: .decimal(DecimalNumber(value))
        case let value as Decimal: DecimalNumber(value.description).map { .decimal($0) }
        case let value as String: DecimalNumber(value).map { .decimal($0) }
        case let value as NSNumber: DecimalNumber("\(value)").map { .decimal($0) }
        default: nil
        }
    }

    /// A constant as a value of any type; nil for what no such value can be.
    static func mixed(_ constant: Any) -> MixedValue? {
        switch constant {
        case let value as Bool: .bool(value)
        case let value as Int64: .int(value)
        case let value as Double: .double(value)
        case let value as any QueryConstant: .decimal(value.queryConstant)
        case let value as String: .string(Array(value.utf8))
        case let value as Data: .data(Array(value))
        case let value as Date: .date(value.timeIntervalSinceReferenceDate)
        case let value as any FixedBytesValue:
            type(of: value).fixedType == .uuid
                ? .uuid(value.fixedBytes) : .objectId(value.fixedBytes)
        case is Decimal, is NSNumber: decimal(constant).flatMap { $0.decimal.map { .decimal($0) } }
        default: nil
        }
    }

    /// An object as a value of any type.
    func link(to object: any QueryObject, _ offset: Int) throws(QueryError) -> MixedValue {
        guard let reference = object.queryReference, reference.reader === table.reader.reader else {
            throw QueryError("Object must be from the Realm being queried", at: offset)
        }
        return .link(MixedLink(table: reference.table, key: reference.key))
    }
}
