public import Foundation
import PredicateLanguage

extension RealmCollection {
    // MARK: - Conditions

    /// The objects that a text in the language of `NSPredicate` holds for.
    ///
    /// ```swift
    /// people.filter("age > %d AND ANY dogs.name BEGINSWITH[c] %@", 28, "al")
    /// ```
    ///
    /// - Parameter args: One for each `%`, in order.
    /// - Precondition: the text is right; a trap says what is not, and where. `tryFilter` throws.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        QueryTrap.trapping { () throws(Realm.Error) in try narrowed(predicateFormat, args) }
    }

    /// The objects that a predicate made by `NSPredicate(format:)` holds for.
    ///
    /// - Precondition: as `filter`; block predicates cannot be queried.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        QueryTrap.trapping { () throws(Realm.Error) in
            try narrowed(try QueryTrap.tree(of: predicate))
        }
    }

    /// The objects that a condition written in Swift holds for.
    ///
    /// ```swift
    /// people.where { $0.age > 28 && $0.name.starts(with: "A") }
    /// ```
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        QueryTrap.trapping { () throws(Realm.Error) in
            try narrowed(isIncluded(Query()).predicate)
        }
    }

    func narrowed(_ format: String, _ args: [Any]) throws(Realm.Error) -> Results<Element> {
        let tree: PredicateLanguage.Predicate
        do throws(PredicateSyntaxError) {
            tree = try PredicateParser.parse(
                format,
                arguments: args.map { QueryNode.argument($0) }
            )
        } catch {
            throw Realm.Error(.invalidInput, "\(error)\n\(error.caretDescription)")
        }
        return try narrowed(tree, in: format)
    }

    fileprivate func narrowed(
        _ tree: PredicateLanguage.Predicate,
        in format: String? = nil
    ) throws(Realm.Error) -> Results<Element> {
        do throws(QueryError) { return Results(try _query.filtered(tree)) } catch {
            throw QueryTrap.error(error, format)
        }
    }

    /// The objects that a tree holds for.
    func filter(_ tree: PredicateLanguage.Predicate) throws(Realm.Error) -> Results<Element> {
        try narrowed(tree)
    }

    // MARK: - Order

    /// The objects sorted by a property, which may be reached over to-one links; nil comes first.
    ///
    /// Text is ordered by its bytes. Equals stay in the order they have.
    ///
    /// ```swift
    /// people.sorted(byKeyPath: "boss.name")
    /// people.sorted(byKeyPath: "dogs.@count")       // beyond RealmSwift: also @min, @max, @sum, @avg
    /// people.sorted(byKeyPath: "dogs.@max.age")
    /// ```
    ///
    /// - Precondition: the key path leads to one value: "Cannot sort on key path ...".
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted([(keyPath, ascending)])
    }

    /// The objects sorted by the first descriptor, equals by the next, and so on.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == SortDescriptor {
        sorted(sortDescriptors.map { ($0.keyPath, $0.ascending) })
    }

    fileprivate func sorted(_ keys: [(keyPath: String, ascending: Bool)]) -> Results<Element> {
        QueryTrap.trapping { () throws(Realm.Error) in try ordered(keys) }
    }

    func ordered(
        _ keys: [(keyPath: String, ascending: Bool)]
    ) throws(Realm.Error) -> Results<Element> {
        do throws(QueryError) { return Results(try _query.sorted(keys)) } catch {
            throw QueryTrap.error(error)
        }
    }

    /// The query of the objects, changed.
    func changed(
        _ body: (CollectionQuery) throws(QueryError) -> CollectionQuery
    ) throws(Realm.Error) -> Results<Element> {
        do throws(QueryError) { return Results(try body(_query.objects)) } catch {
            throw QueryTrap.error(error)
        }
    }

    // MARK: - Positions

    /// The position of the first element that matches; nil if none does.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        if realm == nil {
            let predicate = NSPredicate(format: predicateFormat, argumentArray: args)
            return firstIndex { predicate.evaluate(with: $0) }
        }
        return QueryTrap.trapping { () throws(Realm.Error) in
            try narrowed(predicateFormat, args)
        }.first.flatMap { index(of: $0) }
    }

    /// The position of the first element that matches; nil if none does.
    ///
    /// A predicate made of a block is asked of an unmanaged collection only; a managed one refuses
    /// it: "Only support compound, comparison, and constant predicates".
    public func index(matching predicate: NSPredicate) -> Int? {
        if realm == nil { return firstIndex { predicate.evaluate(with: $0) } }
        return filter(predicate).first.flatMap { index(of: $0) }
    }

    /// The position of the first element that matches; nil if none does.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        if realm == nil {
            let predicate = NSPredicate(tree: isIncluded(Query()).predicate)
            return firstIndex { predicate.evaluate(with: $0) }
        }
        return self.where(isIncluded).first.flatMap { index(of: $0) }
    }

    /// The elements at some positions, ascending.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

    // MARK: - By name

    /// Sets a property of each element, by name.
    ///
    /// - Precondition: in a write, if managed; the class has the property, and the value is of its
    ///   type.
    public func setValue(_ value: Any?, forKey key: String) {
        for element in self {
            guard let plain = DynamicValue.unwrapped(element) else { continue }
            guard let object = plain as? ObjectBase else {
                fatalError("Invalid key '\(key)': elements of type '\(Element.self)' have none.")
            }
            object.setValue(value, forKey: key)
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The objects sorted by a property.
    public func sorted<Value: SortableType>(
        by keyPath: Swift.KeyPath<Element, Value>,
        ascending: Bool = true
    ) -> Results<Element> {
        sorted([(QueryTrap.name(of: keyPath), ascending)])
    }
}

/// Errors of queries as users see them.
enum QueryTrap {
    static func error(_ error: QueryError, _ format: String? = nil) -> Realm.Error {
        let text = "\(error)"
        let sentence = text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
        return Realm.Error(.invalidInput, format.map { "\(sentence) In: \($0)" } ?? sentence)
    }

    static func trapping<R>(_ body: () throws(Realm.Error) -> R) -> R {
        do throws(Realm.Error) { return try body() } catch { fatalError(error.message) }
    }

    /// The dotted names of a key path, which goes through persisted properties, else traps.
    static func name<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String {
        guard let name = KeyPathName.name(of: path) else {
            fatalError("'\(path)' goes through a property that is not @Persisted.")
        }
        return name
    }

    static func tree(of predicate: NSPredicate) throws(Realm.Error) -> PredicateLanguage.Predicate {
        do throws(PredicateRecoveryError) {
            return try PredicateLanguage.Predicate(recovering: predicate)
        } catch { throw Realm.Error(.invalidInput, error.description) }
    }
}
