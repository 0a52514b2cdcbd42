extension List: TriedCollection {
    func tryElements() throws { try tryStored() }
}

extension MutableSet: TriedCollection {
    func tryElements() throws { try tryStored() }
}

extension Map: TriedCollection {
    func tryElements() throws { try tryStored() }
}
