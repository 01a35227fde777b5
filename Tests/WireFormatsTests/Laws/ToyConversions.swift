import WireFormats

/// A conversion from Double to Decimal by the shortest text: every older value survives.
struct DoubleDecimal: Conversion {
    func up(_ older: Double) -> DecimalText { DecimalText(shortest: older) ?? .zero }
    func down(_ newer: DecimalText) -> Double { Double(newer) ?? .greatestFiniteMagnitude }
    var fidelity: Fidelity { .projecting }
    var examples: [Double] { [0.07, 3.133, 0.1 + 0.2] }
}

/// A conversion from Int to Decimal: every older value has a newer value of its own.
struct IntDecimal: Conversion {
    func up(_ older: Int) -> DecimalText { DecimalText("\(older)") ?? .zero }
    func down(_ newer: DecimalText) -> Int { Int(newer.text.prefix { $0 != "." }) ?? 0 }
    var fidelity: Fidelity { .projecting }
    var examples: [Int] { [7, .max, .min] }
}

/// A conversion between free text and a number: neither side can represent all values of the other.
struct NumberText: Conversion {
    func up(_ older: String) -> Double { Double(older).flatMap { $0.isFinite ? $0 + 0 : nil } ?? 0 }
    func down(_ newer: Double) -> String { "\(newer)" }
    var fidelity: Fidelity { .lossy }
    var examples: [String] { ["1.5", "abc", "0", "-0", "1e3", "nan"] }
}

/// A conversion between an optional score in words and an optional Int.
struct MoodScore: Conversion {
    func up(_ older: String?) -> Int? {
        switch older {
        case "good": 3
        case "meh": 2
        case "bad": 1
        default: nil
        }
    }
    func down(_ newer: Int?) -> String? {
        guard let newer else { return nil }
        return newer >= 3 ? "good" : newer == 2 ? "meh" : "bad"
    }
    var fidelity: Fidelity { .lossy }
    var examples: [String?] { ["good", "meh", "bad", "odd", nil] }
}

/// A conversion between "2 cups" and the pair of 2 and "cups".
struct QuantityText: Conversion {
    func up(_ whole: String) -> (Double, String) {
        let number = whole.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = whole.dropFirst(number.count).drop { $0 == " " }
        return (Double(number).flatMap { $0.isFinite ? $0 : nil } ?? 0, String(unit))
    }
    func down(_ parts: (Double, String)) -> String { parts.1.isEmpty ? "\(parts.0)" : "\(parts.0) \(parts.1)" }
    var examples: [String] { ["2 cups", "200 g", "a pinch", "1.5"] }
}

/// A conversion between "Maria Silva" and the pair of "Maria" and "Silva"; a plan uses it reversed.
struct FullName: Conversion {
    func up(_ whole: String) -> (String, String?) {
        guard let space = whole.firstIndex(of: " ") else { return (whole, nil) }
        return (String(whole[..<space]), String(whole[whole.index(after: space)...]))
    }
    func down(_ parts: (String, String?)) -> String { parts.1.map { "\(parts.0) \($0)" } ?? parts.0 }
    var examples: [String] { ["Maria Silva", "Maria", " ", "Ana Maria da Silva"] }
}
