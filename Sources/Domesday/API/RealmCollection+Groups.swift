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
    /// From what the database gives: Int, Double, Date or nil.
    let value: (Any?) -> Value

    init(_ operation: Aggregate?, _ keyPath: String, _ value: @escaping (Any?) -> Value) {
        self.operation = operation
        self.keyPath = keyPath
        self.value = value
    }

    private static func converted<T: _Persistable>(_ value: Any?) -> T? {
        value.flatMap { T._convert($0) }
    }
}

extension GroupFigure where Value == Int {
    /// How many objects there are.
    public static var count: Self { Self(nil, "") { $0 as? Int ?? 0 } }
}

extension GroupFigure where Value: AddableType & _Persistable {
    /// The sum of a property's values, 0 if there are none.
    public static func sum(_ keyPath: Swift.KeyPath<Element, Value>) -> Self {
        Self(.sum, QueryTrap.name(of: keyPath)) { converted($0) ?? Value._rlmDefaultValue() }
    }

    /// The sum of a property's values, 0 if there are none.
    public static func sum(_ keyPath: Swift.KeyPath<Element, Value?>) -> Self {
        Self(.sum, QueryTrap.name(of: keyPath)) { converted($0) ?? Value._rlmDefaultValue() }
    }
}

extension GroupFigure {
    /// The least value of a property; nil if there is none.
    public static func min<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self where Value == T? {
        Self(.min, QueryTrap.name(of: keyPath)) { converted($0) }
    }

    /// The least value of a property; nil if there is none.
    public static func min<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self where Value == T? {
        Self(.min, QueryTrap.name(of: keyPath)) { converted($0) }
    }

    /// The greatest value of a property; nil if there is none.
    public static func max<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self where Value == T? {
        Self(.max, QueryTrap.name(of: keyPath)) { converted($0) }
    }

    /// The greatest value of a property; nil if there is none.
    public static func max<T: MinMaxType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self where Value == T? {
        Self(.max, QueryTrap.name(of: keyPath)) { converted($0) }
    }
}

extension GroupFigure where Value == Double? {
    /// The average of a property's values that are not nil; nil if there are none.
    public static func average<T: AddableType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T>
    ) -> Self {
        Self(.average, QueryTrap.name(of: keyPath)) { $0 as? Double }
    }

    /// The average of a property's values that are not nil; nil if there are none.
    public static func average<T: AddableType & _Persistable>(
        _ keyPath: Swift.KeyPath<Element, T?>
    ) -> Self {
        Self(.average, QueryTrap.name(of: keyPath)) { $0 as? Double }
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
    ///   ..."; integers whose sum is in the range of Int.
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
