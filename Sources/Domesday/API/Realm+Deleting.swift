extension Realm {
    /// As `delete(_:)`, but throws what that traps on: a relation whose rule denies it.
    ///
    /// - Throws: ``Realm/Error`` `.fail` with class and primary key of the object, the property and
    ///   what is at its other end; nothing is deleted then, and the write goes on. Others if the store
    ///   cannot be read.
    public func tryDelete(_ object: ObjectBase) throws {
        try converting { () throws(StorageError) in try state.delete(object) }
    }

    /// As `delete(_:)`, but throws what that traps on: a relation whose rule denies it.
    ///
    /// - Throws: As `tryDelete` of an object; then none of them is deleted.
    public func tryDelete<S: Sequence>(_ objects: S) throws where S.Element: ObjectBase {
        try converting { () throws(StorageError) in try state.delete(objects) }
    }
}
