import SyncEngine

/// Metrics in the text format of Prometheus (version 0.0.4) or OpenMetrics (1.0.0).
struct MetricsText {
    private(set) var text = ""
    private let format: Format

    enum Format {
        case prometheus
        case openMetrics

        /// Chooses the format that the `Accept` header asks for. The default is the text format of Prometheus.
        init(accept: String?) {
            self = accept?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
        }

        var type: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    init(_ format: Format) {
        self.format = format
    }

    typealias Labels = [(name: String, value: String)]

    /// Writes a counter, a value that only grows; `name` is without `_total`.
    mutating func counter(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        head(format == .openMetrics ? name : name + "_total", "counter", help)
        for sample in samples { line(name + "_total", sample.labels, sample.value) }
    }

    mutating func gauge(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        head(name, "gauge", help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    mutating func histogram(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Metrics.Histogram)]) {
        head(name, "histogram", help)
        for (labels, histogram) in samples {
            var sum = 0
            for (bound, count) in zip(Metrics.Histogram.bounds, histogram.within) {
                sum += count
                line(name + "_bucket", labels + [("le", number(bound))], Double(sum))
            }
            line(name + "_bucket", labels + [("le", "+Inf")], Double(histogram.count))
            line(name + "_sum", labels, histogram.sum)
            line(name + "_count", labels, Double(histogram.count))
        }
    }

    mutating func end() {
        if format == .openMetrics { text += "# EOF\n" }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { label in
                let escaped = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                return "\(label.name)=\"\(escaped.replacing("\n", with: "\\n"))\""
            }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(number(value))\n"
    }

    /// Returns the number as text; whole numbers without a fraction.
    private func number(_ value: Double) -> String {
        if value == value.rounded(.towardZero), abs(value) < 1e15 { return String(Int64(value)) }
        return "\(value)"
    }
}
