import Foundation
import PredicateLanguage

/// Joins a predicate's tree to a class: names become columns, values get their columns' types.
///
/// The parts are spread over the extensions: +Paths, +Comparisons, +Values.
///
/// **Threads.** A value; confined as the table it is for.
struct Binder {
    let table: any QueryTable
    /// The variable that stands for the object that is tested, inside a subquery.
    var variable: String?

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
}
