import Foundation

/// A bar on the terminal's last line, drawn only where somebody watches: not in a pipe or log.
struct ProgressBar {
    private let label: String
    private let isVisible = isatty(STDERR_FILENO) == 1
    private var shownPercent = -1

    init(_ label: String) { self.label = label }

    /// - Parameter fraction: The part that is done, 0 to 1.
    mutating func show(_ fraction: Double) {
        let percent = Int(fraction * 100)
        guard isVisible, percent != shownPercent else { return }
        shownPercent = percent
        let filled = String(repeating: "#", count: percent * 40 / 100)
        let bar = filled.padding(toLength: 40, withPad: ".", startingAt: 0)
        write("\r\(label) [\(bar)] \(percent)%")
    }

    /// Clears the line.
    func finish() {
        if isVisible && shownPercent >= 0 { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// Runs the work and returns how long it took beside its result.
func timed<Result>(_ work: () throws -> Result) rethrows -> (Result, Duration) {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try work()
    return (result, clock.now - start)
}

extension Duration {
    /// `12.3 ms`, say.
    var milliseconds: String {
        let value = Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
        return "\(String(format: "%.1f", value)) ms"
    }
}

/// `13.3 MB` for a count of bytes, in powers of ten as disks are sold.
func size(byteCount: Int) -> String {
    byteCount < 1_000_000
        ? String(format: "%.1f kB", Double(byteCount) / 1e3)
        : String(format: "%.1f MB", Double(byteCount) / 1e6)
}
