/// An index of what stands in a text, beside the index of whole values: `indexed: true`.
///
/// ```swift
/// class Article: Object {
///     @Persisted(indexed: .fullText) var body: String
/// }
/// let found = realm.objects(Article.self).where { $0.body.contains(words: "swan lake -black") }
/// ```
///
/// **Threads.** A value.
public enum TextIndex: Hashable, Sendable {
    /// Of the words: kept in the same write as the text. A property has this one or that of whole
    /// values; neither finds what the other does. Words are those of Unicode's annex 29, without
    /// case and accents; where a script has no spaces (Chinese, Japanese, Korean) two characters
    /// that follow each other are one.
    case fullText
}
