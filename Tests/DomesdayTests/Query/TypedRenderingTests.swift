import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

/// A property of one type, optional and not, beside the collections of it.
private final class Rendering<Value: RealmCollectionValue>: Object {
    @Persisted var a: Value
    @Persisted var b: Value
    @Persisted var list: List<Value>
    @Persisted var set: MutableSet<Value>
    @Persisted var map: Map<String, Value>
    @Persisted var next: Rendering<Value>?
    @Persisted var many: List<Rendering<Value>>
    @Persisted var byName: Map<String, Rendering<Value>?>
    @Persisted(originProperty: "next") var before: LinkingObjects<Rendering<Value>>
}

/// Stored as text.
private struct RenderedWord: CustomPersistable, Hashable {
    typealias PersistedType = String

    let word: String

    init(_ word: String) { self.word = word }
    init(persistedValue: String) { word = persistedValue }
    var persistableValue: String { word }
}

/// Each operator of `Query` on each type: RealmSwift's text and arguments, which parse to the tree.
@Suite("What typed queries render")
struct TypedRenderingTests {
    // MARK: - Every type

    /// - Parameter shown: What stands among the arguments for the value.
    private func equality<Value: RealmCollectionValue>(_ value: Value, _ shown: Any?) {
        let query = Query<Rendering<Value>>()
        expect("(a == %@)", [shown], query.a == value)
        expect("(a != %@)", [shown], query.a != value)
        expect("(a == b)", [], query.a == query.b)
        expect("(a != next.b)", [], query.a != query.next.b)
        expect("(a IN %@)", [[shown, shown]], query.a.in([value, value]))
        expect("(next.next.a == %@)", [shown], query.next.next.a == value)
        expect("(ANY many.a == %@)", [shown], query.many.a == value)
        expect("(ANY before.a != %@)", [shown], query.before.a != value)
        expect("NOT (a == %@)", [shown], !(query.a == value))
        expect("(a == b)", [], query.where { $0.a == $0.b })
        expect(
            "(SUBQUERY(many, $col1, ($col1.a == %@)).@count > %@)",
            [shown, 2],
            (query.many.a == value).count > 2
        )
        for (name, list) in [("list", query.list as Query<List<Value>>)] {
            expect("(%@ IN \(name))", [shown], list.contains(value))
            expect("(ANY \(name) IN %@)", [[shown]], list.containsAny(in: [value]))
            expect("(ANY \(name) == %@)", [shown], list == value)
            expect("(ANY \(name) != %@)", [shown], list != value)
            expect("(\(name).@count <= %@)", [1], list.count <= 1)
        }
        expect("(%@ IN set)", [shown], query.set.contains(value))
        expect("(ANY set IN %@)", [[shown]], query.set.containsAny(in: [value]))
        expect("(ANY set == %@)", [shown], query.set == value)
        expect("(ANY set != %@)", [shown], query.set != value)
        expect("(set.@count == %@)", [1], query.set.count == 1)
        expect("(%@ IN map)", [shown], query.map.contains(value))
        expect("(ANY map IN %@)", [[shown]], query.map.containsAny(in: [value]))
        expect("(ANY map == %@)", [shown], query.map == value)
        expect("(ANY map != %@)", [shown], query.map != value)
        expect("(map.@count == %@)", [1], query.map.count == 1)
        expect("(map[%@] == %@)", ["k", shown], query.map["k"] == value)
        expect("(map[%@] != %@)", ["k", shown], query.map["k"] != value)
        expect("(ANY map.@allValues == %@)", [shown], query.map.values == value)
        expect("(ANY map.@allKeys == %@)", ["k"], query.map.keys == "k")
        expect(
            "(ANY map.@allKeys BEGINSWITH[c] %@)",
            ["k"],
            query.map.keys.starts(with: "k", options: .caseInsensitive)
        )
        expect("(ANY map.@allKeys LIKE %@)", ["k*"], query.map.keys.like("k*"))
        expect("(ANY many.list == %@)", [shown], query.many.list == value)
        expect("(ANY byName.a == %@)", [shown], query.byName.a == value)
    }

