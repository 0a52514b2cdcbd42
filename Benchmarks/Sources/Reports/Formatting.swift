import Foundation
import Workloads

extension Sample {
    /// The figure in a unit a person can read: `1.23 s`, `45.6 ms`, `181 MB`.
    var text: String { workload.unit == .bytes ? bytes(figure) : duration(figure) }

    /// Processor time, if the figure is a time.
    var cpuText: String { workload.unit == .bytes ? "" : duration(cpuSeconds) }

    /// The answers, the first of which has a known value.
    var checkText: String { check.map(String.init).joined(separator: " ") }
}

/// Three digits and a unit.
func duration(_ seconds: Double) -> String {
    switch seconds {
    case 1...: digits(seconds) + " s"
    case 1e-3...: digits(seconds * 1e3) + " ms"
    default: digits(seconds * 1e6) + " us"
    }
}

/// Three digits and a unit, in powers of ten.
func bytes(_ count: Double) -> String {
    switch count {
    case 1e9...: digits(count / 1e9) + " GB"
    case 1e6...: digits(count / 1e6) + " MB"
    case 1e3...: digits(count / 1e3) + " kB"
    default: digits(count) + " B"
    }
}

/// Three digits that mean something.
func digits(_ value: Double) -> String {
    let decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
    return String(format: "%.\(decimals)f", value)
}
