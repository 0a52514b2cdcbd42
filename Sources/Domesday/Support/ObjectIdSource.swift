import Synchronization

/// What makes new ObjectIds differ: a random number of the process and a counter.
enum ObjectIdSource {
    private static let process = UInt64.random(in: 0..<(1 << 40))
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))

    /// The process's 40 bits and the next count, of which 24 bits matter. Any thread.
    static func next() -> (process: UInt64, count: UInt32) {
        (process, counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }
}
