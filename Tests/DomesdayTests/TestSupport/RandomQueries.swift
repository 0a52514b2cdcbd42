import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

/// Compares an implementation of queries with the evaluator, on random predicates about random
/// databases.
///
/// ```swift
/// try RandomQueries.compare { realm, tree in try run(tree, in: realm).map(\.serial) }
/// ```
enum RandomQueries {
    /// The sizes of the databases: none, one, one cluster, two.
    static let counts = [0, 1, 60, 320]

    /// Asks `query` for the serial numbers of the matching persons, in the order of adding.
    ///
    /// Records an issue for each predicate that differs, with the seed and its smallest part that
    /// differs too. `DOMESDAY_SEED` repeats a run, `DOMESDAY_SCALE` makes it longer.
    static func compare(
        predicates: Int = 300 * Scale.factor,
        seed: UInt64 = Scale.seed,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ query: (Realm, PredicateLanguage.Predicate) throws -> [Int]
    ) throws {
        for (index, count) in counts.enumerated() {
            let database = try RandomPeople(count: count, seed: seed &+ UInt64(index))
            var trees = RandomPredicates(
                random: SplitMix64(seed: seed ^ UInt64(count)),
                people: database.people
            )
            for _ in 0..<(count > 100 ? predicates / 4 : predicates) {
                let tree = trees.predicate()
                guard let difference = difference(of: tree.root, database, query) else { continue }
                Issue.record(
                    "DOMESDAY_SEED=\(seed), \(count) persons: \(difference)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }

    /// What differs, told of the smallest part of the tree that differs; nil if nothing does.
    private static func difference(
        of node: PredicateNode,
        _ database: RandomPeople,
        _ query: (Realm, PredicateLanguage.Predicate) throws -> [Int]
    ) -> String? {
        let tree = PredicateLanguage.Predicate(root: node)
        let expected = Result { try serials(of: database.people, matching: tree) }
        let found = Result { try query(database.realm, tree) }
        if case .success(let expected) = expected, case .success(let found) = found,
            expected == found
        {
            return nil
        }
        for child in node.children {
            if let difference = difference(of: child, database, query) { return difference }
        }
        return "\(description(of: tree)): \(summary(expected, found))"
    }

    /// The text with its arguments; persons are told by their serial numbers.
    private static func description(of tree: PredicateLanguage.Predicate) -> String {
        let (text, arguments) = tree.canonicalFormat
        if arguments.isEmpty { return text }
        let words = arguments.map { argument in
            (argument as? QueryPerson).map { "person \($0.serial)" } ?? "\(argument ?? "nil")"
        }
        return "\(text), %@ being \(words.joined(separator: ", "))"
    }

    private static func summary(
        _ expected: Result<[Int], any Error>,
        _ found: Result<[Int], any Error>
    ) -> String {
        guard case .success(let wanted) = expected, case .success(let got) = found else {
            return "expected \(expected), found \(found)"
        }
        let missing = Set(wanted).subtracting(got).sorted()
        let surplus = Set(got).subtracting(wanted).sorted()
        if missing.isEmpty, surplus.isEmpty { return "expected \(wanted), found \(got)" }
        return "missing \(missing), surplus \(surplus)"
    }

    /// The persons of whom the evaluator says that they match.
    static func serials(
        of people: [QueryPerson],
        matching tree: PredicateLanguage.Predicate
    ) throws -> [Int] {
        let evaluator = ObjectEvaluator(tree)
        return try people.filter { try evaluator.matches($0) }.map(\.serial)
    }
}

extension PredicateNode {
    /// The conditions that the node is made of.
    fileprivate var children: [PredicateNode] {
        switch self {
        case .constant, .comparison: []
        case .and(let nodes), .or(let nodes): nodes
        case .not(let node): [node]
        }
    }
}
