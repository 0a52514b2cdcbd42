import PredicateLanguage

// Figures of collections of scalars: their elements are the values. nil is left out.

extension RealmCollection where Element: MinMaxType {
    /// The least element; nil if there is none.
    ///
    /// NaN has no place in an order and is left out.
    ///
    /// - Complexity: O(*n*).
    public func min() -> Element? { figure(.min) }

    /// The greatest element; nil if there is none.
    ///
    /// NaN has no place in an order and is left out.
    ///
    /// - Complexity: O(*n*).
    public func max() -> Element? { figure(.max) }
}

extension RealmCollection where Element: AddableType {
    /// The sum of the elements, 0 if there are none.
    ///
    /// - Precondition: a sum of integers is in the range of Int.
    /// - Complexity: O(*n*).
    public func sum() -> Element { figure(.sum) ?? Element._rlmDefaultValue() }

    /// The average of the elements that are not nil; nil if there are none.
    ///
    /// - Complexity: O(*n*).
    public func average<T: _Persistable>() -> T? {
        figure(.average)
    }
}

extension RealmCollection where Element: RealmCollectionValue {
    private func figure<T: _Persistable>(_ operation: Aggregate) -> T? {
        let sums = elementSums()
        if operation == .sum, sums.isIntegerOverflown {
            fatalError("The sum of a collection of '\(Element.self)' is beyond the range of Int.")
        }
        return QueryTrap.figure(
            sums.plainResult(operation, in: realm?.state),
            "The \(operation.word) of a collection of '\(Element.self)'"
        )
    }

    private func elementSums() -> AggregateSums {
        let type = ValueType(type: Element._shape.type.columnType ?? .int, isOptional: true)
        var sums = AggregateSums(type)
        for element in self {
            guard case .value(let value?) = PredicateLanguage.Expression(normalizing: element),
                let number = Binder.convert(value, type)
            else { continue }
            sums.add(number)
        }
        return sums
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
