/// The number of an object within its table: ascending from 1, never reused.
@usableFromInline typealias ObjectKey = Int64

/// The number of a table within a store, stable over renames, never reused.
typealias TableID = Int

/// What a column's values are, as recorded in the store's schema.
///
/// Raw values are part of the file format.
enum ColumnType: UInt8, Hashable, Sendable, CaseIterable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    /// Seconds since 2001-01-01 UTC as a Double, bit for bit.
    case date = 5
    case string = 6
    case data = 7
    case uuid = 8
    case objectId = 9
    /// A to-one link: the target's key, 0 for none.
    case link = 10
    /// A decimal of 34 digits: 16 bytes, IEEE 754 decimal128 in binary integer encoding.
    case decimal = 11
    /// A value of any type, as ``MixedValue`` encodes it; no bytes at all for none.
    case mixed = 12

    /// How the values lie inside a cluster.
    var kind: ColumnKind {
        switch self {
        case .bool, .int, .link: .int
        case .float: .float
        case .double, .date: .double
        case .uuid, .objectId, .decimal: .fixed
        case .string, .data, .mixed: .bytes
        }
    }

    /// Bytes of one value as a list element or fixed column; 0 where values differ in length.
    var byteCount: Int {
        switch self {
        case .bool: 1
        case .float: 4
        case .int, .double, .date, .link: 8
        case .objectId: 12
        case .uuid, .decimal: 16
        case .string, .data, .mixed: 0
        }
    }
}

/// Whether a column holds one value or a collection of them per object.
///
/// Raw values are part of the file format.
enum CollectionShape: UInt8, Hashable, Sendable {
    case none = 0
    case list = 1
    case set = 2
    case map = 3
}

/// One column of a table as recorded in the store.
struct ColumnDefinition: Hashable, Sendable {
    /// The position in the table's list of columns and in every cluster's directory. Never reused:
    /// a removed column leaves its number behind.
    let id: Int
    var name: String
    var type: ColumnType
    var shape: CollectionShape
    /// Whether nil is a value: of the column, or of its elements if it is a collection.
    var isOptional: Bool
    var isIndexed: Bool
    var isPrimaryKey: Bool
    var isRemoved: Bool
    /// The table that links lead to.
    var target: TableID?
    /// Whether the words of its text are indexed.
    var isFullText = false
    /// Whether no two objects may have its value, or of a compound index all its values; nil is
    /// like nothing.
    var isUnique = false
    /// Of a compound index, which is a column without values of its own: the columns whose values
    /// it holds. Empty for all other columns.
    var components: [Int] = []
    /// What becomes of the objects it links to when its object is deleted.
    var rule = LinkRule.nullify
    /// What becomes of its object when one that it links to is deleted.
    var backwardRule = LinkRule.nullify

    /// The same as a new column with an id of its own.
    func numbered(_ id: Int) -> ColumnDefinition {
        var column = ColumnDefinition(
            id: id,
            name: name,
            type: type,
            shape: shape,
            isOptional: isOptional,
            isIndexed: isIndexed,
            isPrimaryKey: isPrimaryKey,
            isRemoved: false,
            target: target
        )
        column.isFullText = isFullText
        column.isUnique = isUnique
        column.components = components
        column.rule = rule
        column.backwardRule = backwardRule
        return column
    }

    /// Whether it is a compound index.
    var isCompound: Bool { !components.isEmpty }

    /// How the column lies inside a cluster.
    var kind: ColumnKind {
        if isRemoved || isCompound { return .absent }
        return shape == .none ? type.kind : .bytes
    }

    /// Whether its values lead to objects of `target`.
    var isLink: Bool { type == .link && !isRemoved }

    /// Whether its values may lead to objects of any table.
    var isMixed: Bool { type == .mixed && !isRemoved }

    /// Whether it has an index of its values or of what they lead to.
    var hasIndex: Bool { entersIndex || isLink || isMixed || entersWords }

    /// Whether each object has an entry in an index for each word of its text.
    var entersWords: Bool { isFullText && type == .string && shape == .none && !isRemoved }
}

/// One table of the store: a class and its columns.
struct TableDefinition: Hashable, Sendable {
    let id: TableID
    var name: String
    var isEmbedded: Bool
    var isRemoved: Bool
    /// By column id.
    var columns: [ColumnDefinition]

    /// The column of that name, removed ones and compound indexes aside. O(columns).
    func column(named name: String) -> ColumnDefinition? {
        columns.first { $0.name == name && !$0.isRemoved && !$0.isCompound }
    }

    var primaryKey: ColumnDefinition? { columns.first { $0.isPrimaryKey && !$0.isRemoved } }
}

/// What a writer asks of a column at each value: no names, nothing to retain.
struct ColumnTraits: Hashable, Sendable {
    let kind: ColumnKind
    let entersIndex: Bool
    let isLink: Bool
    let isMixed: Bool
    let isOptional: Bool
    let entersWords: Bool
    /// Whether its values stand in a compound index.
    let isComponent: Bool

    init(_ column: ColumnDefinition, isComponent: Bool) {
        self.isComponent = isComponent
        entersWords = column.entersWords
        isMixed = column.isMixed
        kind = column.kind
        entersIndex = column.entersIndex
        isLink = column.isLink
        isOptional = column.isOptional
    }
}
