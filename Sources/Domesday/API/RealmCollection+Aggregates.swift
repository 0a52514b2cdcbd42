extension RealmCollection {
    /// The least value of a property; nil if there is none.
    ///
    /// - Precondition: a property of numbers or dates: "Operation 'min' not supported ...".
    /// - Complexity: O(*n*), over the column.
    public func min<T: MinMaxType & _Persistable>(ofProperty property: String) -> T? {
        aggregate(.min, property)
    }

    /// The greatest value of a property; nil if there is none.
    ///
    /// - Precondition: as `min`.
    public func max<T: MinMaxType & _Persistable>(ofProperty property: String) -> T? {
        aggregate(.max, property)
    }

    /// The sum of a property's values, 0 if there are none.
    ///
    /// - Precondition: a property of numbers; integers whose sum is in the range of Int.
    public func sum<T: AddableType & _Persistable>(ofProperty property: String) -> T {
        total(property)
    }

    /// The average of a property's values that are not nil; nil if there are none.
    ///
    /// An average that is asked for as an integer is rounded toward zero.
    ///
    /// - Precondition: a property of numbers.
    public func average<T: AddableType & _Persistable>(ofProperty property: String) -> T? {
        aggregate(.average, property)
    }

    fileprivate func total<T: AddableType & _Persistable>(_ property: String) -> T {
        guard let sum: T = aggregate(.sum, property) else { return T._rlmDefaultValue() }
        return sum
    }

    fileprivate func aggregate<T: _Persistable>(_ operation: Aggregate, _ property: String) -> T? {
        let value: Any?
        do throws(QueryError) {
            value = try _query.objects.aggregate(operation, property)
        } catch { fatalError("\(error)") }
        return QueryTrap.figure(value, "The \(operation.word) of '\(property)'")
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The least value of a property; nil if there is none.
    public func min<T: MinMaxType & _Persistable>(of keyPath: Swift.KeyPath<Element, T>) -> T? {
        aggregate(.min, QueryTrap.name(of: keyPath))
    }

    /// The least value of a property; nil if there is none.
    public func min<T: MinMaxType & _Persistable>(of keyPath: Swift.KeyPath<Element, T?>) -> T? {
        aggregate(.min, QueryTrap.name(of: keyPath))
    }

    /// The greatest value of a property; nil if there is none.
    public func max<T: MinMaxType & _Persistable>(of keyPath: Swift.KeyPath<Element, T>) -> T? {
        aggregate(.max, QueryTrap.name(of: keyPath))
    }

    /// The greatest value of a property; nil if there is none.
    public func max<T: MinMaxType & _Persistable>(of keyPath: Swift.KeyPath<Element, T?>) -> T? {
        aggregate(.max, QueryTrap.name(of: keyPath))
    }

    /// The sum of a property's values, 0 if there are none.
    public func sum<T: AddableType & _Persistable>(of keyPath: Swift.KeyPath<Element, T>) -> T {
        total(QueryTrap.name(of: keyPath))
    }

    /// The sum of a property's values, 0 if there are none.
    public func sum<T: AddableType & _Persistable>(of keyPath: Swift.KeyPath<Element, T?>) -> T {
        total(QueryTrap.name(of: keyPath))
    }

    /// The average of a property's values that are not nil; nil if there are none.
    public func average<T: AddableType & _Persistable>(
        of keyPath: Swift.KeyPath<Element, T>
    ) -> T? {
        aggregate(.average, QueryTrap.name(of: keyPath))
    }

    /// The average of a property's values that are not nil; nil if there are none.
    public func average<T: AddableType & _Persistable>(
        of keyPath: Swift.KeyPath<Element, T?>
    ) -> T? {
        aggregate(.average, QueryTrap.name(of: keyPath))
    }
}

extension QueryTrap {
    /// A figure as the type that is asked for; nil if there is none.
    ///
    /// An average that is asked for as an integer is rounded toward zero. Traps if the type cannot
    /// hold it.
    static func figure<T: _Persistable>(_ value: Any?, _ subject: @autoclosure () -> String) -> T? {
        guard let value else { return nil }
        if let converted = T._convert(value) { return converted }
        if let number = value as? Double, let whole = Int64(exactly: number.rounded(.towardZero)),
            let converted = T._convert(Int(whole))
        {
            return converted
        }
        fatalError("\(subject()) is \(value), which is no '\(T.self)'.")
    }
}
