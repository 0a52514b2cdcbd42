import Foundation
import Synchronization

/// The process's default configuration.
enum DefaultConfiguration {
    private static let current = Mutex<Realm.Configuration?>(nil)

    /// Any thread.
    static var value: Realm.Configuration {
        get { current.withLock { $0 } ?? Realm.Configuration() }
        set { current.withLock { $0 = newValue } }
    }

    static let fileURL: URL = {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        let base =
            data.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
                ".local/share")
        return base.appendingPathComponent(ProcessInfo.processInfo.processName)
            .appendingPathComponent("default.realm")
    }()
}
