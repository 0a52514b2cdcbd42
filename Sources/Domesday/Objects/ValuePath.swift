import Foundation

/// Follows a dotted path of names and collection operators through values of any kind.
///
/// **Shape.** `owner.name`, `dogs.age` (one value for each element), `dogs.@count`, `dogs.@avg.age`,
/// `scores.@max.self`, `@distinctUnionOfObjects.owner.name`, `@unionOfArrays.dogs.name`.
enum ValuePath {
    /// - Parameter value: An object, a collection, or nil.
    /// - Returns: nil where a link is nil, and for the extremes and the average of nothing.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a name or operator that does not fit.
    static func value(_ path: String, of value: Any?) throws(Realm.Error) -> Any? {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if steps.contains("") {
            throw Realm.Error(.invalidInput, "Invalid keypath '\(path)': a name is missing.")
        }
        return try self.value(steps[...], of: value, in: path)
    }

    private static func value(
        _ steps: ArraySlice<String>,
        of value: Any?,
        in path: String
    ) throws(Realm.Error) -> Any? {
        guard let step = steps.first, let value = value.flatMap({ DynamicValue.unwrapped($0) })
        else { return value }
        let rest = steps.dropFirst()
        if step.hasPrefix("@") { return try operation(step, rest, of: value, in: path) }
        if step == "self" { return try self.value(rest, of: value, in: path) }
        if let object = value as? ObjectBase {
            return try self.value(rest, of: try object.checkedValue(named: step), in: path)
        }
        if let elements = DynamicValue.elements(value) {
            var values: [Any] = []
            for element in elements {
                values.append(try self.value(steps, of: element, in: path) as Any)
            }
            return values
        }
        throw invalid(path, "a value of type '\(type(of: value))' has no property '\(step)'.")
    }

    private static func operation(
        _ name: String,
        _ rest: ArraySlice<String>,
        of value: Any,
        in path: String
    ) throws(Realm.Error) -> Any? {
        guard let elements = DynamicValue.elements(value) else {
            throw invalid(path, "'\(name)' is only valid on a collection.")
        }
        if name == "@count" {
            guard rest.isEmpty else {
                throw invalid(path, "@count must appear at the end of a keypath.")
            }
            return elements.count
        }
        guard !rest.isEmpty else { throw invalid(path, "'\(name)' needs a property behind it.") }
        var values: [Any] = []
        for element in elements {
            let found = try self.value(rest, of: element, in: path)
            if let found = found.flatMap({ DynamicValue.unwrapped($0) }) { values.append(found) }
        }
        switch name {
        case "@min": return try extreme(values, in: path) { $0 < 0 }
        case "@max": return try extreme(values, in: path) { $0 > 0 }
        case "@sum": return try sum(values, in: path)
        case "@avg": return try average(values, in: path)
        case "@unionOfObjects": return values
        case "@distinctUnionOfObjects": return distinct(values)
        case "@unionOfArrays": return try flattened(values, in: path)
        case "@distinctUnionOfArrays": return distinct(try flattened(values, in: path))
        default: throw invalid(path, "unknown collection operation '\(name)'.")
        }
    }

    private static func invalid(_ path: String, _ reason: String) -> Realm.Error {
        Realm.Error(.invalidInput, "Invalid keypath '\(path)': \(reason)")
    }

    // MARK: - Operators

    private static func flattened(_ values: [Any], in path: String) throws(Realm.Error) -> [Any] {
        var result: [Any] = []
        for value in values {
            guard let elements = DynamicValue.elements(value) else {
                throw invalid(path, "'\(type(of: value))' is no collection to make a union of.")
            }
            result += elements
        }
        return result
    }

    /// Each value once, where it comes first.
    private static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            guard let value = value as? AnyHashable else { return true }
            return seen.insert(value).inserted
        }
    }

    private static func sum(_ values: [Any], in path: String) throws(Realm.Error) -> Any {
        var total = 0.0
        var whole = 0
        var isWhole = true
        for value in values {
            if let integer = integer(value), isWhole {
                let (sum, overflow) = whole.addingReportingOverflow(integer)
                if overflow { isWhole = false } else { whole = sum }
            } else {
                isWhole = false
            }
            total += try number(value, in: path)
        }
        return isWhole ? whole : total
    }

    private static func average(_ values: [Any], in path: String) throws(Realm.Error) -> Any? {
        var total = 0.0
        for value in values { total += try number(value, in: path) }
        return values.isEmpty ? nil : total / Double(values.count)
    }

    private static func extreme(
        _ values: [Any],
        in path: String,
        _ isBetter: (Int) -> Bool
    ) throws(Realm.Error) -> Any? {
        guard var best = values.first else { return nil }
        for value in values.dropFirst() where isBetter(try order(value, best, in: path)) {
            best = value
        }
        // One value alone must make sense too.
        _ = try order(best, best, in: path)
        return best
    }

    /// Negative if `a` comes before `b`, positive if behind, 0 for equals and NaN.
    private static func order(_ a: Any, _ b: Any, in path: String) throws(Realm.Error) -> Int {
        if let a = integer(a), let b = integer(b) { return a < b ? -1 : a > b ? 1 : 0 }
        if let a = a as? Date, let b = b as? Date { return a < b ? -1 : a > b ? 1 : 0 }
        let (left, right) = (try number(a, in: path), try number(b, in: path))
        return left < right ? -1 : left > right ? 1 : 0
    }

    private static func integer(_ value: Any) -> Int? {
        if value is Bool { return nil }
        if let value = value as? any BinaryInteger { return Int(exactly: value) }
        guard let raw = (value as? any RawRepresentable)?.rawValue else { return nil }
        return (raw as? any BinaryInteger).flatMap { Int(exactly: $0) }
    }

    private static func number(_ value: Any, in path: String) throws(Realm.Error) -> Double {
        if let number = Double._convert(value) { return number }
        if let raw = (value as? any RawRepresentable)?.rawValue,
            let number = Double._convert(raw)
        {
            return number
        }
        throw invalid(path, "a value of type '\(type(of: value))' is no number.")
    }
}