    private func order<Value: RealmCollectionValue & _QueryOrdered>(_ value: Value, _ shown: Any?) {
        let query = Query<Rendering<Value>>()
        expect("(a > %@)", [shown], query.a > value)
        expect("(a >= %@)", [shown], query.a >= value)
        expect("(a < %@)", [shown], query.a < value)
        expect("(a <= %@)", [shown], query.a <= value)
        expect("(a > b)", [], query.a > query.b)
        expect("(a >= next.b)", [], query.a >= query.next.b)
        expect("(a < b)", [], query.a < query.b)
        expect("(a <= b)", [], query.a <= query.b)
        expect("(ANY many.a > %@)", [shown], query.many.a > value)
        expect("(ANY list > %@)", [shown], query.list > value)
        expect("(ANY list >= %@)", [shown], query.list >= value)
        expect("(ANY list < %@)", [shown], query.list < value)
        expect("(ANY list <= %@)", [shown], query.list <= value)
        expect("(ANY set > %@)", [shown], query.set > value)
        expect("(ANY set <= %@)", [shown], query.set <= value)
        expect("(ANY map > %@)", [shown], query.map > value)
        expect("(ANY map >= %@)", [shown], query.map >= value)
        expect("(ANY map < %@)", [shown], query.map < value)
        expect("(ANY map <= %@)", [shown], query.map <= value)
        expect("(map[%@] > %@)", ["k", shown], query.map["k"] > value)
    }

    private func range<Value: RealmCollectionValue & Comparable & MinMaxType>(
        _ low: Value,
        _ high: Value,
        _ shown: [Any?]
    ) {
        let query = Query<Rendering<Value>>()
        expect("(a BETWEEN {%@, %@})", shown, query.a.contains(low...high))
        expect("((a >= %@) && (a < %@))", shown, query.a.contains(low..<high))
        expect("(ANY many.a BETWEEN {%@, %@})", shown, query.many.a.contains(low...high))
        expect("((list.@min >= %@) && (list.@max <= %@))", shown, query.list.contains(low...high))
        expect("((list.@min >= %@) && (list.@max < %@))", shown, query.list.contains(low..<high))
        expect("((set.@min >= %@) && (set.@max <= %@))", shown, query.set.contains(low...high))
        expect("((map.@min >= %@) && (map.@max < %@))", shown, query.map.contains(low..<high))
        extremes(low, shown[0])
    }

    private func optionalRange<Value: Comparable & MinMaxType>(
        _ low: Value,
        _ high: Value,
        _ shown: [Any?]
    ) where Value: _RealmCollectionValueInsideOptional {
        let query = Query<Rendering<Value?>>()
        expect("(a BETWEEN {%@, %@})", shown, query.a.contains(low...high))
        expect("((a >= %@) && (a < %@))", shown, query.a.contains(low..<high))
        expect("((list.@min >= %@) && (list.@max <= %@))", shown, query.list.contains(low...high))
        expect("((map.@min >= %@) && (map.@max <= %@))", shown, query.map.contains(low...high))
    }

    private func extremes<Value: RealmCollectionValue & MinMaxType>(_ value: Value, _ shown: Any?) {
        let query = Query<Rendering<Value>>()
        expect("(list.@min == %@)", [shown], query.list.min == value)
        expect("(set.@max != %@)", [shown], query.set.max != value)
        expect("(map.@min == %@)", [shown], query.map.min == value)
        expect("(map.@max == %@)", [shown], query.map.max == value)
        expect("(many.@min.a == %@)", [shown], query.many.a.min == value)
        expect("(before.@max.a == %@)", [shown], query.before.a.max == value)
    }

    private func sums<Value: RealmCollectionValue & AddableType>(_ value: Value, _ shown: Any?) {
        let query = Query<Rendering<Value>>()
        expect("(list.@sum == %@)", [shown], query.list.sum == value)
        expect("(set.@avg == %@)", [shown], query.set.avg == value)
        expect("(map.@sum == %@)", [shown], query.map.sum == value)
        expect("(map.@avg == %@)", [shown], query.map.avg == value)
        expect("(many.@sum.a == %@)", [shown], query.many.a.sum == value)
        expect("(next.many.@avg.a == %@)", [shown], query.next.many.a.avg == value)
    }

