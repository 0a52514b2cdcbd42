import Foundation
import Testing

@testable import Domesday

private class Article: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted(indexed: .fullText) var body: String
    @Persisted(indexed: .fullText) var note: String? = "new"
    @Persisted var title: String
    @Persisted var related: List<Article>
    @Persisted var parent: Article?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same class in the store, without indexes.
private class PlainArticle: Object {
    @Persisted(primaryKey: true) var serial: Int
    @Persisted var body: String
    @Persisted(indexed: true) var note: String?
    @Persisted var title: String
    @Persisted var related: List<PlainArticle>
    @Persisted var parent: PlainArticle?
    override class func _realmObjectName() -> String? { "Article" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DoublyIndexed: Object {
    @Persisted(indexed: .fullText) var text: String
    override class func indexedProperties() -> [String] { ["text"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Full-text search")
struct FullTextTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ types: [ObjectBase.Type] = [Article.self],
        _ name: String = "articles"
    ) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent(name),
                objectTypes: types
            )
        )
    }

    private func serials(_ results: Results<Article>) -> [Int] { results.map(\.serial).sorted() }

    private func add(_ realm: Realm, _ bodies: [String]) throws {
        try realm.write {
            for (serial, body) in bodies.enumerated() {
                realm.create(Article.self, value: ["serial": serial, "body": body])
            }
        }
    }

    private func refusal(_ results: Results<Article>, _ text: String, _ words: Any) -> String {
        do {
            _ = try results.tryFilter(text, words)
            return ""
        } catch { return "\(error)" }
    }

    @Test("text, NSPredicate and typed queries find words, as does the evaluator")
    func ways() throws {
        let realm = try open()
        try add(realm, ["The swan lake", "A black swan", "Die Straße am See", "東京タワー"])
        let articles = realm.objects(Article.self)
        #expect(serials(articles.filter("body TEXT %@", "swan")) == [0, 1])
        #expect(serials(articles.filter("body TEXT $0", "SWAN -black")) == [0])
        #expect(serials(articles.filter("body text 'strasse'")) == [2])
        #expect(serials(articles.filter(NSPredicate(format: "body TEXT %@", "京タ"))) == [3])
        #expect(serials(articles.where { $0.body.contains(words: "swa* black") }) == [1])
        #expect(serials(articles.where { $0.body.fullTextSearch("\"swan lake\"") }) == [0])
        #expect(serials(articles.where { !$0.body.contains(words: "swan") }) == [2, 3])
        #expect(serials(articles.where { $0.note.contains(words: "new") }) == [0, 1, 2, 3])
        #expect(serials(articles.filter("body TEXT 'swan' OR body TEXT 'see'")) == [0, 1, 2])
        #expect(serials(articles.filter("body TEXT 'swan' AND serial > 0")) == [1])
        #expect(articles.filter("body TEXT 'swan'").count == 2)
        let predicate = NSPredicate(format: "body TEXT %@", "swan -black")
        #expect(articles.filter { predicate.evaluate(with: $0) }.map(\.serial) == [0])
        let query = Query<Article>._constructForTesting().body.contains(words: "swan")
        #expect(query._constructPredicate().0 == "(body TEXT %@)")
    }

