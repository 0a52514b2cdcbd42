/// Thrown when a package database cannot be read or understood.
///
/// **Threads.** A value; any thread.
package struct StatusFileError: Error, Hashable, CustomStringConvertible {
    /// Where in the file, from 1; 0 if it concerns the file as a whole.
    package let line: Int
    package let problem: String
    /// The file, once it is known.
    package var path: String?

    init(line: Int = 0, problem: String, path: String? = nil) {
        self.line = line
        self.problem = problem
        self.path = path
    }

    package var description: String {
        let place = [path, line > 0 ? "line \(line)" : nil].compactMap(\.self)
        return (place + [problem]).joined(separator: ": ")
    }
}
