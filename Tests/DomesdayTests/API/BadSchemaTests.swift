import Foundation
import Testing

@testable import Domesday

private class SoundClass: Object {
    @Persisted var name = ""
    @Persisted var other: SoundClass?
}
private class LinkNotOptional: Object { @Persisted var friend: SoundClass }
private class OriginUnknown: Object {
    @Persisted(originProperty: "nobody") var sources: LinkingObjects<SoundClass>
}
private class KeyedTwice: Object {
    @Persisted(primaryKey: true) var first = 0
    @Persisted(primaryKey: true) var second = ""
}
private class NothingPersisted: Object { var plain = 0 }
private class HoldsUnknown: Object { @Persisted var absent: SoundClass? }
private class KeyOfBool: Object { @Persisted(primaryKey: true) var flag = false }
private class IndexOfData: Object {
    @Persisted var picture = Data()
    override class func indexedProperties() -> [String] { ["picture"] }
}
private enum Twin {
    class SoundClass: Object { @Persisted var name = "" }
}

/// What `Realm.init` says of classes that cannot be stored, before it touches any file.
@Suite("Bad schemas")
struct BadSchemaTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let classes: [ObjectBase.Type]
        /// What the message must name: class and property.
        let names: [String]
    }

    static let samples = [
        Sample(
            testDescription: "a link that is not optional",
            classes: [LinkNotOptional.self, SoundClass.self],
            names: ["LinkNotOptional", "'friend'"]
        ),
        Sample(
            testDescription: "an origin that does not exist",
            classes: [OriginUnknown.self, SoundClass.self],
            names: ["'OriginUnknown.sources'", "'SoundClass.nobody'"]
        ),
        Sample(
            testDescription: "two primary keys",
            classes: [KeyedTwice.self],
            names: ["'KeyedTwice'", "'first'", "'second'"]
        ),
        Sample(
            testDescription: "two classes of one name",
            classes: [SoundClass.self, Twin.SoundClass.self],
            names: ["'SoundClass'", "Twin.SoundClass", "objectTypes"]
        ),
        Sample(
            testDescription: "no @Persisted property",
            classes: [NothingPersisted.self],
            names: ["'NothingPersisted'", "@Persisted"]
        ),
        Sample(
            testDescription: "a link to a class that is left out",
            classes: [HoldsUnknown.self],
            names: ["'HoldsUnknown.absent'", "'SoundClass'"]
        ),
        Sample(
            testDescription: "a primary key of a type that cannot be one",
            classes: [KeyOfBool.self],
            names: ["'KeyOfBool'", "'flag'"]
        ),
        Sample(
            testDescription: "an index of a type that cannot have one",
            classes: [IndexOfData.self],
            names: ["'IndexOfData.picture'"]
        ),
    ]

    @Test("the error names class and property, and no file is made", arguments: samples)
    func refused(_ sample: Sample) throws {
        let folder = try StorageFolder()
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.file()),
            objectTypes: sample.classes
        )
        var error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        for name in sample.names {
            #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
        }
        #expect(try folder.contents().isEmpty)
        // Nor is a store touched that is there already.
        configuration.objectTypes = [SoundClass.self]
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(SoundClass()) }
        }
        let before = try folder.contents()
        configuration.objectTypes = sample.classes
        error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        #expect(try folder.contents() == before)
    }
}
