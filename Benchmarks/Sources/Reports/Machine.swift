import Foundation

/// Where something was measured; figures of two machines cannot be compared, ratios nearly.
package struct Machine: Hashable, Sendable {
    package let processor: String
    package let processorCount: Int
    package let memoryByteCount: Int
    package let system: String

    /// A machine described by hand, for a test.
    package init(processor: String, processorCount: Int, memoryByteCount: Int, system: String) {
        self.processor = processor
        self.processorCount = processorCount
        self.memoryByteCount = memoryByteCount
        self.system = system
    }

    /// The one this runs on.
    package static func current() -> Machine {
        let information = ProcessInfo.processInfo
        let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        return Machine(
            processor: model ?? "unknown processor",
            processorCount: information.activeProcessorCount,
            memoryByteCount: Int(information.physicalMemory),
            system: information.operatingSystemVersionString
        )
    }
}
