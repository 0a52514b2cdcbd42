import PredicateLanguage
import Testing

@Suite("Texts of a type-safe query builder")
struct BuilderTextTests {
    @Test(
        "a text as RealmSwift's builder writes it is read",
        arguments: [
            ("((age >= %@) && (age < %@))", "age >= 1 AND age < 2"),
            (
                "(NOT (name BEGINSWITH[cd] %@) || (flag == true))",
                "NOT name BEGINSWITH[cd] 1 OR flag == TRUE"
            ),
            ("(age BETWEEN {%@, %@})", "age BETWEEN {1, 2}"),
            ("(ANY list IN %@)", "ANY list IN 1"),
            ("(%@ IN list)", "1 IN list"),
            ("((list.@min >= %@) && (list.@max <= %@))", "list.@min >= 1 AND list.@max <= 2"),
            ("(map[%@] == %@)", "map[1] == 2"),
            ("(any map.@allKeys like[c] %@)", "ANY map.@allKeys LIKE[c] 1"),
            (
                "(SUBQUERY(dogs, $col1, (($col1.age > %@) && ($col1.name != nil))).@count > %@)",
                "SUBQUERY(dogs, $col1, $col1.age > 1 AND $col1.name != NULL).@count > 2"
            ),
            ("(any[%@][#any] == %@)", "#any[1][#any] == 2"),
            ("(best.name == name)", "best.name == name"),
        ]
    )
    func read(_ text: String, _ canonical: String) throws {
        let count = text.split(separator: "%@", omittingEmptySubsequences: false).count - 1
        let predicate = try PredicateParser.parse(
            text,
            arguments: Array(1...3).prefix(count).map { $0 }
        )
        #expect(predicate.description == canonical)
    }
}
