/// One side of a comparison, or an element of a list.
///
/// **Shape.** What can be known from the text alone is one `value`: a literal, a substituted
/// argument, and a list of those. Numbers are normalized, so a value is an `Int64`, a `Double`, a
/// `String`, a `Bool`, a `Date`, a `UUID`, `Data`, an ``ObjectIdLiteral``, an ``ObjectLiteral``, a
/// ``LinkLiteral``, `nil`, an `[Any?]` of values, or whatever else the caller passed for `%@`.
package indirect enum Expression {
    /// A literal or a substituted argument, normalized as by ``init(normalizing:)``.
    case value(Any?)
    /// A path from the object that is tested, or from a variable.
    case keyPath(KeyPath)
    /// A `{...}` list in which at least one element is no value.
    case list([Expression])
    /// The objects of `collection` for which `predicate` holds, each in turn being `$variable`.
    ///
    /// `trailing` is what follows the closing parenthesis, usually `.@count`.
    case subquery(
        collection: KeyPath,
        variable: String,
        predicate: PredicateNode,
        trailing: [PathStep]
    )
    /// A calculation with two numbers.
    case arithmetic(ArithmeticOperator, Expression, Expression)
    /// A variable without a path: the element itself in a subquery, or a value given later.
    case variable(String)

    /// Makes a value of what a caller passed.
    ///
    /// Integers that fit become `Int64`, floating-point numbers `Double`, text `String`, nested
    /// optionals and `NSNull` a plain `nil`, arrays and sets an `[Any?]` of the same. Everything
    /// else stays as it is.
    ///
    /// - Complexity: O(*n*), *n* = elements in all nested arrays.
    package init(normalizing argument: Any?) {
        self = .value(Argument.normalized(argument))
    }

    /// Makes a list, or one value if all elements are values.
    package init(list elements: [Expression]) {
        var values: [Any?] = []
        for element in elements {
            guard case .value(let value) = element else {
                self = .list(elements)
                return
            }
            values.append(value)
        }
        self = .value(values)
    }
}
