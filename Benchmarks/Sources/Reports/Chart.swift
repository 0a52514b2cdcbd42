import Foundation
import Workloads

/// A bar for each workload on a logarithmic scale: to the left of the middle, Domesday takes less
/// than SQLite.
///
/// Without figures of Domesday the bars are SQLite's seconds.
///
/// - Returns: An SVG picture that needs nothing else and reads on light and dark pages.
package func chart(of comparison: Comparison) -> String {
    let isRatio = comparison.rows.contains { $0.ratio != nil }
    let bars = comparison.rows.compactMap { row -> Bar? in
        let value = isRatio ? row.ratio : row.sqlite?.figure
        guard let value, value > 0, isRatio || row.workload.unit == .seconds else { return nil }
        return Bar(
            label: "\(row.workload.rawValue)  \(row.workload.title)",
            value: value,
            text: isRatio ? digits(value) : duration(value)
        )
    }
    let title =
        isRatio
        ? "Domesday's figure / SQLite's, N = \(comparison.count); shorter than 1 is better"
        : "SQLite, N = \(comparison.count)"
    return Drawing(title: title, bars: bars, isRatio: isRatio).svg
}

private struct Bar {
    let label: String
    let value: Double
    let text: String
}

private struct Drawing {
    let title: String
    let bars: [Bar]
    let isRatio: Bool

    private let labelWidth = 380.0
    private let plotWidth = 400.0
    private let rowHeight = 22.0
    private let top = 64.0

    var svg: String {
        let width = labelWidth + plotWidth + 80
        let height = top + Double(bars.count) * rowHeight + 16
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
            font-family="sans-serif" font-size="12" fill="#777">
            """,
            "<text x=\"8\" y=\"24\" font-size=\"15\">\(escaped(title))</text>",
        ]
        parts += decades.map(gridLine)
        parts += bars.enumerated().map { draw($1, y: top + Double($0) * rowHeight) }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The powers of ten that the bars reach.
    private var decades: ClosedRange<Int> {
        let exponents = bars.map { log10($0.value) } + (isRatio ? [0] : [])
        let lowest = Int((exponents.min() ?? -1).rounded(.down))
        let highest = Int((exponents.max() ?? 0).rounded(.up))
        return lowest...max(highest, lowest + 1)
    }

    private func x(_ value: Double) -> Double {
        let (lowest, highest) = (Double(decades.lowerBound), Double(decades.upperBound))
        return labelWidth + (log10(value) - lowest) / (highest - lowest) * plotWidth
    }

    private func gridLine(_ exponent: Int) -> String {
        let value = pow(10, Double(exponent))
        let bottom = top + Double(bars.count) * rowHeight
        let isMiddle = isRatio && exponent == 0
        let label = isRatio ? digits(value) : duration(value)
        return """
            <line x1="\(x(value))" y1="\(top - 8)" x2="\(x(value))" y2="\(bottom)" \
            stroke="\(isMiddle ? "#c33" : "#bbb")" stroke-width="\(isMiddle ? 1.5 : 0.5)"/>
            <text x="\(x(value))" y="\(top - 14)" text-anchor="middle">\(label)</text>
            """
    }

    private func draw(_ bar: Bar, y: Double) -> String {
        let start = isRatio ? x(1) : labelWidth
        let end = x(bar.value)
        let color = isRatio && bar.value > 1 ? "#c66" : "#4a90a4"
        return """
            <text x="\(labelWidth - 12)" y="\(y + 14)" text-anchor="end">\(escaped(bar.label))</text>
            <rect x="\(min(start, end))" y="\(y + 3)" width="\(max(abs(end - start), 1))" \
            height="\(rowHeight - 7)" fill="\(color)"/>
            <text x="\(max(start, end) + 5)" y="\(y + 14)">\(bar.text)</text>
            """
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
