import Foundation

/// Writes a tree as text that parses back to an equal tree.
///
/// What cannot be a literal (dates, objects, infinities) is written `%@` and collected; so is a
/// name that is no word, as `%K`.
struct PredicatePrinter {
    private(set) var text = ""
    private(set) var arguments: [Any?] = []

    /// Writes a node where no parentheses are needed.
    mutating func write(_ node: PredicateNode) {
        switch node {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): write(comparison)
        case .and(let nodes): write(nodes, separator: " AND ", ifEmpty: true)
        case .or(let nodes): write(nodes, separator: " OR ", ifEmpty: false)
        case .not(let node):
            text += "NOT "
            write(node, in: .negation)
        }
    }

    /// Writes a predicate.
    mutating func write(_ predicate: Predicate) {
        write(predicate.root)
        for clause in predicate.ordering { write(clause) }
    }

    private mutating func write(_ clause: OrderingClause) {
        switch clause {
        case .sort(let terms):
            write(terms, after: " SORT") { printer, term in
                printer.write(term.path)
                printer.text += term.isAscending ? " ASC" : " DESC"
            }
        case .distinct(let paths):
            write(paths, after: " DISTINCT") { printer, path in printer.write(path) }
        case .limit(let count): text += " LIMIT(\(count))"
        }
    }

    private mutating func write<Element>(
        _ elements: [Element],
        after word: String,
        _ write: (inout PredicatePrinter, Element) -> Void
    ) {
        text += word + "("
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            write(&self, element)
        }
        text += ")"
    }

    /// Writes an operand of a calculation: another calculation in parentheses if it must be.
    private mutating func write(operand: Expression, needsParentheses: Bool) {
        if needsParentheses { text += "(" }
        write(operand)
        if needsParentheses { text += ")" }
    }

    private mutating func write(
        _ operation: ArithmeticOperator,
        _ left: Expression,
        _ right: Expression
    ) {
        // To the left what binds as closely needs none: a - b - c is (a - b) - c.
        var leftNeeds = false
        if case .arithmetic(let inner, _, _) = left {
            leftNeeds = operation.bindsClosely && !inner.bindsClosely
        }
        var rightNeeds = false
        if case .arithmetic(let inner, _, _) = right {
            rightNeeds = operation.bindsClosely || !inner.bindsClosely
        }
        write(operand: left, needsParentheses: leftNeeds)
        text += " \(operation.rawValue) "
        write(operand: right, needsParentheses: rightNeeds)
    }

    /// Writes an expression.
    mutating func write(_ expression: Expression) {
        switch expression {
        case .value(let value): write(value: value)
        case .keyPath(let path): write(path)
        case .arithmetic(let operation, let left, let right): write(operation, left, right)
        case .variable(let name): text += "$" + name
        case .list(let elements):
            writeList(elements) { printer, element in printer.write(element) }
        case .subquery(let collection, let variable, let predicate, let trailing):
            text += "SUBQUERY("
            write(collection)
            text += ", $\(variable), "
            write(predicate)
            text += ")"
            for step in trailing { write(step, isFirst: false) }
        }
    }

    /// Writes a path.
    mutating func write(_ path: KeyPath) {
        if let variable = path.variable {
            text += "$" + variable
        } else if path.isSelf || path.steps.first?.isIndex == true {
            text += "SELF"
        }
        let begins = path.variable == nil
        for (index, step) in path.steps.enumerated() {
            write(step, isFirst: begins && index == 0)
        }
    }

    private enum Parent {
        case negation
        case conjunction
        case disjunction
    }

    private mutating func write(_ nodes: [PredicateNode], separator: String, ifEmpty: Bool) {
        guard !nodes.isEmpty else { return write(.constant(ifEmpty)) }
        guard nodes.count > 1 else { return write(nodes[0]) }
        for (index, node) in nodes.enumerated() {
            if index > 0 { text += separator }
            write(node, in: ifEmpty ? .conjunction : .disjunction)
        }
    }

    private mutating func write(_ node: PredicateNode, in parent: Parent) {
        let needsParentheses =
            switch node {
            case .constant, .comparison, .not: false
            case .and(let nodes): nodes.count > 0 && parent != .disjunction || nodes.count == 1
            case .or(let nodes): nodes.count > 0
            }
        if needsParentheses { text += "(" }
        write(node)
        if needsParentheses { text += ")" }
    }

    private mutating func write(_ comparison: Comparison) {
        if let quantifier = comparison.quantifier { text += quantifier.rawValue + " " }
        write(comparison.left)
        text += " \(comparison.op.symbol)\(comparison.options.symbol) "
        write(comparison.right)
    }

    private mutating func write(_ step: PathStep, isFirst: Bool) {
        switch step {
        case .property(let name):
            writeName(name, isFirst: isFirst)
        case .operation(let name):
            if !isFirst { text += "." }
            if Lexer.isName(String(name.dropFirst())) {
                text += name
            } else {
                write(argument: name, as: .keyPath)
            }
        case .index(let key):
            text += "["
            write(key)
            text += "]"
        case .anyElement: text += "[#any]"
        case .firstElement: text += "[FIRST]"
        case .lastElement: text += "[LAST]"
        case .elementCount: text += "[SIZE]"
        }
    }

    private mutating func writeName(_ name: String, isFirst: Bool) {
        if !isFirst { text += "." }
        if !Lexer.isName(name) {
            write(argument: name, as: .keyPath)
        } else if isFirst ? Keyword.isReserved(name) : Keyword.isSelf(name) {
            text += "#" + name
        } else {
            text += name
        }
    }
}

// Values.
extension PredicatePrinter {
    private mutating func write(value: Any?) {
        switch Argument.normalized(value) {
        case nil: text += "NULL"
        case let value as Bool: text += value ? "TRUE" : "FALSE"
        case let value as Int64: text += "\(value)"
        case let value as Double where value.isFinite: text += "\(value)"
        case let value as String: text += Self.literal(value)
        case let value as ObjectIdLiteral: text += "oid(\(value))"
        case let value as UUID: text += "uuid(\(value.uuidString))"
        case let value as GeoShape: text += value.description
        case let value as LinkLiteral where value.table != nil: text += value.description
        case let value as ObjectLiteral:
            text += "obj(\(Self.literal(value.className)), "
            write(value: value.key?.base)
            text += ")"
        case let value as Data: text += "B64\"\(value.base64EncodedString())\""
        case let values as [Any?]:
            writeList(values) { printer, value in printer.write(value: value) }
        case let other: write(argument: other, as: .object)
        }
    }

    private mutating func writeList<Element>(
        _ elements: [Element],
        _ write: (inout PredicatePrinter, Element) -> Void
    ) {
        text += "{"
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            write(&self, element)
        }
        text += "}"
    }

    private mutating func write(argument: Any?, as placeholder: Placeholder) {
        text += placeholder.symbol
        arguments.append(argument)
    }

    /// A string in double quotation marks; control characters are escaped.
    private static func literal(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension PathStep {
    /// Whether the step is written in brackets, so that something must stand before it.
    fileprivate var isIndex: Bool {
        switch self {
        case .property, .operation: false
        case .index, .anyElement, .firstElement, .lastElement, .elementCount: true
        }
    }
}
