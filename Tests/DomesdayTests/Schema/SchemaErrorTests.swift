import Testing

@testable import Domesday

private class NoProperties: Object { var x = 0 }
private class RequiredLink: Object { @Persisted var link: SchemaTarget }
private class SchemaTarget: Object { @Persisted var name = "" }
private class OptionalElements: Object { @Persisted var links: List<SchemaTarget?> }
private class OptionalMembers: Object { @Persisted var links: MutableSet<SchemaTarget?> }
private class RequiredValues: Object { @Persisted var links: Map<String, SchemaTarget> }
private class SetPart: EmbeddedObject { @Persisted var a = 0 }
private class SetOfParts: Object {
    @Persisted var part: SetPart?
    @Persisted var parts: MutableSet<SetPart>
}
private class PlainCollections: Object {
    @Persisted var a = 0
    let numbers = List<Int?>()
    let names = MutableSet<String>()
    var prices = Map<String, Int>()
    let cache = List<Int>()
    override class func ignoredProperties() -> [String] { ["cache"] }
}
private class NoOrigin: Object { @Persisted var sources: LinkingObjects<SchemaTarget> }
private class UnknownOrigin: Object {
    @Persisted(originProperty: "nope") var sources: LinkingObjects<SchemaTarget>
}
private class ScalarOrigin: Object {
    @Persisted(originProperty: "name") var sources: LinkingObjects<SchemaTarget>
}
private class OtherOrigin: Object {
    @Persisted(originProperty: "target") var sources: LinkingObjects<Linker>
}
private class Linker: Object { @Persisted var target: SchemaTarget? }
private class TwoKeys: Object {
    @Persisted(primaryKey: true) var a = 0
    @Persisted(primaryKey: true) var b = 0
}
private class BoolKey: Object { @Persisted(primaryKey: true) var flag = false }
private class NamedKey: Object {
    @Persisted var a = 0
    override class func primaryKey() -> String? { "missing" }
}
private class IndexedDouble: Object {
    @Persisted var a = 0.0
    override class func indexedProperties() -> [String] { ["a"] }
}
private class EmbeddedWithKey: EmbeddedObject { @Persisted(primaryKey: true) var a = 0 }
private class Lonely: EmbeddedObject { @Persisted var a = 0 }
private class Cyclic: EmbeddedObject { @Persisted var next: Cyclic? }
private class CyclicOwner: Object { @Persisted var first: Cyclic? }
private class Aliased: Object {
    @Persisted var a = 0
    @Persisted var b = 0
    override class func propertiesMapping() -> [String: String] { ["a": "b"] }
}
private enum Elsewhere {
    class SchemaTarget: Object { @Persisted var name = "" }
}
private class KeyedByName: Object {
    @Persisted var code = ""
    @Persisted var extra = 0
    @Persisted var ignored = 0
    override class func primaryKey() -> String? { "code" }
    override class func indexedProperties() -> [String] { ["extra"] }
    override class func ignoredProperties() -> [String] { ["ignored"] }
    override class func propertiesMapping() -> [String: String] { ["extra": "column_extra"] }
    override class func _realmObjectName() -> String? { "Renamed" }
}

@Suite("Schema errors")
struct SchemaErrorTests {
    private func message(_ types: ObjectBase.Type...) -> String {
        do throws(Realm.Error) {
            _ = try SchemaBuilder.schemas(of: types)
            return ""
        } catch {
            #expect(error.code == .schemaMismatch)
            return error.description
        }
    }

