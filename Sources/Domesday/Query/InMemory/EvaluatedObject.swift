/// What the evaluator knows of an object: its properties by name.
protocol EvaluatedObject: AnyObject {
    /// The name of the class, for messages.
    var evaluatedClassName: String { get }

    /// The value of a property; nil if the class has none of that name.
    func evaluatedProperty(named name: String) -> EvaluatedProperty?

    /// The objects whose property leads here, as often as it does; all such objects of all classes
    /// if no class is given. nil if there is no such class or property.
    func evaluatedLinks(from origin: (className: String, property: String)?) -> [Any?]?

    /// The value of its primary key; nil if its class has none.
    var evaluatedPrimaryKey: Any? { get }

    /// Whether both are the same object; embedded ones are if their properties are equal.
    func isEvaluatedAsEqual(to other: any EvaluatedObject) -> Bool
}

/// What stands for an object that a condition names: it knows which object that is.
protocol ObjectStandIn: EvaluatedObject {}

extension ObjectStandIn {
    var evaluatedPrimaryKey: Any? { nil }
    func evaluatedProperty(named name: String) -> EvaluatedProperty? { nil }
}

extension EvaluatedObject {
    func evaluatedLinks(from origin: (className: String, property: String)?) -> [Any?]? { nil }
}

/// The value of a property.
enum EvaluatedProperty {
    /// A scalar or a link; enums may be cases or raw values.
    case one(Any?)
    /// The elements of a list or set, in order.
    case many([Any?])
    /// The entries of a map, by their keys' bytes.
    case keyed([(key: String, value: Any?)])
}

/// Thrown when a predicate makes no sense for the object it is evaluated against.
///
/// What is wrong may show only for some objects: an object whose link is nil is asked no further.
struct EvaluationError: Error, CustomStringConvertible {
    /// RealmSwift's sentence.
    let description: String

    init(_ description: String) { self.description = description }
}
