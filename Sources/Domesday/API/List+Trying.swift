extension List: TriedCollection {
    func tryElements() throws { try tryStored() }
}

extension MutableSet: TriedCollection {
    func tryElements() throws { try tryStored() }
}

extension Map: TriedCollection {
    func tryElements() throws { try tryStored() }
}

extension PropertyPlace {
    /// What `trapUnknownCase` says, as an error.
    func unknownCase(_ raw: Any, _ type: Any.Type) -> Realm.Error {
        Realm.Error(.invalidInput, unknownCaseText(raw, type))
    }
}
