/// The traps of the object layer: RealmSwift's sentence, then what it never said.
enum ObjectTrap {
    static func wrongThread(_ realm: RealmState, _ subject: String) -> Never {
        fatalError(
            "Realm accessed from incorrect thread. \(subject) belongs to "
                + "\(realm.confinement.description); accessed on "
                + "\(Confinement.currentThread.description). Realm at path '\(realm.path)', "
                + "opened at \(realm.openedAt)."
        )
    }

    static func frozenInvalidated(_ realm: RealmState) -> Never {
        fatalError(
            "Cannot read from a frozen Realm which has been invalidated. Realm at path "
                + "'\(realm.path)'."
        )
    }

    static func frozen(_ subject: String) -> Never {
        fatalError(
            "Attempting to modify a frozen object - call thaw on the Object instance first. "
                + "\(subject)."
        )
    }

    static func deleted(_ className: String, _ key: ObjectKey) -> Never {
        fatalError(
            "Object has been deleted or invalidated. Object of class '\(className)' with key "
                + "\(key)."
        )
    }

    static func notInWrite(_ subject: String) -> Never {
        fatalError(
            "Attempting to modify object outside of a write transaction - call "
                + "beginWriteTransaction on an RLMRealm instance first. \(subject)."
        )
    }

    static func storage(_ error: StorageError, _ subject: String) -> Never {
        fatalError(
            "Realm at path '\(error.path)' could not be read or written: \(error.detail) "
                + "(\(error.code)\(error.address.map { ", blob \($0.space.number):\($0.id)" } ?? "")). "
                + "\(subject)."
        )
    }
}

extension BoundTable {
    /// "Property 'Person.age' of the object with key 3", for messages.
    func subject(key: ObjectKey, column: Int?) -> String {
        let name = column.flatMap { property(column: $0)?.name }
        return name.map { "Property '\(schema.name).\($0)' of the object with key \(key)" }
            ?? "Object of class '\(schema.name)' with key \(key)"
    }
}
