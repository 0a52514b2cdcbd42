import Foundation
import Reports
import Testing
import Workloads

@Suite("Reports")
struct ReportTests {
    private func comparison(ours: Double, check: [Int] = [29146]) -> Comparison {
        let sqlite = Sample(workload: .countTwoConditions, figure: 0.1, check: [29146])
        let domesday = Sample(workload: .countTwoConditions, figure: ours, check: check)
        return Comparison(
            count: 200_000,
            runCount: 3,
            results: [
                PeerResult(peer: "sqlite", samples: [sqlite]),
                PeerResult(peer: "domesday", samples: [domesday]),
            ]
        )
    }

    @Test("the median of each workload is kept, not the mean and not the best")
    func median() {
        let figures = [3.0, 1.0, 20.0].map { Sample(workload: .lookUp, figure: $0) }
        let result = PeerResult(peer: "sqlite", samples: figures)
        #expect(result[.lookUp]?.figure == 3)
        #expect(result[.aggregate] == nil)
    }

    @Test("a ratio is ours over SQLite's, and one over its goal stands out")
    func ratio() {
        let machine = Machine(processor: "P", processorCount: 2, memoryByteCount: 1, system: "S")
        let good = markdown(of: [comparison(ours: 0.005)], machine: machine)
        #expect(good.contains("| 5.00 ms | 100 ms | 0.050 | 0.060 |"))
        let bad = markdown(of: [comparison(ours: 0.2)], machine: machine)
        #expect(bad.contains("| 200 ms | 100 ms | **2.00** | 0.060 |"))
    }

    @Test("reading through objects is compared with reading rows")
    func counterpart() {
        let comparison = Comparison(
            count: 1,
            runCount: 1,
            results: [
                PeerResult(
                    peer: "sqlite",
                    samples: [Sample(workload: .readColumns, figure: 4)]
                ),
                PeerResult(
                    peer: "domesday",
                    samples: [Sample(workload: .readObjects, figure: 1)]
                ),
            ]
        )
        #expect(comparison.rows.first { $0.workload == .readObjects }?.ratio == 0.25)
    }

    @Test("a wrong answer is seen, against the known value and against the other peer")
    func checks() {
        let right = [Sample(workload: .countTwoConditions, figure: 1, check: [29146])]
        let wrong = [Sample(workload: .countTwoConditions, figure: 1, check: [29147])]
        #expect(disagreements(of: ["a": right, "b": right], count: 200_000).isEmpty)
        #expect(
            disagreements(of: ["a": wrong], count: 200_000) == [
                "W5: a: [[29147]], expected 29146"
            ]
        )
        #expect(disagreements(of: ["a": right, "b": wrong], count: 10).count == 1)
        #expect(disagreements(of: ["a": right + wrong], count: 10).count == 1)
    }

    @Test("the chart is well-formed and has a bar for each ratio")
    func chartIsXML() throws {
        let picture = chart(of: comparison(ours: 0.005))
        #expect(picture.hasPrefix("<svg ") && picture.contains("score &lt; 0.25"))
        #expect(picture.components(separatedBy: "<rect ").count == 2)
    }

    @Test("a baseline survives its file")
    func baseline() throws {
        let comparison = comparison(ours: 0.005)
        let data = try JSONEncoder().encode(comparison)
        #expect(try JSONDecoder().decode(Comparison.self, from: data) == comparison)
    }
}
