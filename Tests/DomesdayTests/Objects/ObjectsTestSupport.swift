import Testing

@testable import Domesday

/// A Realm in memory with the given classes, confined to the current thread.
func makeRealmState(
    _ classes: [ObjectBase.Type],
    confinement: Confinement = .currentThread
) throws -> RealmState {
    let schemas = try SchemaBuilder.schemas(of: classes)
    let store = try Store(pages: MemoryPageStore(path: "memory"), cacheByteLimit: 1 << 20)
    let reader = StoreReader(store: store)
    try SchemaSynchronizer(reader: reader, schemas: schemas, version: 0).run(isReadOnly: false)
    return try RealmState(
        reader: reader,
        schemas: schemas,
        path: "memory",
        confinement: confinement,
        openedAt: "ObjectsTestSupport.swift"
    )
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
