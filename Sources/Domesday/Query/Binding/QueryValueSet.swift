/// The values on the right side of `IN`, in their order.
///
/// **Threads.** Immutable once made.
struct QueryValueSet: Sequence {
    private let values: [QueryValue]
    /// For many values: what they are as members of a set. Empty if one equals values of several
    /// forms: decimals, and those of any type.
    private var members: Set<DistinctValue> = []

    init(_ values: [QueryValue]) { self.values = values }

    /// The same values, made ready for `contains`.
    ///
    /// - Complexity: O(*n*).
    func searchable() -> QueryValueSet {
        guard values.count > 8, !values.contains(where: \.isOfManyForms) else { return self }
        var set = self
        set.members = Set(values.map(Self.member))
        return set
    }

    func makeIterator() -> IndexingIterator<[QueryValue]> { values.makeIterator() }

    /// Whether one of the values equals this one, as in every predicate: nil equals nil, NaN
    /// nothing.
    ///
    /// - Complexity: O(1) beyond a few values, if `searchable` has made the set.
    func contains(_ value: QueryValue) -> Bool {
        if case .double(let number) = value, number.isNaN { return false }
        guard !members.isEmpty, !value.isOfManyForms else {
            return values.contains { value.satisfies(.equal, $0) }
        }
        return members.contains(Self.member(value))
    }

    /// Numbers that are equal are one member, whether integers or not.
    private static func member(_ value: QueryValue) -> DistinctValue {
        if case .double(let number) = value, let whole = Int64(exactly: number) {
            return .int(whole)
        }
        return DistinctValue(value)
    }
}