    @Test("a collection without @Persisted is an error that says what to write")
    func plainCollections() {
        let text = message(PlainCollections.self)
        for line in [
            "Property 'PlainCollections.numbers' is not stored: write "
                + "'@Persisted var numbers: List<Int?>', or name it in ignoredProperties().",
            "'@Persisted var names: MutableSet<String>'",
            "'@Persisted var prices: Map<String, Int>'",
        ] { #expect(text.contains(line), "\(text)") }
        #expect(!text.contains("cache"), "\(text)")
    }

    @Test("each mistake has RealmSwift's sentence")
    func sentences() {
        func check(_ types: ObjectBase.Type..., says text: String) {
            let message: String
            do throws(Realm.Error) {
                _ = try SchemaBuilder.schemas(of: types)
                message = ""
            } catch { message = error.description }
            #expect(message.contains(text), "\(message)")
        }
        check(
            OptionalMembers.self,
            SchemaTarget.self,
            says: "MutableSet<SchemaTarget> property 'links' must not be marked as optional."
        )
        check(
            RequiredValues.self,
            SchemaTarget.self,
            says: "Map<String, SchemaTarget> property 'links' must be marked as optional."
        )
        check(
            SetOfParts.self,
            SetPart.self,
            says: "Set property 'SetOfParts.parts' cannot contain embedded object type 'SetPart'."
        )
        check(NoProperties.self, says: "No properties are defined for 'NoProperties'.")
        check(
            RequiredLink.self,
            SchemaTarget.self,
            says: "Object property 'link' must be marked as optional."
        )
        check(
            OptionalElements.self,
            SchemaTarget.self,
            says: "List<SchemaTarget> property 'links' must not be marked as optional."
        )
        check(
            NoOrigin.self,
            SchemaTarget.self,
            says: "LinkingObjects<SchemaTarget> property 'sources' must set the origin property "
                + "name with @Persisted(originProperty: \"name\")."
        )
        check(
            UnknownOrigin.self,
            SchemaTarget.self,
            says: "Property 'SchemaTarget.nope' declared as origin of linking objects property "
                + "'UnknownOrigin.sources' does not exist"
        )
        check(
            ScalarOrigin.self,
            SchemaTarget.self,
            says: "Property 'SchemaTarget.name' declared as origin of linking objects property "
                + "'ScalarOrigin.sources' is not a link"
        )
        check(
            OtherOrigin.self,
            Linker.self,
            SchemaTarget.self,
            says: "'OtherOrigin.sources' links to type 'SchemaTarget'"
        )
        check(
            TwoKeys.self,
            says: "Properties 'a' and 'b' are both marked as the primary key of 'TwoKeys'."
        )
        check(
            BoolKey.self,
            says: "Property 'flag' cannot be made the primary key of 'BoolKey' because it is not "
                + "a 'string', 'int', 'objectId', or 'uuid' property."
        )
        check(
            NamedKey.self,
            says: "Primary key property 'missing' does not exist on object 'NamedKey'"
        )
        check(
            IndexedDouble.self,
            says: "Property 'IndexedDouble.a' of type 'double' cannot be indexed."
        )
        check(
            EmbeddedWithKey.self,
            says: "Embedded object type 'EmbeddedWithKey' cannot have a primary key."
        )
        check(
            Lonely.self,
            says: "Embedded object 'Lonely' is unreachable by any link path from top level "
                + "objects."
        )
        check(
            CyclicOwner.self,
            Cyclic.self,
            says: "Cycles containing embedded objects are not currently supported: "
                + "'Cyclic.Cyclic'"
        )
        check(
            Aliased.self,
            says: "Alias 'b' appears more than once in the schema for type 'Aliased'."
        )
        check(
            Linker.self,
            says: "Property 'Linker.target' of type 'object' has unknown object type"
        )
    }

    @Test("all mistakes are told at once, under one heading")
    func gathered() {
        let text = message(NoProperties.self, BoolKey.self, TwoKeys.self)
        #expect(text.hasPrefix("Schema validation failed due to the following errors:\n- "))
        #expect(text.split(separator: "\n").count == 4)
    }

    @Test("two classes of one name are told with their modules")
    func twoOfOneName() {
        let text = message(SchemaTarget.self, Elsewhere.SchemaTarget.self)
        #expect(text.contains("are both named 'SchemaTarget'"))
        #expect(text.contains("Elsewhere"))
        #expect(text.contains("DomesdayTests."))
    }

    @Test("the overrides of a class are honoured")
    func overrides() throws {
        let schema = try #require(try SchemaBuilder.schemas(of: [KeyedByName.self]).first)
        #expect(schema.name == "Renamed")
        #expect(schema.properties.map(\.name) == ["code", "extra"])
        #expect(schema.properties.map(\.columnName) == ["code", "column_extra"])
        #expect(schema.primaryKey?.name == "code")
        #expect(schema.property(named: "extra")?.isIndexed == true)
        let table = schema.tableDefinition(id: 3) { _ in nil }
        #expect(table.columns.map(\.name) == ["code", "column_extra"])
    }

    @Test("an error matches its code in a catch, and knows its domain")
    func errorMatching() {
        do { _ = try SchemaBuilder.schemas(of: [NoProperties.self]) } catch {
            let any: any Error = error
            #expect(Realm.Error.schemaMismatch ~= any)
            #expect(!(Realm.Error.fileAccess ~= any))
            #expect(Realm.Error.errorDomain == "io.realm" && error.errorCode == 10)
        }
    }
}
