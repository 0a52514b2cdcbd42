import Testing

@testable import Domesday

/// A Realm in memory with the given classes, confined to the current thread.
func makeRealmState(
    _ classes: [ObjectBase.Type], confinement: Confinement = .currentThread
) throws -> RealmState {
    let schemas = try SchemaBuilder.schemas(of: classes)
    let ids = Dictionary(uniqueKeysWithValues: schemas.enumerated().map { ($1.name, $0) })
    let definitions = schemas.enumerated().map { index, schema in
        schema.tableDefinition(id: index) { ids[$0] }
    }
    return try RealmState(
        reader: StoreReader(definitions), schemas: schemas, path: "memory",
        confinement: confinement, openedAt: "ObjectsTestSupport.swift")
}

extension RealmState {
    func write<R>(_ body: () throws -> R) throws -> R {
        try beginWrite()
        let result = try body()
        try commitWrite()
        return result
    }

    /// The object with the lowest key.
    func only<T: ObjectBase>(_ type: T.Type) throws -> T? {
        for key in 1...100 {
            if let object = try object(type, key: ObjectKey(key)) { return object }
        }
        return nil
    }
}