    private func parts<Value: RealmCollectionValue & _QueryBinary>(_ value: Value, _ shown: Any?) {
        let query = Query<Rendering<Value>>()
        let options: [(Domesday.StringOptions?, String)] = [
            (nil, ""), (.caseInsensitive, "[c]"), (.diacriticInsensitive, "[d]"),
            ([.caseInsensitive, .diacriticInsensitive], "[cd]"),
        ]
        for (options, letters) in options {
            expect("(a CONTAINS\(letters) %@)", [shown], query.a.contains(value, options: options))
            expect(
                "(a BEGINSWITH\(letters) %@)",
                [shown],
                query.a.starts(with: value, options: options)
            )
            expect(
                "(a ENDSWITH\(letters) %@)",
                [shown],
                query.a.ends(with: value, options: options)
            )
            expect("(a ==\(letters) %@)", [shown], query.a.equals(value, options: options))
            expect("(a !=\(letters) %@)", [shown], query.a.notEquals(value, options: options))
            expect("(a CONTAINS\(letters) b)", [], query.a.contains(query.b, options: options))
            expect(
                "(a BEGINSWITH\(letters) b)",
                [],
                query.a.starts(with: query.b, options: options)
            )
            expect(
                "(a ENDSWITH\(letters) next.b)",
                [],
                query.a.ends(with: query.next.b, options: options)
            )
            expect("(a ==\(letters) b)", [], query.a.equals(query.b, options: options))
            expect("(a !=\(letters) b)", [], query.a.notEquals(query.b, options: options))
        }
    }

    private func patterns<Value: RealmCollectionValue & _QueryString>(_ value: Value, _ shown: Any?)
    {
        let query = Query<Rendering<Value>>()
        expect("(a LIKE %@)", [shown], query.a.like(value))
        expect("(a LIKE[c] %@)", [shown], query.a.like(value, caseInsensitive: true))
        expect("(a LIKE b)", [], query.a.like(query.b))
        expect("(a LIKE[c] next.b)", [], query.a.like(query.next.b, caseInsensitive: true))
        expect("(ANY many.a LIKE %@)", [shown], query.many.a.like(value))
    }

    private func integer<Value>(_ type: Value.Type)
    where
        Value: FixedWidthInteger & RealmCollectionValue & _QueryNumeric & MinMaxType & AddableType
            & _RealmCollectionValueInsideOptional
    {
        equality(Value(5), 5)
        equality(Value?.some(5), 5)
        equality(Value?.none, nil)
        order(Value(5), 5)
        order(Value?.some(5), 5)
        range(Value(1), Value(5), [1, 5])
        optionalRange(Value(1), Value(5), [1, 5])
        sums(Value(5), 5)
    }

    @Test("integers")
    func integers() {
        integer(Int.self)
        integer(Int8.self)
        integer(Int16.self)
        integer(Int32.self)
        integer(Int64.self)
    }

    @Test("other numbers, and dates")
    func numbers() {
        equality(Float(0.5), 0.5)
        order(Float(0.5), 0.5)
        range(Float(0.5), Float(2), [0.5, 2.0])
        sums(Float(0.5), 0.5)
        equality(Float?.none, nil)
        equality(0.5, 0.5)
        order(0.5, 0.5)
        range(0.5, 2, [0.5, 2.0])
        optionalRange(0.5, 2, [0.5, 2.0])
        sums(0.5, 0.5)
        order(Double?.some(0.5), 0.5)
        let decimal: Decimal128 = "1.5"
        equality(decimal, decimal)
        equality(Decimal128?.none, nil)
        order(decimal, decimal)
        range(decimal, 2, [decimal, 2 as Decimal128])
        optionalRange(decimal, 2, [decimal, 2 as Decimal128])
        sums(decimal, decimal)
        let date = Date(timeIntervalSinceReferenceDate: 5)
        equality(date, date)
        equality(Date?.none, nil)
        order(date, date)
        range(date, date + 1, [date, date + 1])
        optionalRange(date, date + 1, [date, date + 1])
    }

    @Test("text and data")
    func texts() {
        equality("x", "x")
        equality(String?.none, nil)
        equality(String?.some("x"), "x")
        order("x", "x")
        order(String?.some("x"), "x")
        parts("x", "x")
        parts(String?.none, nil)
        parts(String?.some("x"), "x")
        patterns("x*", "x*")
        patterns(String?.some("x?"), "x?")
        let data = Data([1])
        equality(data, data)
        equality(Data?.none, nil)
        order(data, data)
        parts(data, data)
        parts(Data?.some(data), data)
    }

    @Test("truth values and identifiers")
    func identifiers() {
        equality(true, true)
        equality(Bool?.none, nil)
        let uuid = UUID()
        equality(uuid, uuid)
        equality(UUID?.none, nil)
        let objectId = ObjectId.generate()
        equality(objectId, objectId)
        equality(ObjectId?.none, nil)
    }

