extension List: TriedCollection {
    func tryElements() throws {
        guard binding.control != nil else { return }
        for index in 0..<count { _ = try Element._tryDecode(storedBytes(index)) }
    }
}
