import Workloads

/// A table for a terminal: each peer's seconds, processor time, and the check value.
package func plainText(of comparison: Comparison) -> String {
    var table: [[String]] = [
        ["", "workload", "peer", "wall", "cpu", "operations", "ratio", "check"]
    ]
    for row in comparison.rows {
        let ratio = row.ratio.map { digits($0) } ?? ""
        let isOwn = row.sqlite?.workload == row.workload
        for (peer, sample) in [("sqlite", isOwn ? row.sqlite : nil), ("domesday", row.ours)] {
            guard let sample else { continue }
            table.append([
                row.workload.rawValue, row.workload.title, peer, sample.text,
                sample.cpuText, "\(sample.operationCount)",
                peer == "domesday" ? ratio : "", sample.checkText,
            ])
        }
    }
    let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    let lines = table.map { cells in
        zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            .joined(separator: "  ")
    }
    return "N = \(comparison.count), median of \(comparison.runCount)\n"
        + lines.joined(separator: "\n")
}

/// The page RESULTS.md.
package func markdown(of comparisons: [Comparison], machine: Machine) -> String {
    let memory = bytes(Double(machine.memoryByteCount))
    var lines = [
        "# Results", "",
        "<!-- Written by `make bench`; edits are lost. -->", "",
        "Medians of fresh processes on \(machine.processorCount) x \(machine.processor), "
            + "\(memory) of memory, \(machine.system).",
        "The workloads, and what SQLite's side does, are described in [README.md](README.md). "
            + "A ratio under 1 means that Domesday takes less; the goal is a judgement, not a result.",
        "", "![Domesday beside SQLite](chart.svg)",
    ]
    for comparison in comparisons {
        lines += ["", "## N = \(comparison.count), median of \(comparison.runCount)", ""]
        lines += section(comparison)
    }
    return lines.joined(separator: "\n") + "\n"
}

private func section(_ comparison: Comparison) -> [String] {
    let hasOurs = comparison.rows.contains { $0.ours != nil }
    let header =
        hasOurs
        ? [
            "| | workload | Domesday | SQLite | ratio | goal | peak memory, ours | written, ours |",
            "|---|---|--:|--:|--:|--:|--:|--:|",
        ]
        : ["| | workload | SQLite | peak memory | written |", "|---|---|--:|--:|--:|"]
    return header
        + comparison.rows.map { row in
            let figures =
                hasOurs
                ? [
                    row.ours?.text, row.sqlite?.text, row.ratio.map { marked($0, row.workload) },
                    row.workload.goal.map { digits($0) },
                ] : [row.sqlite?.text]
            let measured = hasOurs ? row.ours : row.sqlite
            let isTime = row.workload.unit == .seconds
            let costs = [
                isTime ? measured.map { bytes(Double($0.peakByteCount)) } : nil,
                isTime ? measured.flatMap(written) : nil,
            ]
            let cells =
                [row.workload.rawValue, row.workload.title.replacing("|", with: "\\|")]
                + (figures + costs).map { $0 ?? "" }
            return "| " + cells.joined(separator: " | ") + " |"
        }
}

/// Bold where the goal is missed: that is what a reader looks for.
private func marked(_ ratio: Double, _ workload: Workload) -> String {
    let text = digits(ratio)
    return ratio > workload.goal ?? .infinity ? "**\(text)**" : text
}

/// Bytes written for one operation, where each is a commit, else in all; nil for readers.
private func written(_ sample: Sample) -> String? {
    guard sample.writtenByteCount > 1000 else { return nil }
    let isPerCommit = [.commitOneByOne, .updateOneByOne].contains(sample.workload)
    let count = isPerCommit ? sample.operationCount : 1
    let text = bytes(Double(sample.writtenByteCount) / Double(count))
    return isPerCommit ? text + " a commit" : text
}
