public import Foundation

// Conditions, order and figures are about the values; the keys take no part.
extension Map {
    private var results: Results<Value> { Results(_query) }

    /// The values that a text in the language of `NSPredicate` holds for.
    ///
    /// - Precondition: the map is managed; the text is right.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        QueryTrap.trapping { () throws(Realm.Error) in
            try results.narrowed(predicateFormat, args)
        }
    }

    /// The values that a predicate made by `NSPredicate(format:)` holds for.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { results.filter(predicate) }

    /// The values that a condition written in Swift holds for.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results.where(isIncluded)
    }

    /// The values that are objects, sorted by a property; values that are not, by `"self"`.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The values sorted by the first descriptor, equals by the next, and so on.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Element == SortDescriptor {
        results.sorted(by: sortDescriptors)
    }

    /// The least value of a property of the objects; nil if there is none.
    public func min<T: MinMaxType & _Persistable>(ofProperty property: String) -> T? {
        results.min(ofProperty: property)
    }

    /// The greatest value of a property of the objects; nil if there is none.
    public func max<T: MinMaxType & _Persistable>(ofProperty property: String) -> T? {
        results.max(ofProperty: property)
    }

    /// The sum of a property of the objects, 0 if there are none.
    public func sum<T: AddableType & _Persistable>(ofProperty property: String) -> T {
        results.sum(ofProperty: property)
    }

    /// The average of a property of the objects that is not nil; nil if there are none.
    public func average<T: AddableType & _Persistable>(ofProperty property: String) -> T? {
        results.average(ofProperty: property)
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The objects sorted by a property.
    public func sorted<T: SortableType>(
        by keyPath: Swift.KeyPath<Value.Wrapped, T>,
        ascending: Bool = true
    ) -> Results<Value> {
        sorted(byKeyPath: QueryTrap.name(of: keyPath), ascending: ascending)
    }

    /// The least value of a property of the objects; nil if there is none.
    public func min<T: MinMaxType & _Persistable>(
        of keyPath: Swift.KeyPath<Value.Wrapped, T>
    ) -> T? {
        min(ofProperty: QueryTrap.name(of: keyPath))
    }

    /// The greatest value of a property of the objects; nil if there is none.
    public func max<T: MinMaxType & _Persistable>(
        of keyPath: Swift.KeyPath<Value.Wrapped, T>
    ) -> T? {
        max(ofProperty: QueryTrap.name(of: keyPath))
    }

    /// The sum of a property of the objects, 0 if there are none.
    public func sum<T: AddableType & _Persistable>(
        of keyPath: Swift.KeyPath<Value.Wrapped, T>
    ) -> T {
        sum(ofProperty: QueryTrap.name(of: keyPath))
    }

    /// The average of a property of the objects; nil if there are none.
    public func average<T: AddableType & _Persistable>(
        of keyPath: Swift.KeyPath<Value.Wrapped, T>
    ) -> T? {
        average(ofProperty: QueryTrap.name(of: keyPath))
    }
}

extension Map {
    private func figure<T: _Persistable>(_ operation: Aggregate) -> T? {
        ValueAggregate.figure(operation, sums, "a map of '\(Value.self)'", realm?.state)
    }

    private var sums: AggregateSums {
        guard isManaged, case .values(let query) = _query.base else {
            return ValueAggregate.unmanaged(values)
        }
        return query.sums()
    }
}

extension Map where Value: SortableType {
    /// The values by size, text and identifiers by their bytes; nil comes first.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        QueryTrap.sorted(_query, ascending)
    }

    /// The first of each value that occurs.
    public func distinct() -> Results<Value> { Results(_query.distinct()) }
}

extension Map where Value: MinMaxType & _Persistable {
    /// The least value; nil if there is none.
    public func min() -> Value? { figure(.min) }
    /// The greatest value; nil if there is none.
    public func max() -> Value? { figure(.max) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: MinMaxType & _Persistable {
    /// The least value that is not nil; nil if there is none.
    public func min() -> Value.Wrapped? { figure(.min) }
    /// The greatest value that is not nil; nil if there is none.
    public func max() -> Value.Wrapped? { figure(.max) }
}

extension Map where Value: AddableType & _Persistable {
    /// The sum of the values, 0 if there are none.
    public func sum() -> Value { figure(.sum) ?? Value._rlmDefaultValue() }
    /// The average of the values that are not nil; nil if there are none.
    public func average<T: AddableType & _Persistable>() -> T? { figure(.average) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: AddableType & _Persistable {
    /// The sum of the values that are not nil, 0 if there are none.
    public func sum() -> Value.Wrapped { figure(.sum) ?? Value.Wrapped._rlmDefaultValue() }
}
