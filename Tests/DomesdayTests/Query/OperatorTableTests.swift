import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

/// The properties of `QueryPerson` that can be indexed, with an index on each.
class IndexedPerson: Object {
    @Persisted var serial: Int
    @Persisted(indexed: true) var number: Int
    @Persisted(indexed: true) var optionalNumber: Int?
    @Persisted(indexed: true) var small: Int8
    @Persisted(indexed: true) var name: String
    @Persisted(indexed: true) var nickname: String?
    @Persisted(indexed: true) var isGood: Bool
    @Persisted(indexed: true) var optionalFlag: Bool?
    @Persisted(indexed: true) var birth: Date
    @Persisted(indexed: true) var optionalDate: Date?
    @Persisted(indexed: true) var token: UUID
    @Persisted(indexed: true) var optionalToken: UUID?
    @Persisted(indexed: true) var identifier: ObjectId
    @Persisted(indexed: true) var kind: QueryKind
    @Persisted(indexed: true) var mood: QueryMood?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same without indexes but those over several properties; each begins one.
class CompoundPerson: Object {
    @Persisted var serial: Int
    @Persisted var number: Int
    @Persisted var optionalNumber: Int?
    @Persisted var small: Int8
    @Persisted var name: String
    @Persisted var nickname: String?
    @Persisted var isGood: Bool
    @Persisted var optionalFlag: Bool?
    @Persisted var birth: Date
    @Persisted var optionalDate: Date?
    @Persisted var token: UUID
    @Persisted var optionalToken: UUID?
    @Persisted var identifier: ObjectId
    @Persisted var kind: QueryKind
    @Persisted var mood: QueryMood?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func compoundIndexes() -> [[String]] {
        [
            ["number", "name"], ["optionalNumber", "small", "mood"], ["small", "isGood"],
            ["name", "number"], ["nickname", "optionalFlag"], ["isGood", "birth"],
            ["optionalFlag", "token"], ["birth", "kind"], ["optionalDate", "mood"],
            ["token", "name", "isGood", "nickname"], ["optionalToken", "identifier"],
            ["identifier", "number"], ["kind", "mood"], ["mood", "optionalDate"],
        ]
    }
}

/// Every operator with every type, nil, and every modifier.
@Suite("The table of operators")
struct OperatorTableTests {
    private struct Column {
        let name: String
        let values: [Any?]
        let operators: [ComparisonOperator]
        var hasModifiers = false
    }

    private static let equality: [ComparisonOperator] = [.equal, .notEqual]
    private static let order: [ComparisonOperator] =
        equality + [.less, .lessOrEqual, .greater, .greaterOrEqual]
    private static let parts: [ComparisonOperator] = [.beginsWith, .endsWith, .contains]

    private static var columns: [Column] {
        let integers = OddValues.integers.map { Int64($0) as Any? } + [nil, 0.5, 1e300]
        let doubles = OddValues.doubles.map { $0 as Any? } + [nil, 2 as Int64]
        let strings = OddValues.strings.map { $0 as Any? } + [nil]
        let data = OddValues.data.map { $0 as Any? } + [nil]
        let dates = OddValues.dates.map { $0 as Any? } + [nil]
        let flags: [Any?] = [true, false, nil]
        let tokens = OddValues.tokens.map { $0 as Any? } + [nil]
        let identifiers = OddValues.identifiers.map { $0 as Any? } + [nil]
        let text = order + parts
        return [
            Column(name: "number", values: integers, operators: order),
            Column(name: "optionalNumber", values: integers, operators: order),
            Column(name: "small", values: integers, operators: order),
            Column(name: "kind", values: integers, operators: order),
            Column(name: "ratio", values: doubles, operators: order),
            Column(name: "optionalRatio", values: doubles, operators: order),
            Column(name: "single", values: doubles, operators: order),
            Column(name: "name", values: strings, operators: text, hasModifiers: true),
            Column(name: "nickname", values: strings, operators: text, hasModifiers: true),
            Column(name: "payload", values: data, operators: text),
            Column(name: "optionalPayload", values: data, operators: text),
            Column(name: "birth", values: dates, operators: order),
            Column(name: "optionalDate", values: dates, operators: order),
            Column(name: "isGood", values: flags, operators: equality),
            Column(name: "optionalFlag", values: flags, operators: equality),
            Column(name: "token", values: tokens, operators: equality),
            Column(name: "optionalToken", values: tokens, operators: equality),
            Column(name: "identifier", values: identifiers, operators: equality),
            Column(name: "boss.nickname", values: strings, operators: text, hasModifiers: true),
            Column(name: "boss.optionalNumber", values: integers, operators: order),
        ]
    }

