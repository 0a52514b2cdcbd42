import Testing

@testable import Domesday

private class DiscoveredBase: Object {
    @Persisted var first = 1
    var plain = "not stored"
    @Persisted var second: String
}

private class DiscoveredMiddle: DiscoveredBase {
    var plainToo: [Int] = [1, 2]
}

private class DiscoveredLeaf: DiscoveredMiddle {
    @Persisted(indexed: true) var third: Int?
    @Persisted(primaryKey: true) var fourth: String
}

private class OptedOut: Object {
    @Persisted var value = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class DiscoveredGeneric<T>: Object {
    @Persisted var value = 0
}

private class NestedMaker: Object {
    @Persisted var before = 1
    var helper = DiscoveredLeaf()
    @Persisted(indexed: true) var after = 2
    required init() {
        super.init()
        let other = DiscoveredLeaf()
        other.first = 9
        after = other.first
    }
}

@Suite("Schema discovery")
struct SchemaDiscoveryTests {
    @Test("every non-generic class that did not opt out is found, at any depth")
    func found() {
        let classes = SchemaBuilder.defaultClasses()
        func has(_ type: ObjectBase.Type) -> Bool { classes.contains { $0 == type } }
        #expect(has(DiscoveredBase.self) && has(DiscoveredMiddle.self) && has(DiscoveredLeaf.self))
        #expect(!has(OptedOut.self))
        #expect(!has(Object.self) && !has(EmbeddedObject.self))
        #expect(!has(DiscoveredGeneric<Int>.self))
    }

    @Test("local classes of functions are found")
    func foundLocal() {
        class LocalToFunction: Object { @Persisted var x = 0 }
        #expect(TypeDiscovery.subclasses(of: Object.self).contains { $0 == LocalToFunction.self })
    }

    @Test("inherited properties come first, plain ones between are skipped")
    func properties() {
        let schema = ClassSchema.of(DiscoveredLeaf.self)
        #expect(schema.properties.map(\.name) == ["first", "second", "third", "fourth"])
        #expect(schema.primaryKey?.name == "fourth")
        #expect(schema.properties.map(\.isIndexed) == [false, false, true, false])
        #expect(schema.property(named: "third")?.shape.isOptional == true)
    }

    @Test("offsets lead to the wrappers")
    func offsets() {
        let object = DiscoveredLeaf()
        object.first = 5
        object.second = "five"
        object.third = 55
        object.fourth = "key"
        let schema = ClassSchema.of(DiscoveredLeaf.self)
        let values = schema.properties.map { $0.field.value(of: object, at: $0.offset) }
        #expect(values[0] as? Int == 5)
        #expect(values[1] as? String == "five")
        #expect(values[2] as? Int == 55)
        #expect(values[3] as? String == "key")
    }

    @Test("models built in defaults and init bodies do not disturb a class's declarations")
    func nestedModels() {
        let schema = ClassSchema.of(NestedMaker.self)
        #expect(schema.errors == [])
        #expect(schema.properties.map(\.name) == ["before", "after"])
        #expect(schema.properties.map(\.isIndexed) == [false, true])
        #expect(schema.primaryKey == nil)
    }

    @Test("the public schema describes classes and properties")
    func publicSchema() throws {
        let schema = Schema(try SchemaBuilder.schemas(of: [DiscoveredLeaf.self]))
        let leaf = try #require(schema["DiscoveredLeaf"])
        #expect(leaf.primaryKeyProperty?.name == "fourth")
        #expect(leaf["third"]?.type == .int)
        #expect(leaf["third"]?.isOptional == true && leaf["third"]?.isIndexed == true)
        #expect(leaf["fifth"] == nil)
        #expect(DiscoveredLeaf().objectSchema == leaf)
        #expect(leaf.description.contains("third {"))
    }
}
