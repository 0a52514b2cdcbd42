import Testing

@testable import Domesday

// Without `import Foundation`, so that the bare name is tried too.

private class SortedPet: Object {
    @Persisted var name = ""
    @Persisted var owner: SortedOwner?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SortedOwner: Object {
    @Persisted var age = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Sort descriptors")
struct SortDescriptorTests {
    @Test("a key path is named by its properties, through links")
    func keyPaths() {
        #expect(SortDescriptor(keyPath: \SortedPet.name).keyPath == "name")
        #expect(SortDescriptor(keyPath: \SortedPet.owner?.age).keyPath == "owner.age")
        let partial: PartialKeyPath<SortedPet> = \.name
        #expect(
            SortDescriptor(keyPath: partial, ascending: false)
                == SortDescriptor(keyPath: "name", ascending: false)
        )
    }

    @Test("ascending unless said otherwise; literals and reversal")
    func direction() {
        let literal: SortDescriptor = "name"
        #expect(literal == SortDescriptor(keyPath: "name", ascending: true))
        #expect(literal.reversed() == SortDescriptor(keyPath: "name", ascending: false))
        #expect(literal.reversed().reversed() == literal)
        #expect(literal != SortDescriptor(keyPath: "age"))
        #expect("\(literal)" == "SortDescriptor(keyPath: name, direction: ascending)")
    }
}