    private static func comparisons(_ column: Column) -> [Comparison] {
        let path = PredicateLanguage.Expression.keyPath(
            PredicateLanguage.KeyPath(
                steps: column.name.split(separator: ".").map { .property(String($0)) }
            )
        )
        let modifiers = (0..<4).map { PredicateLanguage.StringOptions(rawValue: $0) }
        var result: [Comparison] = []
        func add(_ op: ComparisonOperator, _ value: Any?) {
            for options in modifiers where options.isEmpty || column.hasModifiers {
                guard op.refusal(of: options) == nil else { continue }
                result.append(
                    Comparison(
                        left: path,
                        op: op,
                        right: PredicateLanguage.Expression(normalizing: value),
                        options: options
                    )
                )
            }
        }
        for value in column.values {
            for op in column.operators { add(op, value) }
        }
        if column.hasModifiers {
            for pattern in OddValues.patterns + ["A?", "É*", "*\\*"] { add(.like, pattern) }
        }
        for start in stride(from: 0, to: column.values.count, by: 3) {
            add(.in, Array(column.values[start..<min(start + 3, column.values.count)]))
        }
        add(.in, [] as [Any?])
        add(.in, column.values)
        if column.operators.contains(.less) {
            for bounds in zip(column.values, column.values.dropFirst()) {
                add(.between, [bounds.0, bounds.1] as [Any?])
                add(.between, [bounds.1, bounds.0] as [Any?])
            }
        }
        return result
    }

    @Test("scan, index and evaluator agree, and so does the opposite", arguments: 0..<20)
    func table(_ index: Int) throws {
        let column = Self.columns[index]
        let database = try RandomPeople(count: 40, seed: Scale.seed)
        let people = database.realm.objects(QueryPerson.self)
        let copies = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [IndexedPerson.self, CompoundPerson.self]
            )
        )
        try copies.write {
            for person in database.people {
                let copy = IndexedPerson()
                for property in ClassSchema.of(IndexedPerson.self).properties {
                    copy.setValue(person.value(forKey: property.name), forKey: property.name)
                }
                copies.add(copy)
                copies.create(CompoundPerson.self, value: copy)
            }
        }
        let indexed = copies.objects(IndexedPerson.self)
        let compound = copies.objects(CompoundPerson.self)
        let isIndexed = ClassSchema.of(IndexedPerson.self).property(named: column.name) != nil
        for comparison in Self.comparisons(column) {
            for node in [PredicateNode.comparison(comparison), .not(.comparison(comparison))] {
                let tree = PredicateLanguage.Predicate(root: node)
                let expected = try RandomQueries.serials(of: database.people, matching: tree)
                let found = try people.filter(tree)
                #expect(found.map(\.serial) == expected, "\(tree)")
                #expect(found.count == expected.count, "\(tree)")
                if isIndexed {
                    let copies = try indexed.filter(tree)
                    #expect(copies.map(\.serial) == expected, "indexed: \(tree)")
                    #expect(copies.count == expected.count, "indexed: \(tree)")
                    let others = try compound.filter(tree)
                    #expect(others.map(\.serial) == expected, "compound: \(tree)")
                    #expect(others.count == expected.count, "compound: \(tree)")
                }
            }
        }
    }

    @Test("folding: once is enough, and upper and lower case give the same")
    func folding() {
        var wrong: [String] = []
        for value in UInt32(0x41)..<0x1E944 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = TextFolding.folded(scalar)
            if TextFolding.folded(folded) != folded { wrong.append("\(scalar) twice") }
            for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
            {
                let scalars = Array(mapping.unicodeScalars)
                // The dotted and the dotless i are letters of their own.
                guard scalars.count == 1, value != 0x131, value != 0x130 else { continue }
                if TextFolding.folded(scalars[0]) != folded { wrong.append("\(scalar)") }
            }
        }
        #expect(wrong.isEmpty)
        // As in Unicode's CaseFolding.txt, C and S.
        let pairs: [(UInt32, UInt32)] = [
            (0x1E9E, 0xDF), (0x3A3, 0x3C3), (0x3C2, 0x3C3), (0x17F, 0x73), (0x212A, 0x6B),
            (0x1FD3, 0x390), (0x1FE3, 0x3B0), (0xFB05, 0xFB06), (0x1F88, 0x1F80), (0x10A0, 0x2D00),
            (0x10400, 0x10428), (0x345, 0x3B9),
        ]
        for (from, to) in pairs {
            let folded = Unicode.Scalar(from).map(TextFolding.folded)
            #expect(folded == Unicode.Scalar(to).map(TextFolding.folded))
        }
    }
}
