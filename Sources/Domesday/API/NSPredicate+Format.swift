public import Foundation
import PredicateLanguage

// On Linux Foundation's predicates are blocks and have no text. Ours are blocks too, which hold a
// tree; a probe given to `evaluate(with:)` gets it out again.

extension NSPredicate {
    /// A predicate of a text; use it with `filter(_:)`, or evaluate it against any object.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "age > %d AND ANY dogs.name BEGINSWITH %@", 3, "R")
    /// ```
    ///
    /// It can be part of an `NSCompoundPredicate`. `evaluate(with:)` takes managed and unmanaged
    /// objects, and plain values for a text about `SELF`; it is for single objects: `filter(_:)` is
    /// far faster. Names that an object does not have trap there.
    ///
    /// **Threads.** Any; those of the objects among its arguments.
    ///
    /// - Precondition: the text is a predicate, with one argument for each placeholder.
    /// - Parameters:
    ///   - predicateFormat: The text, in `NSPredicate`'s language.
    ///   - args: Numbers, text, dates, identifiers, objects, collections; nil is `NULL`.
    /// - Complexity: O(*n*), *n* = length of the text.
    public convenience init(format predicateFormat: String, _ args: Any?...) {
        self.init(parsing: predicateFormat, args)
    }

    /// As `init(format:_:)`, with the arguments in an array; `NSNull` is `NULL`.
    ///
    /// - Precondition: as `init(format:_:)`.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(parsing: predicateFormat, arguments ?? [])
    }

    /// The same predicate with values in place of variables such as `$x`.
    ///
    /// - Precondition: it was made of texts, constants and compounds of those.
    /// - Parameter variables: By name without `$`.
    /// - Returns: A new predicate; variables without a value stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
        do throws(PredicateRecoveryError) {
            let tree = try PredicateLanguage.Predicate(recovering: self)
            return NSPredicate(tree: tree.substituting(variables.mapValues { $0 }))
        } catch {
            fatalError(error.description)
        }
    }

    private convenience init(parsing format: String, _ arguments: [Any?]) {
        do throws(PredicateSyntaxError) {
            let arguments = arguments.map { QueryNode.argument($0) }
            self.init(tree: try PredicateParser.parse(format, arguments: arguments))
        } catch {
            fatalError(error.debugDescription)
        }
    }

    /// A predicate of a tree.
    convenience init(tree: PredicateLanguage.Predicate) {
        self.init { object, variables in
            let tree = variables.map { tree.substituting($0.mapValues { $0 }) } ?? tree
            if let probe = object as? PredicateProbe {
                probe.tree = tree
                return false
            }
            do throws(EvaluationError) {
                return try ObjectEvaluator(tree).matches(element: object)
            } catch {
                fatalError(error.description)
            }
        }
    }
}

/// What a predicate of ours recognizes: it leaves its tree here instead of evaluating it.
private final class PredicateProbe {
    var tree: PredicateLanguage.Predicate?
}

/// Thrown when an `NSPredicate` cannot be asked of a database.
struct PredicateRecoveryError: Error, Equatable, CustomStringConvertible {
    /// RealmSwift's sentence.
    let description: String
}

extension PredicateLanguage.Predicate {
    /// The tree of a predicate made with `NSPredicate(format:)`, `NSPredicate(value:)` or of those
    /// with `NSCompoundPredicate`.
    ///
    /// A block predicate of the user's is called once, with an object it does not know.
    ///
    /// - Throws: for a block predicate: a block cannot be turned into a query.
    init(recovering predicate: NSPredicate) throws(PredicateRecoveryError) {
        if !(predicate is NSCompoundPredicate) {
            let probe = PredicateProbe()
            _ = predicate.evaluate(with: probe)
            if let tree = probe.tree {
                self = tree
                return
            }
        }
        self.init(root: try Self.root(of: predicate))
    }

    private static func root(
        of predicate: NSPredicate
    ) throws(PredicateRecoveryError) -> PredicateNode {
        if let compound = predicate as? NSCompoundPredicate { return try root(of: compound) }
        for value in [true, false] where predicate.isEqual(NSPredicate(value: value)) {
            return .constant(value)
        }
        let probe = PredicateProbe()
        _ = predicate.evaluate(with: probe)
        guard let tree = probe.tree else {
            throw PredicateRecoveryError(
                description: "Only support compound, comparison, and constant predicates"
            )
        }
        guard tree.ordering.isEmpty else {
            throw PredicateRecoveryError(
                description: "SORT, DISTINCT and LIMIT cannot be part of a compound predicate"
            )
        }
        return tree.root
    }

    private static func root(
        of compound: NSCompoundPredicate
    ) throws(PredicateRecoveryError) -> PredicateNode {
        var nodes: [PredicateNode] = []
        for predicate in compound.subpredicates {
            nodes.append(try root(of: predicate))
        }
        switch compound.compoundPredicateType {
        case .not: return .not(nodes.first ?? .constant(true))
        case .and: return nodes.count == 1 ? nodes[0] : .and(nodes)
        case .or: return nodes.count == 1 ? nodes[0] : .or(nodes)
        }
    }
}
