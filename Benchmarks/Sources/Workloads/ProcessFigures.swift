import Foundation

/// What the system says about this process.
enum ProcessFigures {
    /// Processor time so far, of all threads, of the program and of the system in its name.
    static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
        }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// Resident memory now.
    static var residentByteCount: Int { field("VmRSS", of: "/proc/self/status") * 1024 }

    /// The highest resident memory since the last ``resetPeak()``.
    static var peakByteCount: Int { field("VmHWM", of: "/proc/self/status") * 1024 }

    /// Bytes and calls of all writes so far.
    static var writes: (byteCount: Int, callCount: Int) {
        (field("wchar", of: "/proc/self/io"), field("syscw", of: "/proc/self/io"))
    }

    /// Makes the present the peak.
    ///
    /// Where the kernel does not allow it, the peak of the whole process stays: larger, never
    /// smaller than the truth.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// The first number behind a name in one of the kernel's tables; 0 if there is none.
    private static func field(_ name: String, of path: String) -> Int {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    }
}
