/// A path of names from an object to a value: `owner.dogs.@count`, `map['k']`, `$dog.age`.
///
/// **Shape.** No steps and no variable is `SELF`.
/// **Units.** Offsets are UTF-8 offsets into the format string, from 0; they do not count in `==`.
package struct KeyPath {
    /// The variable the path starts from, without `$`; `nil` for the object that is tested.
    package var variable: String?
    /// The steps, outermost first.
    package var steps: [PathStep]
    /// Where the path begins in the text; 0 if built in code.
    package var utf8Offset: Int

    /// Makes a path.
    package init(variable: String? = nil, steps: [PathStep], utf8Offset: Int = 0) {
        self.variable = variable
        self.steps = steps
        self.utf8Offset = utf8Offset
    }

    /// Whether this is the object that is tested, itself.
    package var isSelf: Bool { variable == nil && steps.isEmpty }
}

/// One step of a key path.
package enum PathStep: Equatable {
    /// A name. After `@links` the first is a class, the second a property of it.
    case property(String)
    /// `@count`, `@min`, `@max`, `@sum`, `@avg`, `@allKeys`, `@allValues`, `@links`, `@type`: with
    /// the `@`.
    ///
    /// Any name is let through; binding knows which exist.
    case operation(String)
    /// `['key']`, `[0]`, `[%@]`, `[$v]`: always a value or a variable.
    case index(Expression)
    /// `[#any]` or `[*]`: every element.
    case anyElement
    /// `[FIRST]`.
    case firstElement
    /// `[LAST]`.
    case lastElement
    /// `[SIZE]`: how many elements there are.
    case elementCount
}
