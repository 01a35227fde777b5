import BenchSupport
import Foundation

/// The figures of all rounds: medians, and ratios, which do not depend on the machine.
struct Report {
    let workloads: [Workload]
    let rounds: [[Workload.ID: Workload.Result]]
    let seconds: Double
    let postgres: String

    private var titles: [String] {
        var titles: [String] = []
        for workload in workloads where !titles.contains(workload.title) { titles.append(workload.title) }
        return titles
    }

    private func median(_ title: String, _ side: Workload.Side, _ value: (Workload.Result) -> Double) -> Double? {
        median(rounds.compactMap { $0[Workload.ID(title: title, side: side)].map(value) })
    }

    /// Returns the median of the rounds' ratios, because a disturbance of a round affects both of its sides.
    private func ratio(_ title: String, _ a: Workload.Side, to b: Workload.Side) -> Double? {
        median(
            rounds.compactMap { round in
                let sides = [a, b].map { round[Workload.ID(title: title, side: $0)] }
                guard let first = sides[0], let second = sides[1] else { return nil }
                return first.rate / second.rate
            })
    }

    private func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// Returns the time of the newest version, relative to that of the oldest.
    private func cost(_ title: String) -> Double? { ratio(title, .older, to: .newer) }

    /// Returns a table of at most 100 columns.
    func table() -> String {
        var lines = ["PostgreSQL \(postgres), \(rounds.count) rounds of \(seconds) s each, medians", ""]
        lines.append(row("", "", ["older", "newest", "plain", "newest to", "newest to"]))
        lines.append(row("", "", ["version", "version", "SQL", "older, cost", "SQL, rate"]))
        for title in titles {
            let unit = workloads.first { $0.title == title }!.unit
            let rates = Workload.Side.allCases.map { side in median(title, side, \.rate).map { "\(Int($0.rounded()))" }
            }
            let ratios = [cost(title), ratio(title, .newer, to: .sql)].map { $0.map { String(format: "%.2f", $0) } }
            lines.append(row(title, unit, (rates + ratios).map { $0 ?? "–" }))
        }
        lines += ["", "One step takes, in milliseconds: median, and 99 of 100 at most"]
        for title in titles {
            let cells = Workload.Side.allCases.map { side -> String in
                guard let half = median(title, side, \.medianLatency), let most = median(title, side, \.latency99)
                else {
                    return "–"
                }
                return "\(milliseconds(half)) / \(milliseconds(most))"
            }
            lines.append(row(title, "ms", cells))
        }
        return lines.joined(separator: "\n")
    }

    /// Returns milliseconds with three digits, which is more than their precision.
    private func milliseconds(_ seconds: Double) -> String {
        let value = seconds * 1000
        return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    private func row(_ title: String, _ unit: String, _ cells: [String]) -> String {
        let texts = cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }
        let name = title.padding(toLength: 29, withPad: " ", startingAt: 0)
        let line = name + unit.padding(toLength: 10, withPad: " ", startingAt: 0) + texts.joined()
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    func json() throws -> String {
        let lines = workloads.map { workload in
            Line(
                title: workload.title, side: workload.side.rawValue, unit: workload.unit,
                rate: median(workload.title, workload.side, \.rate) ?? 0,
                rates: rounds.compactMap { $0[workload.id]?.rate },
                medianSeconds: median(workload.title, workload.side, \.medianLatency) ?? 0,
                most99Seconds: median(workload.title, workload.side, \.latency99) ?? 0)
        }
        let ratios = titles.map { Ratio(title: $0, cost: cost($0), ofSQL: ratio($0, .newer, to: .sql)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let whole = Whole(postgres: postgres, roundSeconds: seconds, workloads: lines, ratios: ratios)
        return String(decoding: try encoder.encode(whole), as: UTF8.self)
    }

    private struct Whole: Encodable {
        let postgres: String
        let roundSeconds: Double
        let workloads: [Line]
        let ratios: [Ratio]
    }

    private struct Line: Encodable {
        let title: String
        let side: String
        let unit: String
        let rate: Double
        let rates: [Double]
        let medianSeconds: Double
        let most99Seconds: Double
    }

    private struct Ratio: Encodable {
        let title: String
        /// The time of the newest version, relative to that of the older.
        let cost: Double?
        /// The rate of the newest version, relative to that of plain SQL.
        let ofSQL: Double?
    }
}
