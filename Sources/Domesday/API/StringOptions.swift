import PredicateLanguage

/// How a typed query compares text.
///
/// **Threads.** A value; any thread.
public struct StringOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int8

    /// Makes a set of its bits.
    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Upper and lower case are equal.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without accents are equal.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// The same in the predicate language.
    var modifiers: PredicateLanguage.StringOptions {
        var modifiers: PredicateLanguage.StringOptions = []
        if contains(.caseInsensitive) { modifiers.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { modifiers.insert(.diacriticInsensitive) }
        return modifiers
    }
}
