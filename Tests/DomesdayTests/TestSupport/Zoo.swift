import Foundation
import Testing

@testable import Domesday

/// An object with each kind of collection of one type.
final class Holding<Element: RealmCollectionValue>: Object {
    @Persisted var list: List<Element>
    @Persisted var set: MutableSet<Element>
    @Persisted var map: Map<String, Element>
    /// Beside them, so that rows have something else to move.
    @Persisted var note = "note"
}

enum ZooNumber: Int, PersistableEnum { case one = 1, two, three, four }

extension ZooNumber: ModelScalar {
    var bits: String { "\(rawValue)" }
    static func random(_ random: inout SplitMix64) -> ZooNumber {
        allCases.randomElement(using: &random) ?? .one
    }
}

/// What tells a set's elements apart: 0 is -0, NaN is NaN.
func setIdentity<Element: ModelScalar>(_ element: Element) -> String {
    switch DynamicValue.unwrapped(element) {
    case let value as Double where value.isNaN || value == 0: value.isNaN ? "nan" : "0"
    case let value as Float where value.isNaN || value == 0: value.isNaN ? "nan" : "0"
    case let value as Date where value.timeIntervalSinceReferenceDate.isNaN: "nan"
    case let value as Date where value.timeIntervalSinceReferenceDate == 0: "0"
    default: element.bits
    }
}

/// A type of elements, for tests that take each in turn.
struct ZooType: CustomTestStringConvertible, @unchecked Sendable {
    // @unchecked: the closure holds nothing but a type.
    let testDescription: String
    private let run: (any ZooCheck) throws -> Void

    init<Element: RealmCollectionValue & ModelScalar>(_ type: Element.Type) {
        testDescription = "\(type)"
        run = { try $0.check(Element.self) }
    }

    func run(_ check: any ZooCheck) throws { try run(check) }

    static let all: [ZooType] = [
        ZooType(Bool.self), ZooType(Int.self), ZooType(Int8.self), ZooType(Int16.self),
        ZooType(Int32.self), ZooType(Int64.self), ZooType(Float.self), ZooType(Double.self),
        ZooType(String.self), ZooType(Data.self), ZooType(Date.self), ZooType(UUID.self),
        ZooType(ObjectId.self), ZooType(ZooNumber.self), ZooType(ModelKind.self),
        ZooType(Bool?.self), ZooType(Int?.self), ZooType(Int8?.self), ZooType(Int16?.self),
        ZooType(Int32?.self), ZooType(Int64?.self), ZooType(Float?.self), ZooType(Double?.self),
        ZooType(String?.self), ZooType(Data?.self), ZooType(Date?.self), ZooType(UUID?.self),
        ZooType(ObjectId?.self), ZooType(ZooNumber?.self), ZooType(ModelKind?.self),
    ]
}

/// A check that works for every type of elements.
protocol ZooCheck {
    func check<Element: RealmCollectionValue & ModelScalar>(_ type: Element.Type) throws
}

extension Realm {
    /// What the store's own check finds wrong.
    var findings: [String] {
        get throws { try StoreCheck.findings(in: state.reader.store) }
    }
}
