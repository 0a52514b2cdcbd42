import Foundation

/// What the system says about this process's memory.
enum ProcessMemory {
    /// Resident now.
    static var residentByteCount: Int { field("VmRSS") }

    /// The highest so far.
    static var peakByteCount: Int { field("VmHWM") }

    /// Whether a sanitizer is built in, whose shadow memory no limit allows for.
    static let isSanitized: Bool = {
        let symbols = ["__asan_init", "__tsan_init"]
        return symbols.contains { dlsym(UnsafeMutableRawPointer(bitPattern: 0), $0) != nil }
    }()

    /// As `ulimit -v`: the address space may grow by so much, and what asks for more gets nothing.
    static func limitGrowth(byteCount: Int) {
        // One heap for all threads: each further one reserves 64 MB of addresses.
        if let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "mallopt") {
            // SAFETY: int mallopt(int, int); -8 is M_ARENA_MAX.
            typealias MallOpt = @convention(c) (CInt, CInt) -> CInt
            _ = unsafeBitCast(symbol, to: MallOpt.self)(-8, 1)
        }
        let limit = rlim_t(field("VmSize") + byteCount)
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits) == 0 else { exit(9) }
    }

    private static func field(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) * 1024
    }
}
