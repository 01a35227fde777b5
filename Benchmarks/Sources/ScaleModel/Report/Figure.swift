import Foundation

/// The texts of figures in tables and pictures: three significant digits, which is more than their precision.
enum Figure {
    /// Formats a number with separated thousands.
    static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        let digits = max(0, 2 - Int(floor(log10(abs(value)))))
        if value >= 1000 { return grouped(value) }
        let text = String(format: "%.\(min(digits, 5))f", value)
        return text.contains(".") ? trimmed(text) : text
    }

    static func percent(_ share: Double) -> String {
        let percent = share * 100
        return percent > 0 && percent < 0.1 ? "< 0.1 %" : "\(text(percent >= 1 ? percent.rounded() : percent)) %"
    }

    static func bytes(_ value: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var (left, unit) = (value, 0)
        while left >= 999.5, unit < units.count - 1 {
            left /= 1000
            unit += 1
        }
        return "\(text(left)) \(units[unit])"
    }

    static func seconds(_ value: Double) -> String {
        if value >= 2 * 3600 { return "\(text(value / 3600)) h" }
        if value >= 120 { return "\(text(value / 60)) min" }
        return value < 1 ? "\(text(value * 1000)) ms" : "\(text(value)) s"
    }

    private static func grouped(_ value: Double) -> String {
        let scale = pow(10, floor(log10(value)) - 2)
        let digits = Array("\(Int((value / scale).rounded() * scale))")
        return digits.enumerated().map { index, digit in
            (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digit)
        }.joined()
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last == "0" { text = text.dropLast() }
        return String(text.last == "." ? text.dropLast() : text)
    }
}
