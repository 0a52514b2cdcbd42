/// One person of the data set, in no store's form.
package struct PersonData: Hashable, Sendable {
    /// 36 characters, unique.
    package let id: String
    package let name: String
    /// 0 to 99.
    package let age: Int
    /// `[0, 1)`.
    package let score: Double
    /// Seconds since 1970 UTC.
    package let createdAt: Double
    package let isActive: Bool
    /// `nil` one time in four.
    package let email: String?
}

/// One dog of the data set.
package struct DogData: Hashable, Sendable {
    /// Its place in the data set, unique.
    package let id: Int
    package let name: String
    /// The place of its owner in ``DataSet/persons``.
    package let owner: Int
}

/// What every store is measured with: the same seed gives the same data and the same check values.
///
/// The order in which numbers are drawn is part of the definition; a test holds its digest.
///
/// **Threads.** A value; any thread.
package struct DataSet: Sendable {
    /// How many persons are read or changed one by one.
    package static let lookupCount = 100_000
    /// How many persons come in commits of their own.
    package static let commitCount = 500
    /// Elements that are put into a list, or taken out, at once.
    package static let listChangeCount = 10_000

    package let persons: [PersonData]
    package let dogs: [DogData]
    /// Persons that are not in ``persons``.
    package let additionalPersons: [PersonData]
    /// Ids of persons to look up, with repetition.
    package let lookups: [String]
    /// Ids of persons to change, with repetition.
    package let updates: [String]
    /// A name that a few persons bear.
    package let targetName: String

    /// 10,000 texts, most of them the email of a person each, from all over ``persons``.
    package var someEmails: [String] {
        (0..<10_000).map { index in
            let person = persons[index * persons.count / 10_000]
            return person.email ?? person.id
        }
    }

    /// Makes `count` persons and as many dogs.
    package init(count: Int, lookupCount: Int = Self.lookupCount) {
        let names = NameList()
        targetName = names.first[17] + " " + names.last[123]
        var source = PersonSource(names: names, numbers: SplitMix64(seed: 42))
        let persons = (0..<count).map { source.person($0) }
        self.persons = persons
        dogs = (0..<count).map { source.dog($0, ownerCount: count) }
        additionalPersons = (0..<2000).map { source.person(count + $0) }
        lookups = (0..<lookupCount).map { _ in persons[source.numbers.below(count)].id }
        updates = (0..<lookupCount).map { _ in persons[source.numbers.below(count)].id }
    }
}

/// Draws persons and dogs, one after another.
private struct PersonSource {
    let names: NameList
    var numbers: SplitMix64

    mutating func person(_ index: Int) -> PersonData {
        let id = identifier()
        let first = names.first[numbers.below(names.first.count)]
        let last = names.last[numbers.below(names.last.count)]
        let age = numbers.below(100)
        let score = numbers.unit()
        let createdAt = 1_600_000_000 + numbers.unit() * 100_000_000
        let isActive = numbers.next() & 1 == 1
        let hasEmail = numbers.below(4) != 0
        return PersonData(
            id: id,
            name: "\(first) \(last)",
            age: age,
            score: score,
            createdAt: createdAt,
            isActive: isActive,
            email: hasEmail ? "\(first).\(last)\(index)@example.com" : nil
        )
    }

    mutating func dog(_ index: Int, ownerCount: Int) -> DogData {
        let name = names.first[numbers.below(names.first.count)]
        return DogData(id: index, name: name, owner: numbers.below(ownerCount))
    }

    /// 122 bits in the shape of a UUID.
    private mutating func identifier() -> String {
        let (high, low) = (numbers.next(), numbers.next())
        return [
            hexadecimal(high >> 32, digitCount: 8),
            hexadecimal(high >> 16 & 0xffff, digitCount: 4),
            hexadecimal(high & 0xffff, digitCount: 4),
            hexadecimal(low >> 48, digitCount: 4),
            hexadecimal(low & 0xffff_ffff_ffff, digitCount: 12),
        ].joined(separator: "-")
    }

    private func hexadecimal(_ value: UInt64, digitCount: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
