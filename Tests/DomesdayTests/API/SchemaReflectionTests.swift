import Foundation
import Testing

@testable import Domesday

@Suite("Schema reflection")
struct SchemaReflectionTests {
    @Test("a class tells its properties before and after a Realm holds it")
    func properties() throws {
        let folder = try TemporaryFolder()
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        let schema = try #require(DynamicZoo.sharedSchema())
        #expect(schema == realm.schema["DynamicZoo"] && schema == DynamicZoo().objectSchema)
        #expect(schema.className == "DynamicZoo" && schema.objectClass == DynamicZoo.self)
        #expect(!schema.isEmbedded && !schema.isAsymmetric)
        #expect(schema.primaryKeyProperty?.name == "id")
        #expect(schema.properties.map(\.name).prefix(3) == ["id", "bool", "int8"])
        #expect(DynamicPart.sharedSchema()?.isEmbedded == true && Object.sharedSchema() == nil)
        #expect(
            realm.schema.objectSchema.map(\.className).sorted()
                == realm.schema.objectSchema.map(\.className)
        )
        #expect(realm.schema["Nobody"] == nil && schema["nothing"] == nil)
    }

    @Test(
        "each type of property is told with what it is",
        arguments: [
            ("id", PropertyType.int, false), ("int8", .int, false), ("bool", .bool, false),
            ("float", .float, false), ("double", .double, false), ("string", .string, false),
            ("data", .data, false), ("date", .date, false), ("uuid", .UUID, false),
            ("objectId", .objectId, false), ("mood", .string, false), ("rank", .int, true),
            ("optDate", .date, true), ("friend", .object, true), ("part", .object, true),
            ("friends", .object, false), ("ints", .int, false), ("strings", .string, true),
            ("admirers", .linkingObjects, false),
        ]
    )
    func types(_ name: String, _ type: PropertyType, _ isOptional: Bool) throws {
        let property = try #require(DynamicZoo.sharedSchema()?[name])
        #expect(property.type == type && property.isOptional == isOptional)
        #expect(property.name == name && property.columnName == name)
        let lists = ["friends", "parts", "ints", "strings", "moods"]
        #expect(property.isArray == lists.contains(name) && !property.isSet && !property.isMap)
        #expect(property.isIndexed == ["id", "string"].contains(name))
        #expect(property.isPrimaryKey == (name == "id"))
        let targets = ["friend": "DynamicZoo", "part": "DynamicPart", "friends": "DynamicZoo"]
        if type == .object { #expect(property.objectClassName == targets[name]) }
        #expect(property.linkOriginPropertyName == (name == "admirers" ? "friend" : nil))
    }

    @Test("descriptions have RealmSwift's form")
    func descriptions() throws {
        let schema = try #require(DynamicPart.sharedSchema())
        #expect(
            schema["maker"]?.description == """
                maker {
                \ttype = object;
                \tobjectClassName = DynamicZoo;
                \tindexed = NO;
                \tisPrimary = NO;
                \tarray = NO;
                \tset = NO;
                \tdictionary = NO;
                \toptional = YES;
                }
                """
        )
        #expect(schema.description.hasPrefix("DynamicPart (embedded) {\n\tsize {\n\t\ttype = int;"))
        #expect(
            Schema([ClassSchema.of(DynamicTwin.self)]).description.hasPrefix(
                "Schema {\n\tDynamicTwin {\n"
            )
        )
    }

    @Test("what is told is compared by value")
    func equality() throws {
        let size = try #require(DynamicPart.sharedSchema()?["size"])
        #expect(size == DynamicTwin.sharedSchema()?["size"])
        #expect(size == Property("size", .int) && size != Property("size", .int, isOptional: true))
        #expect(Property("size", .int).hashValue == size.hashValue)
        #expect(DynamicPart.sharedSchema() != DynamicTwin.sharedSchema())
        let twin = ObjectSchema(
            className: "DynamicTwin",
            properties: [
                Property("size", .int), Property("label", .string, isOptional: true),
                .link("maker", to: "DynamicZoo"),
            ]
        )
        #expect(twin == DynamicTwin.sharedSchema())
    }
}
