/// Folds what a workload read into one number, so that a wrong fast answer is seen.
///
/// **Threads.** A value; any thread.
public struct Checksum: Sendable {
    /// The number so far; the same for the same values in the same order.
    public private(set) var value = 0

    /// A checksum of nothing.
    public init() {}

    /// Adds a number.
    @inlinable
    public mutating func add(_ number: Int) { fold(number) }

    /// Adds a number with a fraction, bit for bit.
    @inlinable
    public mutating func add(_ number: Double) { fold(Int(truncatingIfNeeded: number.bitPattern)) }

    /// Adds the length of a text and its last byte: enough to need the whole text in memory.
    @inlinable
    public mutating func add(_ text: String) {
        fold(text.utf8.count &* 256 &+ Int(text.utf8.last ?? 0))
    }

    @usableFromInline
    mutating func fold(_ number: Int) { value = value &* 31 &+ number }
}
