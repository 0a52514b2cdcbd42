/// What becomes of the objects of a relation when the object that has it is deleted.
///
/// ```swift
/// class Owner: Object {
///     @Persisted(deleteRule: .cascade) var dogs: List<Dog>    // go with their owner
///     @Persisted(deleteRule: .deny) var debts: List<Debt>     // must be gone first
/// }
/// class Country: Object {
///     // As long as a city links here, a country cannot be deleted.
///     @Persisted(originProperty: "country", deleteRule: .deny) var cities: LinkingObjects<City>
/// }
/// ```
///
/// Rules hold for links, lists, sets, maps and linking objects, and for every delete but `deleteAll`;
/// all that goes is deleted at once, cycles included. Taking an object out of a relation deletes
/// nothing, and replacing an embedded object nothing but that one. They are kept in the store.
///
/// **Threads.** A value; any thread.
public enum DeleteRule: Hashable, Sendable {
    /// They stay; links to what is deleted become nil, or leave their collections.
    case nullify
    /// They are deleted as well, by their own rules.
    case cascade
    /// The object is not deleted while there are any that would stay: `delete` traps, `tryDelete`
    /// throws.
    case deny
}

extension DeleteRule {
    init(_ rule: LinkRule) {
        self =
            switch rule {
            case .nullify: .nullify
            case .cascade: .cascade
            case .deny: .deny
            }
    }

    var linkRule: LinkRule {
        switch self {
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }

    @usableFromInline var marks: PropertyMarks {
        switch self {
        case .nullify: []
        case .cascade: .cascade
        case .deny: .deny
        }
    }
}

extension Persisted {
    /// A relation, and what becomes of its objects when the object that has it is deleted.
    @inlinable @inline(__always)
    public init(deleteRule: DeleteRule) {
        self.init(marked: deleteRule.marks, default: Value._rlmDefaultValue())
    }

    /// As `init(deleteRule:)`, with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value, deleteRule: DeleteRule) {
        self.init(marked: deleteRule.marks.union(.hasDefault), default: wrappedValue())
    }
}

extension Persisted where Value: LinkingObjectsProtocol {
    /// The objects that link here through their property of that name, and what becomes of them when
    /// the object that they link to is deleted.
    @inlinable @inline(__always)
    public init(originProperty: String, deleteRule: DeleteRule) {
        self.init(
            marked: deleteRule.marks,
            origin: originProperty,
            default: Value._rlmDefaultValue()
        )
    }
}
