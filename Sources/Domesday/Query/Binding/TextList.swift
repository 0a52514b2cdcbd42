/// Texts on the right side of `IN`, as one array was given.
///
/// Thousands are not boxed and cast one by one, which would take longer than to look for them.
///
/// **Threads.** A value.
struct TextList: Sequence {
    /// Up to so many are a list as any other, which is compared and printed element by element.
    static let few = 64

    let texts: [String?]

    func makeIterator() -> IndexingIterator<[String?]> { texts.makeIterator() }
}

/// Byte strings, one behind the other.
///
/// **Threads.** A value.
struct PackedBytes {
    private(set) var bytes: [UInt8] = []
    /// Where each starts, and the end of the last.
    private(set) var starts = [0]

    var count: Int { starts.count - 1 }

    init() {}

    init(_ members: [[UInt8]]) {
        reserve(members.count, byteCount: members.reduce(0) { $0 + $1.count })
        for member in members {
            bytes.append(contentsOf: member)
            starts.append(bytes.count)
        }
    }

    /// The texts of a list; nil is not among them.
    init(_ list: TextList) {
        reserve(list.texts.count, byteCount: 0)
        for case var text? in list.texts {
            text.withUTF8 { bytes.append(contentsOf: $0) }
            starts.append(bytes.count)
        }
    }

    private mutating func reserve(_ count: Int, byteCount: Int) {
        starts.reserveCapacity(count + 1)
        bytes.reserveCapacity(byteCount)
    }

    subscript(position: Int) -> [UInt8] { Array(bytes[range(position)]) }

    @inline(__always)
    func range(_ position: Int) -> Range<Int> { starts[position]..<starts[position + 1] }
}
