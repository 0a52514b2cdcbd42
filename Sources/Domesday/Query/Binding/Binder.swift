import Foundation
import PredicateLanguage

/// Joins a predicate's tree to a class: names become columns, values get their columns' types.
///
/// The parts are spread over the extensions: +Paths, +Comparisons, +Conditions, +Values.
///
/// **Threads.** A value; confined as the table it is for.
struct Binder {
    /// The class of the object that is tested.
    let table: any QueryTable
    /// The variable that stands for the object that is tested, inside a subquery.
    var variable: String?
    /// Inside a subquery: what is outside of it.
    private(set) var outer: [Binder] = []

    init(table: any QueryTable) { self.table = table }

    /// For the condition of a subquery over objects of `table`.
    init(table: any QueryTable, variable: String, inside outer: Binder) {
        self.table = table
        self.variable = variable
        self.outer = [outer]
    }

    /// - Throws: ``QueryError`` for the first thing that does not fit, with its position.
    static func bind(
        _ predicate: PredicateLanguage.Predicate,
        to table: any QueryTable
    ) throws(QueryError) -> BoundNode {
        try Binder(table: table).bind(predicate.root)
    }

    func bind(_ node: PredicateNode) throws(QueryError) -> BoundNode {
        switch node {
        case .constant(let value): return .constant(value)
        case .and(let nodes): return .and(try bind(nodes))
        case .or(let nodes): return .or(try bind(nodes))
        case .not(let node): return .not(try bind(node))
        case .comparison(let comparison): return try bind(comparison)
        }
    }

    private func bind(_ nodes: [PredicateNode]) throws(QueryError) -> [BoundNode] {
        var bound: [BoundNode] = []
        for node in nodes { bound.append(try bind(node)) }
        return bound
    }

    /// The class that a path's variable stands for an object of, and how many subqueries outward
    /// that is; nil if no subquery introduces the variable.
    func scope(of variable: String?) -> (table: any QueryTable, level: Int)? {
        if variable == self.variable { return (table, 0) }
        return outer.first?.scope(of: variable).map { ($0.table, $0.level + 1) }
    }
}
