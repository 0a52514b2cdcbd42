import Testing

@testable import PredicateLanguage
