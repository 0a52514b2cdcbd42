/// The object that `obj("Dog", 5)` stands for: the one of a class that has this primary key.
///
/// **Threads.** A value; as sendable as the key.
package struct ObjectLiteral: Hashable {
    /// The class's name in the store.
    package let className: String
    /// The primary key's value, normalized as by ``Expression/init(normalizing:)``.
    package let key: AnyHashable?

    /// Makes a literal; nil if the key cannot be one: a list, or an object.
    package init?(className: String, key: Any?) {
        let key = Argument.normalized(key)
        guard !(key is [Any?]), key == nil || key is any Hashable else { return nil }
        self.className = className
        self.key = (key as? any Hashable).map { AnyHashable($0) }
    }
}

/// The link that `L3:7` stands for: to the object of key 7 in table 3. `O7`, which is a name where
/// there is a property of that name, leaves the table to what it is compared with.
///
/// **Threads.** A value.
package struct LinkLiteral: Hashable, Sendable, CustomStringConvertible {
    /// The number of the table; nil for that of the objects it is compared with.
    package let table: Int?
    /// The object's number within it.
    package let key: Int64

    /// Makes a link.
    package init(table: Int?, key: Int64) {
        self.table = table
        self.key = key
    }

    /// The link that a name such as `O7` can stand for; nil for all other names.
    package init?(name: String) {
        guard name.hasPrefix("O"), name.utf8.count > 1,
            name.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            let key = Int64(name.dropFirst())
        else { return nil }
        self.init(table: nil, key: key)
    }

    /// As it is written.
    package var description: String { table.map { "L\($0):\(key)" } ?? "O\(key)" }
}