    @Test("behind links and collections, and in subqueries")
    func links() throws {
        let realm = try open()
        try add(realm, ["root", "the swan", "a lake"])
        let articles = realm.objects(Article.self)
        try realm.write {
            articles[0].related.append(objectsIn: [articles[1], articles[2]])
            articles[2].parent = articles[1]
        }
        #expect(serials(articles.filter("ANY related.body TEXT 'swan'")) == [0])
        #expect(serials(articles.filter("parent.body TEXT 'swan'")) == [2])
        #expect(serials(articles.filter("parent.body TEXT '-swan'")) == [0, 1])
        #expect(
            serials(
                articles.filter("SUBQUERY(related, $a, $a.body TEXT 'swan').@count == 1")
            ) == [0]
        )
    }

    @Test("the index follows every change in the same write, and a cancelled one leaves nothing")
    func changes() throws {
        let realm = try open()
        try add(realm, ["one two", "two three", "three four"])
        let articles = realm.objects(Article.self)
        let two = articles.filter("body TEXT 'two'")
        #expect(serials(two) == [0, 1])
        try realm.write {
            articles[0].body = "One zero"
            #expect(serials(two) == [1])
            articles[2].body += " two"
            #expect(serials(two) == [1, 2])
            realm.delete(articles[1])
            #expect(serials(two) == [2])
        }
        realm.beginWrite()
        realm.create(Article.self, value: ["serial": 9, "body": "two"])
        articles[0].body = "two"
        realm.deleteAll()
        #expect(two.isEmpty)
        realm.cancelWrite()
        #expect(serials(two) == [2])
        try realm.write {
            let long = String(repeating: "filler ", count: 3000)
            articles[0].body = long + "two"
            articles[0].note = nil
        }
        #expect(serials(two) == [0, 2])
        #expect(serials(articles.filter("note TEXT 'new'")) == [2])
        #expect(serials(articles.filter("note TEXT '-new'")) == [0])
        try realm.write { articles[0].body = "short" }
        #expect(serials(two) == [2])
        try realm.verify()
    }

    @Test("a property without the index is refused, and so is a search for nothing")
    func refusals() throws {
        let realm = try open()
        let articles = realm.objects(Article.self)
        #expect(
            refusal(articles, "title TEXT %@", "a").contains(
                "Column has no fulltext index: 'title' of class 'Article'"
            )
        )
        #expect(refusal(articles, "serial TEXT %@", "a").contains("Operator 'TEXT' not supported"))
        #expect(refusal(articles, "body TEXT %@", 5).contains("needs a text on its right side"))
        #expect(refusal(articles, "body TEXT %@", " - ").contains("Missing search token"))
        #expect(refusal(articles, "body TEXT[c] %@", "a").contains("not supported with modifier"))
        do {
            _ = try open([DoublyIndexed.self], "double")
            Issue.record("a property with two indexes was accepted")
        } catch {
            #expect("\(error)".contains("cannot have a full-text index beside another"))
        }
    }

    @Test("an index comes and goes with the class's declaration")
    func schema() throws {
        try autoclosed { realm in
            try realm.write {
                for serial in 0..<600 {
                    let body = serial % 3 == 0 ? "swan \(serial)" : "lake"
                    realm.create(PlainArticle.self, value: ["serial": serial, "body": body])
                }
            }
        }
        let realm = try open()
        let swans = realm.objects(Article.self).filter("body TEXT 'swan'")
        #expect(swans.count == 200)
        #expect(swans.explain().hasPrefix("full-text index on Article.body for 'swan'"))
        try realm.verify()
    }

    /// Runs `body` with the store opened by the class without indexes, and closes it.
    private func autoclosed(_ body: (Realm) throws -> Void) throws {
        try body(try open([PlainArticle.self]))
    }

    @Test("the plan is told: the rarest word first")
    func explaining() throws {
        let realm = try open()
        let bodies = (0..<500).map { number in
            "common" + (number % 50 == 0 ? " rare" : "") + (number % 100 == 0 ? " rarest" : "")
        }
        try add(realm, bodies)
        let articles = realm.objects(Article.self)
        #expect(
            articles.filter("body TEXT 'common rare rarest'").explain()
                == "full-text index on Article.body for 'rarest', 'rare', 'common': 5 objects, "
                + "each tested"
        )
        #expect(
            articles.filter("body TEXT 'rar*' AND title == ''").explain()
                == "full-text index on Article.body for 'rar*': 15 objects, each tested"
        )
        #expect(
            articles.filter("NOT body TEXT 'rare'").explain() == "scan of 500 objects of Article"
        )
    }

    @Test("random histories: what the index finds is what the texts say")
    func histories() throws {
        let realm = try open()
        var random = SplitMix64(seed: Scale.seed)
        let vocabulary = [
            "swan", "swans", "Swanlike", "lake", "Straße", "café", "CAFE", "東京", "京都", "東",
            "ёлка", "well-known", "it's", "3.14", "a", "b", "internationalization", "international",
        ]
        func text() -> String {
            let count = Int.random(in: 0...6, using: &random)
            return (0..<count).map { _ in vocabulary.randomElement(using: &random) ?? "" }
                .joined(separator: Bool.random(using: &random) ? " " : ", ")
        }
        func search() -> String {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                var word = vocabulary.randomElement(using: &random) ?? ""
                if Int.random(in: 0..<4, using: &random) == 0 { word = word.prefix(3) + "*" }
                if Int.random(in: 0..<6, using: &random) == 0 {
                    word = "\"\(word) \(vocabulary.randomElement(using: &random) ?? "")\""
                }
                return (Int.random(in: 0..<4, using: &random) == 0 ? "-" : "") + word
            }.joined(separator: " ")
        }
        var model: [Int: String] = [:]
        var next = 0
        func change(_ texts: inout [Int: String]) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let body = text()
                realm.create(Article.self, value: ["serial": next, "body": body])
                texts[next] = body
                next += 1
            case 2:
                guard let serial = texts.keys.sorted().randomElement(using: &random) else { return }
                let body = text()
                realm.object(ofType: Article.self, forPrimaryKey: serial)?.body = body
                texts[serial] = body
            default:
                guard let serial = texts.keys.sorted().randomElement(using: &random),
                    let object = realm.object(ofType: Article.self, forPrimaryKey: serial)
                else { return }
                realm.delete(object)
                texts[serial] = nil
            }
        }
        func check(_ texts: [Int: String]) throws {
            for _ in 0..<3 {
                let words = search()
                guard let wanted = WordSearch(words) else { continue }
                let expected = texts.filter { entry in
                    Array(entry.value.utf8).withUnsafeBytes { wanted.matches($0) }
                }
                let articles = realm.objects(Article.self)
                let note = "DOMESDAY_SEED=\(Scale.seed): \(words)"
                #expect(
                    serials(articles.filter("body TEXT %@", words)) == expected.keys.sorted(),
                    "\(note)"
                )
                #expect(
                    articles.filter("NOT body TEXT %@", words).count
                        == texts.count - expected.count,
                    "\(note)"
                )
            }
        }
        for round in 0..<60 * Scale.factor {
            realm.beginWrite()
            var texts = model
            for _ in 0..<Int.random(in: 1...40, using: &random) { change(&texts) }
            try check(texts)
            if Int.random(in: 0..<4, using: &random) == 0 {
                realm.cancelWrite()
            } else {
                try realm.commitWrite()
                model = texts
            }
            try check(model)
            if round % 20 == 19 { try realm.verify() }
        }
        try realm.verify()
    }
}
