/// A small generator of numbers that look random and are the same on every machine.
///
/// **Threads.** A value; any thread.
package struct SplitMix64: Sendable {
    private var state: UInt64

    /// A generator whose numbers depend on `seed` only.
    package init(seed: UInt64) { state = seed }

    /// 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number in `0..<bound`.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// A number in `[0, 1)`.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1.0p-53 }
}
