// Twins of reads that cannot throw in RealmSwift and trap therefore: for programs that must survive
// a damaged store or a failing disk.

extension RealmCollection where Element: ObjectBase {
    /// As `count`, but throws if the store cannot be read.
    ///
    /// - Throws: ``Realm/Error`` that names the file; `.invalidDatabase` for damage.
    /// - Complexity: As `count`.
    public func tryCount() throws -> Int {
        try loadStart()
        let base = _query.objects
        base.check()
        return try Realm.Error.converting { () throws(StorageError) in try base.query.count() }
    }

    /// Calls `body` with each object, as a loop would; throws if the store cannot be read.
    ///
    /// Before `body` gets an object all that it holds is read and verified: its properties can then be
    /// read without a trap, until the Realm is refreshed, written to or asked for other objects. What it
    /// links to is not read: ask its lists for `tryForEach`, its links for `tryValue(forKey:)`.
    ///
    /// - Throws: What `body` throws; ``Realm/Error`` that names the file; `.invalidDatabase` for
    ///   damage.
    /// - Complexity: O(*n*); also long values are read, whether `body` wants them or not.
    public func tryForEach(_ body: (Element) throws -> Void) throws {
        try loadStart()
        let base = _query.objects
        let cursor = try Realm.Error.converting { () throws(StorageError) in
            try ObjectCursor(loading: base)
        }
        while let object = try Realm.Error.converting({ () throws(StorageError) in
            try cursor.loadNext()
        }) {
            // SAFETY: the table's class is Element: it was found by that type.
            try body(unsafeDowncast(object, to: Element.self))
        }
    }
}

extension RealmCollection {
    /// Loads the row of the object that a list or linking objects belong to: what the query is made
    /// from then does not trap.
    func loadStart() throws {
        guard let owned = self as? any OwnedView else { return }
        try Realm.Error.converting { () throws(StorageError) in try owned.loadOwner() }
    }
}

/// A collection that is a property of an object.
private protocol OwnedView {
    func loadOwner() throws(StorageError)
}

extension List: OwnedView {
    fileprivate func loadOwner() throws(StorageError) { _ = try load() }

    /// As `count`, but throws if the store cannot be read.
    ///
    /// - Throws: ``Realm/Error`` that names the file; `.invalidDatabase` for damage.
    public func tryCount() throws -> Int {
        try Realm.Error.converting { () throws(StorageError) in try loadOwner() }
        return count
    }

    /// Calls `body` with each element, as a loop would; throws if the store cannot be read.
    ///
    /// Objects are read and verified before `body` gets them, as by `Results.tryForEach`.
    ///
    /// - Throws: What `body` throws; ``Realm/Error`` that names the file; `.invalidDatabase` for
    ///   damage.
    public func tryForEach(_ body: (Element) throws -> Void) throws {
        try Realm.Error.converting { () throws(StorageError) in try loadOwner() }
        guard binding.control != nil else { return try elements.forEach(body) }
        for element in storedValues() {
            if let object = element as? ObjectBase {
                let isThere = try Realm.Error.converting { () throws(StorageError) in
                    try object.load()
                }
                if !isThere { continue }
            }
            try body(element)
        }
    }
}

extension MutableSet: OwnedView {
    fileprivate func loadOwner() throws(StorageError) { _ = try load() }
}

extension Map {
    /// Loads the row of the object that the map belongs to, as a collection's `loadStart`.
    func loadStart() throws {
        try Realm.Error.converting { () throws(StorageError) in _ = try load() }
    }
}

extension LinkingObjects: OwnedView {
    fileprivate func loadOwner() throws(StorageError) { _ = try source?.load() }

    /// As `count`, but throws if the store cannot be read.
    ///
    /// - Throws: ``Realm/Error`` that names the file; `.invalidDatabase` for damage.
    public func tryCount() throws -> Int {
        guard let source else { return 0 }
        return try Realm.Error.converting { () throws(StorageError) in try source.loadedCount() }
    }
}

extension Realm {
    /// As `object(ofType:forPrimaryKey:)`, but throws if the store cannot be read.
    ///
    /// All that the object holds has been read and verified, as by `tryForEach`.
    ///
    /// - Throws: ``Realm/Error`` that names the file; `.invalidDatabase` for damage.
    /// - Complexity: As `object(ofType:forPrimaryKey:)`, plus the object's long values.
    public func tryObject<T: Object, Key>(ofType type: T.Type, forPrimaryKey key: Key) throws -> T?
    {
        try converting { () throws(StorageError) -> T? in
            guard let object = try state.found(in: state.requireTable(of: type), primaryKey: key)
            else { return nil }
            _ = try object.load()
            // SAFETY: `found` makes an object of the class it is given.
            return unsafeDowncast(object, to: type)
        }
    }

    /// Reads everything that the last commit has left, and compares what is kept twice: checksums,
    /// counts, indexes with their columns, back-links with links, embedded objects with their owners.
    ///
    /// Other writers wait meanwhile. Changes of an open write are not looked at, nor parts of indexes
    /// that are in memory already read again.
    ///
    /// - Throws: ``Realm/Error`` `.invalidDatabase` with the first damage found and the file's name;
    ///   other codes if the file cannot be read.
    /// - Complexity: O(bytes of the store) in time, O(objects and links) in memory.
    public func verify() throws {
        state.checkConfinement()
        let findings = try converting { () throws(StorageError) in
            try state.reader.findingsOfCheck()
        }
        if let finding = findings.first {
            throw Error(
                storage: StorageError(.damaged, path: state.reader.store.path, detail: finding)
            )
        }
    }
}

extension Realm.Error {
    fileprivate static func converting<R>(_ body: () throws(StorageError) -> R) throws -> R {
        do throws(StorageError) { return try body() } catch { throw Realm.Error(storage: error) }
    }
}
