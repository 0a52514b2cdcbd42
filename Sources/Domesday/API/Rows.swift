/// Some properties of each object of a query, read from the store without making objects.
///
/// ```swift
/// for (name, age) in realm.objects(Person.self).select(\.name, \.age) { ... }
/// ```
///
/// **Shape.** One tuple per object, or one value where a single property was selected. The objects
/// are those present when it was made; reading one that was deleted since traps.
/// **Threads.** The Realm's.
public struct Rows<Row> {
    @usableFromInline let cursor: RowCursor
    @usableFromInline let read: (PropertyPlace, RowColumns) -> Row

    @usableFromInline
    init(_ cursor: RowCursor, _ read: @escaping (PropertyPlace, RowColumns) -> Row) {
        self.cursor = cursor
        self.read = read
    }
}

@available(*, unavailable, message: "rows are confined to their Realm's thread, queue or actor")
extension Rows: Sendable {}

extension Rows: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// How many objects were found.
    public var endIndex: Int { cursor.count }

    /// - Precondition: `0 <= position < count`, and the object still exists.
    /// - Complexity: O(1).
    @inlinable
    public subscript(position: Int) -> Row {
        read(cursor.place(at: position), cursor.columns)
    }

    /// Visits the rows in order.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Visits the rows in order.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline let rows: Rows
        @usableFromInline var position = 0
        /// The end of the run of neighbours that `place` begins.
        @usableFromInline var runEnd = 0
        @usableFromInline var place: PropertyPlace
        /// The Realm's epoch when `place` was found.
        @usableFromInline var epoch: UInt64 = 0

        @inlinable
        init(_ rows: Rows) {
            self.rows = rows
            place = PropertyPlace.nowhere
        }

        /// - Complexity: O(1).
        @inlinable
        public mutating func next() -> Row? {
            if position >= runEnd || place.control.pointee.epoch != epoch {
                guard let end = rows.cursor.run(from: position, &place) else { return nil }
                runEnd = end
                epoch = place.control.pointee.epoch
            } else {
                place = place.next
            }
            position &+= 1
            return rows.read(place, rows.cursor.columns)
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Reads some properties of each object, as tuples, without making objects.
    ///
    /// - Parameter properties: Persisted properties of the class itself: `\.name, \.age`.
    /// - Precondition: each key path names a property; a trap says which does not.
    /// - Complexity: As finding the objects; then about what reading the columns costs.
    @inlinable
    public func select<First: _Persistable, Second: _Persistable, each Rest: _Persistable>(
        _ first: Swift.KeyPath<Element, First>,
        _ second: Swift.KeyPath<Element, Second>,
        _ rest: repeat Swift.KeyPath<Element, each Rest>
    ) -> Rows<(First, Second, repeat each Rest)> {
        var paths: [PartialKeyPath<Element>] = [first, second]
        repeat paths.append(each rest)
        return Rows(_rowCursor(paths)) { place, columns in
            var position = 1
            func read<V: _Persistable>(_ type: V.Type) -> V {
                position &+= 1
                return V._read(place.at(columns[position]))
            }
            return (
                First._read(place.at(columns[0])), Second._read(place.at(columns[1])),
                repeat read((each Rest).self)
            )
        }
    }

    /// Reads one property of each object without making objects.
    ///
    /// - Precondition: a persisted property of the class itself.
    @inlinable
    public func select<Value: _Persistable>(
        _ property: Swift.KeyPath<Element, Value>
    ) -> Rows<Value> {
        Rows(_rowCursor([property])) { place, columns in Value._read(place.at(columns[0])) }
    }

    @usableFromInline
    func _rowCursor(_ paths: [PartialKeyPath<Element>]) -> RowCursor {
        let base = _query.objects
        return RowCursor(
            base,
            paths.map { path in
                let name = QueryTrap.name(of: path)
                guard let property = base.table.schema.property(named: name) else {
                    fatalError(
                        "'\(name)' cannot be selected: it is no property of "
                            + "'\(base.table.schema.name)' itself."
                    )
                }
                return base.table.control.column(at: property.offset)
            }
        )
    }
}
