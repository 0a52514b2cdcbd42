// Full-text search: the property must be declared `@Persisted(indexed: .fullText)`.

extension Query where T: _QueryString {
    /// Has all these words, in whatever order, case and accents.
    ///
    /// | in `words` | asks for |
    /// |---|---|
    /// | `swan lake` | both words |
    /// | `swa*` | a word that begins so |
    /// | `-black` | no such word |
    /// | `"swan lake"` | the words one after the other |
    ///
    /// Words joined by signs alone (`well-known`) are asked for one after the other, and so are
    /// Chinese, Japanese and Korean characters. A text of which only words are excluded matches
    /// whatever has none of them; nil has no words.
    ///
    /// - Precondition: `words` has at least one word: "Missing search token"; the property has a
    ///   full-text index: "Column has no fulltext index".
    /// - Complexity: as many texts are read as have the rarest of the words.
    public func contains(words: String) -> Query<Bool> {
        Self.comparing(self, .text, .constant(words))
    }

    /// As ``contains(words:)``.
    public func fullTextSearch(_ words: String) -> Query<Bool> { contains(words: words) }
}
