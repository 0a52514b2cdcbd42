import Dispatch
import Foundation
import Testing

/// How the processes of one test wait for each other: by empty files in a folder.
struct Meeting: Sendable {
    /// Seconds; on a busy machine a process may begin late.
    static let patience = 600.0

    let folder: String

    /// Tells the others that something has happened here.
    func tell(_ name: String, _ text: String = "") {
        let path = folder + "/" + name
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            fatalError("'\(name)' cannot be told: \(error)")
        }
    }

    func has(_ name: String) -> Bool { access(folder + "/" + name, F_OK) == 0 }

    /// Waits for what another process tells.
    @discardableResult
    func wait(for name: String, seconds: Double = Meeting.patience) throws -> String {
        let end = Date().addingTimeInterval(seconds)
        while !has(name) {
            if Date() > end { throw MeetingError(description: "'\(name)' did not come") }
            usleep(500)
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        return String(decoding: data, as: UTF8.self)
    }

    func wait(
        _ what: String,
        seconds: Double = Meeting.patience,
        until isTrue: () throws -> Bool
    ) throws {
        let end = Date().addingTimeInterval(seconds)
        while try !isTrue() {
            if Date() > end { throw MeetingError(description: "\(what) took too long") }
            usleep(500)
        }
    }

    /// Does something again and again until it no longer fails.
    func retry<R>(
        _ what: String,
        seconds: Double = Meeting.patience,
        _ body: () throws -> R
    ) throws -> R {
        let end = Date().addingTimeInterval(seconds)
        while true {
            do { return try body() } catch  where Date() < end {
                usleep(500)
            } catch {
                throw MeetingError(description: "\(what) goes on failing: \(error)")
            }
        }
    }

    /// As `wait(for:)`, for the pid that another process tells.
    func process(_ name: String) throws -> pid_t {
        try #require(pid_t(try wait(for: name)))
    }

    func tellProcess(_ name: String) { tell(name, "\(getpid())") }
}

/// Stops a process, and waits until all its threads stand.
func stop(_ process: pid_t) throws {
    kill(process, SIGSTOP)
    let tasks = "/proc/\(process)/task"
    try Meeting(folder: "/").wait("stopping") {
        try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
            // One that has just ended has no file.
            let status = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
            return status?.contains(") T ") == true
        }
    }
}

struct MeetingError: Error, CustomStringConvertible { let description: String }

/// Runs `body` on a thread of its own, so that it may wait for other processes while tasks go on.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}

/// Starts other processes on threads of its own: those that tasks share may for minutes all be taken
/// by tests that do not wait for anything.
///
/// ```swift
/// let other = Task(executorPreference: OwnThreads.shared) {
///     _ = await #expect(processExitsWith: .success) { ... }
/// }
/// ```
final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()

    private let queue = DispatchQueue(label: "domesday.tests.processes", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
