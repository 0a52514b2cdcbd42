import Foundation
import PredicateLanguage

/// A query as RealmSwift's builder writes it: a format string and its arguments.
///
/// **Shape.** Every comparison in parentheses, `&&` and `||` two by two, every value `%@`; nil is
/// `NSNull`.
struct QueryText {
    private(set) var text = ""
    private(set) var arguments: [Any] = []

    init(of node: QueryNode) { write(condition: node.numberingSubqueries()) }

    private mutating func write(condition node: QueryNode) {
        switch node {
        case .path(let path): write(path, comparedWith: "true")
        case .not(.path(let path)): write(path, comparedWith: "false")
        default: write(node)
        }
    }

    private mutating func write(_ node: QueryNode) {
        switch node {
        case .constant(let value): write(argument: value)
        case .path(let path): write(path)
        case .not(let node):
            text += "NOT "
            write(condition: node)
        case .and(let nodes): write(nodes, separator: " && ")
        case .or(let nodes): write(nodes, separator: " || ")
        case .comparison(let left, let op, let right, let options):
            text += "("
            write(left)
            text += " \(op.symbol)\(options.symbol) "
            write(right)
            text += ")"
        case .between(let node, let lower, let upper):
            text += "("
            write(node)
            text += " BETWEEN {"
            write(lower)
            text += ", "
            write(upper)
            text += "})"
        case .subqueryCount: break  // `init(of:)` numbered them all.
        case .numberedSubqueryCount(let collection, let variable, let condition):
            text += "SUBQUERY("
            write(collection.whole)
            text += ", $\(variable), "
            write(condition: condition)
            text += ").@count"
        }
    }

    /// `a && b && c` as `((a && b) && c)`.
    private mutating func write(_ nodes: [QueryNode], separator: String) {
        text += String(repeating: "(", count: nodes.count - 1)
        for (index, node) in nodes.enumerated() {
            if index > 0 { text += separator }
            write(condition: node)
            if index > 0 { text += ")" }
        }
    }

    private mutating func write(_ path: QueryPath, comparedWith value: String) {
        text += "("
        write(path)
        text += " == \(value))"
    }

    private mutating func write(_ path: QueryPath) {
        text += (path.requiresAny ? "ANY " : "") + path.text
        arguments += path.arguments.map { $0 ?? NSNull() }
    }

    private mutating func write(argument: Any?) {
        text += "%@"
        if let values = argument as? [Any?] {
            arguments.append(values.map { $0 ?? NSNull() })
        } else if let list = argument as? TextList {
            arguments.append(list.texts.map { $0 as Any? ?? NSNull() })
        } else {
            arguments.append(argument ?? NSNull())
        }
    }
}