    @Test("enums and custom types become what is stored")
    func stored() {
        equality(ZooKind.dog, 2)
        equality(ZooKind?.none, nil)
        equality(ZooWord.no, "no")
        equality(ZooRatio.half, 0.5)
        equality(RenderedWord("x"), "x")
        equality(RenderedWord?.none, nil)
        equality(ZooMeters(value: 5), 5)
        order(ZooKind.dog, 2)
        let kinds = Query<Rendering<ZooKind>>()
        expect("(a > %@)", [1], kinds.a.rawValue > 1)
        expect("(ANY list > %@)", [1], kinds.list.rawValue > 1)
        expect("(ANY set == %@)", [1], kinds.set.rawValue == 1)
        expect("(ANY map < %@)", [1], kinds.map.rawValue < 1)
        let words = Query<Rendering<ZooWord?>>()
        expect("(a BEGINSWITH %@)", ["y"], words.a.rawValue.starts(with: "y"))
        expect("(ANY list == %@)", [nil], words.list.rawValue == nil)
        expect("(ANY map == %@)", ["y"], words.map.rawValue == "y")
        let letters = Query<Rendering<RenderedWord>>()
        expect("(a LIKE %@)", ["?"], letters.a.persistableValue.like("?"))
        expect("(ANY list > %@)", ["x"], letters.list.persistableValue > "x")
        expect("(ANY map == %@)", ["x"], letters.map.persistableValue == "x")
        let meters = Query<Rendering<ZooMeters?>>()
        expect("(a > %@)", [5], meters.a.persistableValue > 5)
        expect("(ANY set == %@)", [nil], meters.set.persistableValue == nil)
        expect("(ANY map == %@)", [nil], meters.map.persistableValue == nil)
    }

    @Test("values of any type")
    func anyValues() {
        let x = AnyRealmValue.string("x")
        equality(AnyRealmValue.int(5), AnyRealmValue.int(5))
        equality(AnyRealmValue.none, AnyRealmValue.none)
        order(AnyRealmValue.string("x"), x)
        extremes(AnyRealmValue.double(0.5), AnyRealmValue.double(0.5))
        sums(AnyRealmValue.int(5), AnyRealmValue.int(5))
        let query = Query<Rendering<AnyRealmValue>>()
        expect(
            "(a CONTAINS[c] %@)",
            [x],
            query.a.contains(.string("x"), options: .caseInsensitive)
        )
        expect("(a BEGINSWITH %@)", [x], query.a.starts(with: .string("x")))
        expect("(a ENDSWITH %@)", [x], query.a.ends(with: .string("x")))
        expect("(a LIKE %@)", [x], query.a.like(.string("x")))
        expect("(a ==[d] %@)", [x], query.a.equals(.string("x"), options: .diacriticInsensitive))
        expect("(a !=[c] %@)", [x], query.a.notEquals(.string("x"), options: .caseInsensitive))
    }

    @Test("links")
    func links() {
        let object = Rendering<Int>()
        let query = Query<Rendering<Int>>()
        expect("(next == %@)", [object], query.next == object)
        expect("(next != %@)", [nil], query.next != nil)
        expect("(next IN %@)", [[object]], query.next.in([object]))
        expect("(%@ IN many)", [object], query.many.contains(object))
        expect("(ANY many IN %@)", [[object]], query.many.containsAny(in: [object]))
        expect("(ANY byName == %@)", [nil], query.byName == nil)
        expect("(byName[%@] == %@)", ["k", object], query.byName["k"] == object)
        expect("(%@ IN before)", [object], query.before.contains(object))
        expect("(before.@count == %@)", [0], query.before.count == 0)
        expect("((a == %@) && (b == %@))", [1, 2], query.a == 1 && query.b == 2)
        expect("((a == %@) || NOT (b == %@))", [1, 2], query.a == 1 || !(query.b == 2))
    }

    private func expect(
        _ text: String,
        _ arguments: [Any?],
        _ query: Query<Bool>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (rendered, shown) = query._constructPredicate()
        #expect(rendered == text, sourceLocation: sourceLocation)
        #expect(
            PredicateLanguage.Expression(normalizing: shown)
                == PredicateLanguage.Expression(normalizing: arguments),
            "\(shown) is not \(arguments)",
            sourceLocation: sourceLocation
        )
        do throws(PredicateSyntaxError) {
            let parsed = try PredicateParser.parse(text, arguments: arguments)
            #expect(query.predicate.root == parsed.root, sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}

extension Query {
    /// The condition that a block makes of it.
    fileprivate func `where`(_ condition: (Query) -> Query<Bool>) -> Query<Bool> { condition(self) }
}
