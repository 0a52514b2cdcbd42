import Foundation
import Testing

@testable import Domesday

@Suite("Words of a text")
struct TextWordsTests {
    private func words(_ text: String) -> [String] {
        let words = TextWords(text)
        return (0..<words.count).map { words[$0] }
    }

    @Test(
        "are those of Unicode's annex 29, in lower case and without accents",
        arguments: [
            ("", []),
            (" .,- ", []),
            ("Hello, World!", ["hello", "world"]),
            ("can't stop 'quoted'", ["can't", "stop", "quoted"]),
            ("it’s", ["it's"]),
            ("3.14 1,000 v2.0 a.b a,b", ["3.14", "1,000", "v2.0", "a.b", "a", "b"]),
            ("snake_case _ __x", ["snake_case", "__x"]),
            ("well-known/so", ["well", "known", "so"]),
            ("a:b 1:2", ["a:b", "1", "2"]),
            ("end. Start", ["end", "start"]),
            ("Café CAFE\u{301} Ångström naïve", ["cafe", "cafe", "angstrom", "naive"]),
            ("Straße STRASSE", ["strasse", "strasse"]),
            ("ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]),
            ("Ёлка Йод", ["елка", "иод"]),
            ("ﬁne ＦＵＬＬ１２", ["fine", "full12"]),
            ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
            ("हिन्दी", ["हिन्दी"]),
            ("a\u{AD}b zero\u{200D}width", ["ab", "zerowidth"]),
            ("🙂 ok 👍🏽", ["ok"]),
        ] as [(String, [String])]
    )
    func words(_ text: String, _ expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test(
        "of scripts without spaces are pairs of characters",
        arguments: [
            ("東京タワー", ["東京", "京タ", "タワ", "ワー", "ー"]),
            ("東", ["東"]),
            ("東京 tower 塔", ["東京", "京", "tower", "塔"]),
            ("v東京2", ["v", "東京", "京", "2"]),
            ("한국어", ["한국", "국어", "어"]),
            ("ｶﾞｽ ガス", ["ガス", "ス", "ガス", "ス"]),
            ("日本、日。", ["日本", "本", "日"]),
        ] as [(String, [String])]
    )
    func pairs(_ text: String, _ expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test("of a damaged text are what can be read; long runs of signs take no long time")
    func oddities() {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        let broken = bytes.withUnsafeBytes { TextWords($0) }
        #expect((0..<broken.count).map { broken[$0] } == ["a", "b"])
        #expect(words(String(repeating: "_", count: 200_000)) == [])
        #expect(words(String(repeating: "'", count: 200_000)) == [])
        #expect(words("a" + String(repeating: ".", count: 200_000)) == ["a"])
    }

    @Test("stand in an index where the beginnings of words are ranges")
    func images() {
        func image(_ word: String) -> UInt64 { WordImage.image(Array(word.utf8)[...], seed: 7) }
        func range(_ word: String) -> ClosedRange<UInt64> {
            WordImage.range(beginningWith: Array(word.utf8))
        }
        for word in ["a", "swift", "swiftly", "ёлка", "東京"] {
            for count in 1...word.count {
                #expect(range(String(word.prefix(count))).contains(image(word)), "\(word)")
            }
        }
        #expect(image("swiftly") != image("swifter"))
        #expect(!range("sw").contains(image("sa")) && !range("ab").contains(image("a")))
        #expect(image("a") != 0)
        #expect(TextWords("b a b").images(seed: 7) == [image("a"), image("b")])
    }
}

@Suite("What a search asks for")
struct WordSearchTests {
    private func matches(_ search: String, _ text: String) -> Bool? {
        WordSearch(search).map { search in
            Array(text.utf8).withUnsafeBytes { search.matches($0) }
        }
    }

    private func expect(
        _ search: String,
        finds: [String],
        misses: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in finds {
            #expect(matches(search, text) == true, "\(text)", sourceLocation: sourceLocation)
        }
        for text in misses {
            #expect(matches(search, text) == false, "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test("all words, in any order, case and accents")
    func words() {
        expect(
            "Swan LAKE",
            finds: ["The Lake of the Swan", "swan,lake", "SWAN & LAKE"],
            misses: ["swan", "lake", "swans lake", "", "swanlake"]
        )
        expect("cafe", finds: ["Café", "CAFE\u{301}s café"], misses: ["cafes"])
    }

    @Test("beginnings, and words that must not occur")
    func operators() {
        expect("swa*", finds: ["swan", "a Swallow", "swa"], misses: ["sw", "a wasp"])
        expect("swan -black", finds: ["white swan"], misses: ["black swan", "black", ""])
        expect("-black", finds: ["white", ""], misses: ["Black!"])
        expect("-bla*", finds: ["white"], misses: ["blank"])
        expect("-\"black swan\"", finds: ["swan black"], misses: ["a black swan"])
        expect("swan* -swans", finds: ["swanlike"], misses: ["swans", "swanlike swans"])
    }

    @Test("phrases: words one behind the other")
    func phrases() {
        expect(
            "\"swan lake\"",
            finds: ["the swan lake", "Swan, Lake"],
            misses: ["lake swan", "swan of lake"]
        )
        expect("well-known", finds: ["well known", "a well-known"], misses: ["known well"])
        expect("\"swan la*\"", finds: ["swan lamp"], misses: ["swan a lamp", "lamp"])
        expect("\"swan lake\" black", finds: ["black swan lake"], misses: ["swan lake"])
        expect("\"swan lake", finds: ["swan lake"], misses: ["lake swan"])
        expect("can't", finds: ["you can't"], misses: ["can not", "cant"])
    }

    @Test("characters of scripts without spaces: in this order, wherever")
    func ideographs() {
        expect("東京", finds: ["東京", "東京都", "大東京"], misses: ["京東", "東", "東 京"])
        expect("京", finds: ["東京", "京都", "京"], misses: ["東", ""])
        expect("東京タワー", finds: ["東京タワーへ"], misses: ["東京、タワー"])
        expect("東京 タワー", finds: ["東京とタワー", "タワー東京"], misses: ["東京"])
        expect("\"東京 tower\"", finds: ["大東京 tower"], misses: ["東京都 tower", "tower 東京"])
        expect("서울", finds: ["서울은"], misses: ["울서"])
        expect("-東京", finds: ["大阪"], misses: ["東京都"])
    }

    @Test("nothing, if there is no word")
    func nothing() {
        for text in ["", "  ", "-", "*", "\"\"", "- * .", "!?"] {
            #expect(WordSearch(text) == nil, "\(text)")
        }
    }
}
