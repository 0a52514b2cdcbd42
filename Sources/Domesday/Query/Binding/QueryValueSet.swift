/// The values on the right side of `IN`, in their order.
///
/// **Threads.** Immutable once made.
struct QueryValueSet: Sequence {
    private let values: [QueryValue]
    /// Texts, which need not be values one by one; they stand in front of `values`.
    private let texts: PackedBytes?
    /// For many values: what they are as members of a set. Empty if one equals values of several
    /// forms: decimals, and those of any type.
    private var members: Set<DistinctValue> = []

    init(_ values: [QueryValue]) {
        self.values = values
        texts = nil
    }

    init(_ list: TextList) {
        let texts = PackedBytes(list)
        self.texts = texts
        values = texts.count < list.texts.count ? [.null] : []
    }

    /// The same values, made ready for `contains`.
    ///
    /// - Complexity: O(*n*).
    func searchable() -> QueryValueSet {
        guard texts != nil || values.count > 8, !values.contains(where: \.isOfManyForms) else {
            return self
        }
        var set = self
        set.members = Set(map(Self.member))
        return set
    }

    func makeIterator() -> AnyIterator<QueryValue> {
        var rest = values.makeIterator()
        guard let texts else { return AnyIterator(rest) }
        var position = 0
        return AnyIterator {
            guard position < texts.count else { return rest.next() }
            defer { position += 1 }
            return .bytes(texts[position])
        }
    }

    /// The texts and other bytes among them.
    var packedBytes: PackedBytes {
        texts
            ?? PackedBytes(
                values.compactMap { value in
                    if case .bytes(let bytes) = value { return bytes }
                    return nil
                }
            )
    }

    /// Whether one of the values equals this one, as in every predicate: nil equals nil, NaN
    /// nothing.
    ///
    /// - Complexity: O(1) beyond a few values, if `searchable` has made the set.
    func contains(_ value: QueryValue) -> Bool {
        if case .double(let number) = value, number.isNaN { return false }
        // No text equals nil.
        if value == .null, texts != nil { return !values.isEmpty }
        guard !members.isEmpty, !value.isOfManyForms else {
            return contains { value.satisfies(.equal, $0) }
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
