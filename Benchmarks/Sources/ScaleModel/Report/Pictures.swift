import Foundation

/// The pictures of docs/scaling.md.
struct Pictures {
    private let report: ModelReport

    init(_ report: ModelReport) {
        self.report = report
    }

    /// Writes a picture of each experiment that was run.
    func write(into folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var charts: [(String, Chart)] = []
        if !report.day.isEmpty { charts.append(("usual-day", usualDay)) }
        if !report.storm.isEmpty { charts.append(("reconnect-storm", storm)) }
        if !report.hotSpace.isEmpty { charts.append(("hot-space", hotSpace)) }
        if !report.growth.isEmpty { charts.append(("growth", growth)) }
        for (name, chart) in charts {
            try chart.svg.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8)
        }
    }

    private var subject: String { "\(Figure.text(Double(report.devices))) devices, seed \(report.seed)" }

    // MARK: Charts

    private var usualDay: Chart {
        let hours = Chart.Axis(
            label: "hour of the day", least: 0, greatest: 24,
            marks: stride(from: 0.0, through: 24, by: 6).map { ($0, Figure.text($0)) })
        func line(_ name: String, _ value: (ModelReport.DayRow) -> Double) -> Chart.Line {
            Chart.Line(name: name, points: report.day.map { (Double($0.hour) + 0.5, value($0)) })
        }
        let mostCores = report.day.map { max($0.serverCores, $0.databaseCores) }.max() ?? 1
        let mostWait = report.day.map(\.waitP99Milliseconds).max() ?? 1
        return Chart(
            title: "A usual day of \(subject)",
            description: "Cores at work and the 99th percentile of waits for a core, by the hour. In the busiest hour, "
                + "\(Figure.text(mostCores)) cores are at work, and the wait is at most \(Figure.text(mostWait)) ms.",
            panels: [
                Chart.Panel(
                    title: "Cores at work", horizontal: hours, vertical: linear("cores", to: mostCores),
                    lines: [
                        line("database") { $0.databaseCores },
                        line("all servers") { $0.serverCores },
                    ]),
                Chart.Panel(
                    title: "Waits for a core", horizontal: hours, vertical: linear("ms", to: mostWait),
                    lines: [line("p99") { $0.waitP99Milliseconds }]),
            ])
    }

    /// The longest time of the picture, in seconds.
    private static let stormSeconds = 600.0

    private var storm: Chart {
        let lines = report.storm.map { row in
            let points = row.curve.enumerated().map { (x: Double($0 + 1), y: $1 * 100) }
            // A point every five seconds suffices; the last share stays.
            let few = points.enumerated().filter { $0.offset < 120 || $0.offset % 5 == 0 }.map(\.element)
            let shown = few.filter { $0.x <= Pictures.stormSeconds }
            return Chart.Line(
                name: row.name, points: [(0, 0)] + shown + [(Pictures.stormSeconds, shown.last?.y ?? 0)])
        }
        return Chart(
            title: "The return after an outage: \(subject)",
            description: "The share of devices that have synced, by the time since the service is back; 99 % have "
                + report.storm.map { "after \($0.ninetyNine.map(Figure.seconds) ?? "more than 1 h") (\($0.name))" }
                .joined(separator: ", ") + ".",
            panels: [
                Chart.Panel(
                    title: "Devices that have synced",
                    horizontal: Chart.Axis(
                        label: "time since the service is back, s", least: 0, greatest: Pictures.stormSeconds,
                        marks: stride(from: 0.0, through: Pictures.stormSeconds, by: 120).map { ($0, Figure.text($0)) }
                    ), vertical: linear("%", to: 100), lines: lines)
            ])
    }

    private var hotSpace: Chart {
        let rates = Chart.Axis(
            label: "pushes a second into the space", least: 0.02, greatest: 20,
            marks: [(0.02, "0.02"), (0.1, "0.1"), (1, "1"), (10, "10")], isLogarithmic: true)
        func lines(_ value: (ModelReport.HotRow) -> Double) -> [Chart.Line] {
            [true, false].map { hasRates in
                let rows = report.hotSpace.filter { $0.hasRates == hasRates && $0.listeners > 0 }
                return Chart.Line(
                    name: hasRates ? "with rate limits" : "without",
                    points: rows.map { ($0.pushesPerSecond, value($0)) })
            }
        }
        let listeners = report.hotSpace.first?.listeners ?? 0
        return Chart(
            title: "A space with \(Figure.text(Double(listeners))) devices that listen, seed \(report.seed)",
            description: "The 99th percentile of the age of the oldest change that a device lacks when it reads, and "
                + "the share of requests to other spaces that are refused, by the rate of pushes. Each has a line "
                + "with the rate limits of a space, and one without.",
            panels: [
                Chart.Panel(
                    title: "Age of changes, p99", horizontal: rates,
                    vertical: Chart.Axis(
                        label: "s", least: 1, greatest: 200, marks: [(1, "1"), (10, "10"), (100, "100")],
                        isLogarithmic: true), lines: lines(\.ageP99Seconds)),
                Chart.Panel(
                    title: "Requests to other spaces that are refused", horizontal: rates,
                    vertical: linear("%", to: 100), lines: lines { $0.othersRefusedShare * 100 }),
            ])
    }

    private var growth: Chart {
        let devices = Chart.Axis(
            label: "devices", least: 1e4, greatest: 1e8,
            marks: [(1e4, "10⁴"), (1e5, "10⁵"), (1e6, "10⁶"), (1e7, "10⁷"), (1e8, "10⁸")], isLogarithmic: true)
        func logarithmic(_ label: String, _ least: Double, _ marks: [(Double, String)]) -> Chart.Axis {
            Chart.Axis(
                label: label, least: least, greatest: marks.last?.0 ?? 1, marks: marks, isLogarithmic: true)
        }
        func line(_ name: String, _ value: (ModelReport.GrowthRow) -> Double) -> Chart.Line {
            Chart.Line(name: name, points: report.growth.map { ($0.devices, value($0)) })
        }
        func pressure(_ name: String, _ part: Growth.Part) -> Chart.Line {
            line(name) { ($0.pressures[part.rawValue] ?? 0) * 100 }
        }
        return Chart(
            title: "Machines and limits from 10⁴ to 10⁸ devices, seed \(report.seed)",
            description: "The number of servers and databases by the number of devices, and the share of their limits "
                + "that the sessions of each database, the pause of a move, the announcements and the look-ups of "
                + "tokens need.",
            panels: [
                Chart.Panel(
                    title: "Machines", horizontal: devices,
                    vertical: logarithmic("number", 1, [(1, "1"), (10, "10"), (100, "100"), (1000, "1,000")]),
                    lines: [line("servers") { $0.servers }, line("databases") { $0.databases }]),
                Chart.Panel(
                    title: "Share of a limit", horizontal: devices,
                    vertical: logarithmic(
                        "% of the limit", 0.1,
                        [(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100"), (1e3, "1,000"), (1e4, "10⁴"), (1e5, "10⁵")]),
                    lines: [
                        pressure("sessions", .sessions), pressure("move’s pause", .move),
                        pressure("announcements", .announcing), pressure("tokens", .tokens),
                    ]),
            ])
    }

    /// An axis from 0 with four or five round marks.
    private func linear(_ label: String, to greatest: Double) -> Chart.Axis {
        let raw = greatest / 4
        let power = pow(10, floor(log10(raw)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= raw * 0.999 } ?? raw
        let end = (greatest / step).rounded(.up) * step
        return Chart.Axis(
            label: label, least: 0, greatest: end,
            marks: stride(from: 0, through: end + step / 2, by: step).map { ($0, Figure.text($0)) })
    }
}
