/// A class as queries see it: its names, and the table behind them.
///
/// **Threads.** As its reader's.
protocol QueryTable: AnyObject {
    var className: String { get }
    var tableID: TableID { get }
    /// The class of some name in the same store; nil if there is none.
    func queryTable(named className: String) -> (any QueryTable)?
    /// The name of its primary key's property; nil if it has none.
    var primaryKeyName: String? { get }
    /// All property names, for suggestions.
    var propertyNames: [String] { get }
    /// The name of a column's property, which may be another one than the column's.
    func propertyName(ofColumn column: Int) -> String
    /// What a name, as written in Swift or in the store, stands for.
    func queryProperty(named name: String) -> QueryProperty?
    /// The way back from objects of this class to those whose property links to them; nil unless
    /// the class has such a property.
    func backlinks(from className: String, property: String) -> BoundHop?
    /// The ways back through all properties of all classes that can link to objects of this class.
    var allBacklinks: [BoundHop] { get }
    /// The table as its Realm sees it now.
    var reader: TableReader { get }
}

/// A property, as far as queries tell properties apart.
enum QueryProperty {
    case value(column: Int, ValueType)
    /// A list of values.
    case values(column: Int, ValueType)
    /// To-one, embedded objects included.
    case link(column: Int, target: any QueryTable)
    /// A list of objects.
    case links(column: Int, target: any QueryTable)
    /// The objects of `origin` whose column leads here.
    case backlinks(origin: any QueryTable, column: Int)
}

/// The type of a property's value, or of a list's elements.
struct ValueType: Hashable {
    let type: ColumnType
    let isOptional: Bool

    /// The name that messages use.
    var description: String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .date: "date"
        case .string: "string"
        case .data: "data"
        case .uuid: "uuid"
        case .objectId: "object id"
        case .link: "object"
        case .decimal: "decimal128"
        case .mixed: "mixed"
        }
    }

    /// Whether values are compared as numbers with each other.
    var isNumeric: Bool {
        switch type {
        case .bool, .int, .float, .double, .decimal: true
        default: false
        }
    }

    /// Whether values may be compared as text or data.
    var hasText: Bool { isBytes || type == .mixed }

    /// Whether values are byte strings of any length.
    var isBytes: Bool { type == .string || type == .data }
}

/// An object that a predicate's argument stands for.
///
/// Objects of the layer above conform, so that queries need not know them.
protocol QueryObject {
    /// Where the object is stored; nil if it is not managed, or gone.
    var queryReference: QueryReference? { get }
}

struct QueryReference {
    let reader: StoreReader
    let table: TableID
    let key: ObjectKey
}
