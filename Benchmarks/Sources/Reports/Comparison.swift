import Workloads

/// What the peers measured at one size: the content of a baseline file.
///
/// **Threads.** A value; any thread.
package struct Comparison: Codable, Hashable, Sendable {
    /// How many persons, and how many dogs.
    package let count: Int
    /// How many fresh processes each median is of.
    package let runCount: Int
    package let results: [PeerResult]

    /// Results of one run, SQLite's among them or not.
    package init(count: Int, runCount: Int, results: [PeerResult]) {
        self.count = count
        self.runCount = runCount
        self.results = results
    }

    /// The figures of one workload, in the order of ``Workload``.
    package struct Row: Hashable, Sendable {
        package let workload: Workload
        package let sqlite: Sample?
        package let ours: Sample?

        /// Our figure over SQLite's; `nil` if either is missing or too small to divide by.
        package var ratio: Double? {
            guard let ours, let sqlite, sqlite.figure > 0 else { return nil }
            return ours.figure / sqlite.figure
        }
    }

    /// One row for each workload that somebody measured.
    package var rows: [Row] {
        let sqlite = results.first { $0.peer == "sqlite" }
        let ours = results.first { $0.peer == "domesday" }
        return Workload.allCases.compactMap { workload in
            let row = Row(
                workload: workload,
                sqlite: sqlite?[workload] ?? (ours == nil ? nil : sqlite?[workload.counterpart]),
                ours: ours?[workload]
            )
            return row.sqlite == nil && row.ours == nil ? nil : row
        }
    }
}
