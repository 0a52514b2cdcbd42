import PredicateLanguage
import Testing

import struct Foundation.Date
import class Foundation.NSArray
import class Foundation.NSNull
import class Foundation.NSNumber
import class Foundation.NSString
import struct Foundation.UUID

@Suite("Arguments")
struct ArgumentTests {
    @Test(
        "every integer placeholder takes every integer",
        arguments: [
            "%d", "%i", "%ld", "%lld", "%lu", "%llu", "%u", "%x", "%hd", "%qd", "%zd", "%D",
        ]
    )
    func integers(_ placeholder: String) throws {
        let values: [Any] = [
            5, 5 as Int8, 5 as Int16, 5 as Int32, 5 as Int64, 5 as UInt, 5 as UInt8, 5 as UInt64,
            NSNumber(value: 5),
        ]
        for value in values {
            #expect(try parse("a == \(placeholder)", value) == compare("a", .equal, 5))
        }
        #expect(try parse("a == \(placeholder)", true) == compare("a", .equal, true))
    }

    @Test(
        "every number placeholder takes every number",
        arguments: ["%f", "%lf", "%g", "%e", "%Lf"]
    )
    func doubles(_ placeholder: String) throws {
        for value in [1.5, 1.5 as Float, NSNumber(value: 1.5)] as [Any] {
            #expect(try parse("a == \(placeholder)", value) == compare("a", .equal, 1.5))
        }
        #expect(try parse("a == \(placeholder)", 2) == compare("a", .equal, 2.0))
    }

    @Test("%@ brings values to a few types")
    func normalization() throws {
        let nested: Int??? = 5
        let missing: String?? = .some(nil)
        let cases: [(Any?, Any?)] = [
            (nil, nil), (NSNull(), nil), (missing as Any, nil), (nested as Any, 5 as Int64),
            (5 as UInt8, 5 as Int64), (1.5 as Float, 1.5), (true, true),
            ("abc".dropFirst(), "bc"), (NSString(string: "é"), "é"),
            (NSNumber(value: true), true), (NSNumber(value: 1), 1 as Int64),
            (NSNumber(value: 1.0), 1.0), (UInt64.max, UInt64.max),
            ([1, 2], [1, 2] as [Any?]), ([1, nil] as [Int?], [1, nil] as [Any?]),
            ([1, 2, 3][1...], [2, 3] as [Any?]), (Set([1]), [1] as [Any?]),
            (NSArray(array: [1, "x", NSNull()]), [1, "x", nil] as [Any?]),
            ([[1], ["x"]] as [Any], [[1] as [Any?], ["x"] as [Any?]] as [Any?]),
        ]
        for (argument, expected) in cases {
            guard case .comparison(let comparison) = try parse("a == %@", argument),
                case .value(let value) = comparison.right
            else {
                Issue.record("no value")
                continue
            }
            #expect(Expression.value(value) == Expression(normalizing: expected))
            #expect(!(value is Int), "\(String(describing: argument)) is normalized")
        }
    }

    @Test("%@ leaves other values as they are")
    func otherValues() throws {
        final class Box {}
        let box = Box()
        let date = Date(timeIntervalSince1970: 1)
        for value in [box, date, UUID(), 1...2, ["k": 1]] as [Any] {
            #expect(
                try parse("a == %@", value)
                    == .comparison(
                        Comparison(left: path("a"), op: .equal, right: .value(value))
                    )
            )
        }
        #expect(Expression.value(box) != .value(Box()))
    }

    static let paths: [Row<[PathStep]>] = [
        Row("a", [.property("a")]),
        Row("a.b.@count", [.property("a"), .property("b"), .operation("@count")]),
        Row("self", []), Row("SELF.a", [.property("a")]),
        Row("in", [.property("in")]), Row("two words", [.property("two words")]),
        Row("#any", [.property("#any")]),
    ]

    @Test("%K is split at its dots and not read any further", arguments: paths)
    func keyPath(_ row: Row<[PathStep]>) throws {
        #expect(
            try parse("%K == %@", row.text, "x")
                == .comparison(
                    Comparison(
                        left: .keyPath(KeyPath(steps: row.expected)),
                        op: .equal,
                        right: .value("x")
                    )
                )
        )
    }

    @Test("%K can be a part of a path, and an operand on the right")
    func keyPathParts() throws {
        #expect(
            try parse("a.%K['k'].c == %K", "b", "d")
                == .comparison(
                    Comparison(
                        left: .keyPath(
                            KeyPath(steps: [
                                .property("a"), .property("b"), .index(.value("k")), .property("c"),
                            ])
                        ),
                        op: .equal,
                        right: path("d")
                    )
                )
        )
    }

    @Test("arguments are taken in the order of the text")
    func order() throws {
        #expect(
            try parse("a == %d AND %K IN {%@, %f} AND m[%@] == %@", 1, "b", "x", 2.5, "k", nil)
                == (try parse("a == 1 AND b IN {'x', 2.5} AND m['k'] == NULL"))
        )
    }

    static let wrong: [(String, any Sendable)] = [
        ("%d", "x"), ("%d", 1.5), ("%ld", UInt64.max), ("%d", [Int]()), ("%f", "x"), ("%f", true),
        ("%K", 5), ("%K", "a..b"), ("%K", ""), ("%K", "."), ("%K", "a.@"),
    ]

    @Test("an argument of the wrong type is refused, and not shown", arguments: wrong)
    func wrongType(_ placeholder: String, _ value: any Sendable) {
        let error = failure(of: "a == \(placeholder)", [value])
        #expect(error?.code == .wrongArgumentType)
        #expect(error?.utf8Offset == 5)
        #expect(error?.message.contains("\(UInt64.max)") == false)
    }

    @Test("nil is no number")
    func nilNumber() {
        let error = failure(of: "a == %d", [nil])
        #expect(error?.message == "expected an integer of at most 64 bits for '%d', found nil")
    }
}
