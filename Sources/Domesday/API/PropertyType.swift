/// The type of a property, or of the elements of a collection property.
///
/// **Threads.** A value; any thread.
public enum PropertyType: Int, Hashable, Sendable, CustomStringConvertible {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case any = 9
    case objectId = 10
    case decimal128 = 11
    case UUID = 12

    /// The name used in messages: `int`, `string`, `object`, `linking objects`, ...
    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }

    /// How such values are stored; nil where nothing is.
    var columnType: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .date
        case .float: .float
        case .double: .double
        case .object: .link
        case .objectId: .objectId
        case .UUID: .uuid
        case .decimal128: .decimal
        case .any: .mixed
        case .linkingObjects: nil
        }
    }
}
