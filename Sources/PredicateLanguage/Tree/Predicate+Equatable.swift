// Equality ignores where things stood in the text, and compares arguments of unknown type.

extension Comparison: Equatable {
    /// Compares all but the offsets.
    package static func == (left: Comparison, right: Comparison) -> Bool {
        left.op == right.op && left.options == right.options
            && left.quantifier == right.quantifier
            && left.left == right.left && left.right == right.right
    }
}

extension KeyPath: Equatable {
    /// Compares all but the offsets.
    package static func == (left: KeyPath, right: KeyPath) -> Bool {
        left.variable == right.variable && left.steps == right.steps
    }
}

extension Expression: Equatable {
    /// Compares structure, and values by type and content.
    ///
    /// Arguments of unknown type are equal if they have one type and are equal as `Hashable`, or
    /// are the same instance of a class; otherwise they differ.
    package static func == (left: Expression, right: Expression) -> Bool {
        switch (left, right) {
        case (.value(let left), .value(let right)):
            isSame(left, right)
        case (.keyPath(let left), .keyPath(let right)):
            left == right
        case (.list(let left), .list(let right)):
            left == right
        case (.variable(let left), .variable(let right)):
            left == right
        case (
            .arithmetic(let leftOperator, let leftFirst, let leftSecond),
            .arithmetic(let rightOperator, let rightFirst, let rightSecond)
        ):
            leftOperator == rightOperator && leftFirst == rightFirst
                && leftSecond == rightSecond
        case (
            .subquery(let leftPath, let leftName, let leftNode, let leftSteps),
            .subquery(let rightPath, let rightName, let rightNode, let rightSteps)
        ):
            leftName == rightName && leftPath == rightPath && leftSteps == rightSteps
                && leftNode == rightNode
        default:
            false
        }
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        guard type(of: left) == type(of: right) else { return false }
        switch (left, right) {
        case (let left as Double, let right as Double):
            return left.bitPattern == right.bitPattern
        case (let left as [Any?], let right as [Any?]):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (let left as any Hashable, let right as any Hashable):
            return AnyHashable(left) == AnyHashable(right)
        default:
            return type(of: left) is AnyClass && (left as AnyObject) === (right as AnyObject)
        }
    }
}
