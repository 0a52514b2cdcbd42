extension List: TriedCollection {
    func tryElements() throws {
        guard binding.control != nil else { return }
        for index in 0..<count { _ = try Element._tryDecode(storedBytes(index)) }
    }
}

extension PropertyPlace {
    /// What `trapUnknownCase` says, as an error.
    func unknownCase(_ raw: Any, _ type: Any.Type) -> Realm.Error {
        Realm.Error(.invalidInput, unknownCaseText(raw, type))
    }
}
