/// A figure of a group of objects: how many there are, or the sum, least, greatest or average of a
/// property.
///
/// Made by its static members, for ``RealmCollection/grouped(by:_:)``. Not in RealmSwift.
///
/// **Threads.** A value, used where it was made.
public struct GroupFigure<Element: ObjectBase, Value> {
    /// nil counts.
    let operation: Aggregate?
    let keyPath: String
    /// From what the database gives: Int, Double, Date, Decimal128, a value of any type, or nil.
    let value: (Any?) -> Value

    init(_ operation: Aggregate?, _ keyPath: String, _ value: @escaping (Any?) -> Value) {
        self.operation = operation
        self.keyPath = keyPath
        self.value = value
    }

    /// Of a property, as a `T`; nil if there is none.
    private init<T: _Persistable>(
        _ operation: Aggregate,
        _ keyPath: PartialKeyPath<Element>,
        _ value: @escaping (T?) -> Value
    ) {
        let name = QueryTrap.name(of: keyPath)
        self.init(operation, name) {
            value(QueryTrap.figure($0, "The \(operation.word) of '\(name)' in a group"))
        }
    }
}

extension GroupFigure where Value == Int {
    /// How many objects there are.
    public static var count: Self { Self(nil, "") { $0 as? Int ?? 0 } }
}

extension GroupFigure where Value: AddableType & _Persistable {
    /// The sum of a property's values, 0 if there are none.
    public static func sum(_ keyPath: Swift.KeyPath<Element, Value>) -> Self { total(keyPath) }

    /// The sum of a property's values, 0 if there are none.
    public static func sum(_ keyPath: Swift.KeyPath<Element, Value?>) -> Self { total(keyPath) }

    private static func total(_ keyPath: PartialKeyPath<Element>) -> Self {
        Self(.sum, keyPath) { (sum: Value?) in sum ?? Value._rlmDefaultValue() }
    }
}

extension GroupFigure {
    /// The least value of a property; nil if there is none.
    public static func min<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self where Value == T? { Self(.min, keyPath) { $0 } }

    /// The least value of a property; nil if there is none.
    public static func min<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self where Value == T? { Self(.min, keyPath) { $0 } }

    /// The greatest value of a property; nil if there is none.
    public static func max<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self where Value == T? { Self(.max, keyPath) { $0 } }

    /// The greatest value of a property; nil if there is none.
    public static func max<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self where Value == T? { Self(.max, keyPath) { $0 } }
}

extension GroupFigure where Value == Double? {
    /// The average of a property's values that are not nil, of decimals the nearest Double; nil if
    /// there are none.
    public static func average<T: AddableType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self { mean(keyPath) }

    /// The average of a property's values that are not nil, of decimals the nearest Double; nil if
    /// there are none.
    public static func average<T: AddableType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self { mean(keyPath) }

    private static func mean(_ keyPath: PartialKeyPath<Element>) -> Self {
        Self(.average, QueryTrap.name(of: keyPath)) { value in
            // Of everything but decimals the average is a Double.
            (value as? Decimal128).map(\.number.double) ?? value as? Double
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Puts objects together that have the same value of a property, and tells figures of each
    /// group.
    ///
    /// ```swift
    /// for (city, count, oldest) in people.grouped(by: \.city, .count, .max(\.age)) { ... }
    /// let totals = orders.filter("paid == true").grouped(by: \.customer?.name, .sum(\.total))
    /// let cities = people.grouped(by: \.city)        // the values alone
    /// ```
    ///
    /// Not in RealmSwift.
    ///
    /// **Shape.** One tuple per group: the value, then the figures as given. Ascending by the
    /// value, nil first; text by its bytes, links by when their objects were added. It is computed
    /// at the call and does not change later.
    ///
    /// - Parameters:
    ///   - keyPath: A property or a link, which may be reached over to-one links.
    ///   - figures: `.count`, `.sum(\.x)`, `.min(\.x)`, `.max(\.x)`, `.average(\.x)`.
    /// - Precondition: the properties hold what can be summed up: "Operation 'sum' not supported
    ///   ..."; sums are in the range of the property's type.
    /// - Complexity: O(*n*), one pass over the objects; an accessor for each group.
    public func grouped<Key, each Value>(
        by keyPath: Swift.KeyPath<Element, Key>,
        _ figures: repeat GroupFigure<Element, each Value>
    ) -> [(Key, repeat each Value)] {
        var asked: [(Aggregate?, String)] = []
        repeat asked.append(((each figures).operation, (each figures).keyPath))
        let base = _query.objects
        let groups = QueryTrap.trapping { () throws(Realm.Error) in
            do throws(QueryError) {
                return try base.groups(by: QueryTrap.name(of: keyPath), asked)
            } catch { throw QueryTrap.error(error) }
        }
        return groups.map { group in
            guard let element = group.first as? Element else {
                fatalError("The first object of a group is no '\(Element.self)'.")
            }
            var position = -1
            func next<V>(_ figure: GroupFigure<Element, V>) -> V {
                position += 1
                return figure.value(group.figures[position])
            }
            return (element[keyPath: keyPath], repeat next(each figures))
        }
    }
}
