// Collections of values: numbers, dates, text, identifiers, enums and their optionals. Conditions are
// about the value itself: `filter("self > 3")`, `where { $0 > 3 }`.

extension RealmCollection where Element: SortableType {
    /// The values by size, text and identifiers by their bytes; nil comes first.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        QueryTrap.sorted(_query, ascending)
    }

    /// The first of each value that occurs.
    public func distinct() -> Results<Element> { Results(_query.distinct()) }
}

extension RealmCollection where Element: PersistableEnum {
    /// The values by their raw values.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        QueryTrap.sorted(_query, ascending)
    }

    /// The first of each value that occurs.
    public func distinct() -> Results<Element> { Results(_query.distinct()) }
}

extension RealmCollection where Element: MinMaxType {
    /// The least value; nil if there is none.
    ///
    /// - Complexity: O(*n*).
    public func min() -> Element? { ValueAggregate.figure(.min, of: self) }

    /// The greatest value; nil if there is none.
    ///
    /// - Complexity: O(*n*).
    public func max() -> Element? { ValueAggregate.figure(.max, of: self) }
}

extension RealmCollection
where Element: OptionalProtocol, Element.Wrapped: MinMaxType & _Persistable {
    /// The least value that is not nil; nil if there is none.
    ///
    /// - Complexity: O(*n*).
    public func min() -> Element.Wrapped? { ValueAggregate.figure(.min, of: self) }

    /// The greatest value that is not nil; nil if there is none.
    ///
    /// - Complexity: O(*n*).
    public func max() -> Element.Wrapped? { ValueAggregate.figure(.max, of: self) }
}

extension RealmCollection where Element: AddableType {
    /// The sum of the values, 0 if there are none.
    ///
    /// - Precondition: integers whose sum is in the range of the element's type.
    /// - Complexity: O(*n*).
    public func sum() -> Element { ValueAggregate.sum(of: self) }

    /// The average of the values that are not nil; nil if there are none.
    ///
    /// - Complexity: O(*n*).
    public func average<T: AddableType & _Persistable>() -> T? {
        ValueAggregate.figure(.average, of: self)
    }
}

extension RealmCollection
where Element: OptionalProtocol, Element.Wrapped: AddableType & _Persistable {
    /// The sum of the values that are not nil, 0 if there are none.
    ///
    /// - Precondition: integers whose sum is in the range of the element's type.
    /// - Complexity: O(*n*).
    public func sum() -> Element.Wrapped { ValueAggregate.sum(of: self) }
}

/// The figures of collections of values, managed or not.
enum ValueAggregate {
    /// nil if there is none.
    static func figure<C: RealmCollection, T: _Persistable>(
        _ operation: Aggregate,
        of collection: C
    ) -> T? {
        figure(
            operation,
            sums(of: collection),
            "a collection of '\(C.Element.self)'",
            collection.realm?.state
        )
    }

    static func sum<C: RealmCollection, T: _Persistable>(of collection: C) -> T {
        figure(.sum, of: collection) ?? T._rlmDefaultValue()
    }

    /// A figure as a type; traps if it cannot be one.
    static func figure<T: _Persistable>(
        _ operation: Aggregate,
        _ sums: AggregateSums,
        _ name: String,
        _ realm: RealmState? = nil
    ) -> T? {
        if operation == .sum, sums.isIntegerOverflown {
            fatalError("The sum of \(name) is beyond the range of Int.")
        }
        return QueryTrap.figure(
            sums.plainResult(operation, in: realm),
            "The \(operation.word) of \(name)"
        )
    }

    private static func sums<C: RealmCollection>(of collection: C) -> AggregateSums {
        guard collection.realm != nil || collection.isInvalidated else {
            return unmanaged(Array(collection))
        }
        guard case .values(let query) = collection._query.base else {
            fatalError("Objects are summed up by a property.")
        }
        return query.sums()
    }

    /// The figures of values in memory.
    static func unmanaged<Element: RealmCollectionValue>(_ values: [Element]) -> AggregateSums {
        let shape = Element._shape
        let type = ValueType(type: shape.type.columnType ?? .data, isOptional: shape.isOptional)
        var sums = AggregateSums(type)
        for value in values {
            guard let constant = DynamicConstant.normalized(DynamicValue.unwrapped(value)) else {
                continue
            }
            if let value = Binder.convert(constant, type) { sums.add(value) }
        }
        return sums
    }
}

extension QueryTrap {
    static func sorted<Element>(_ source: _QuerySource, _ ascending: Bool) -> Results<Element> {
        trapping { () throws(Realm.Error) in
            do throws(QueryError) {
                return Results(try source.sorted([("self", ascending)]))
            } catch { throw QueryTrap.error(error) }
        }
    }
}
