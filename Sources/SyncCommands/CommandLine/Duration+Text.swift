/// Durations as people write them: `180d`, `6h`, `30m`, `45s`.
extension Duration {
    private static let units: [(letter: Character, word: String, seconds: Int64)] = [
        ("d", "day", 86_400), ("h", "hour", 3_600), ("m", "minute", 60), ("s", "second", 1),
    ]

    /// The longest duration that is accepted, a hundred years, in seconds. A longer one is probably a typing mistake,
    /// and the database may not be able to represent a time that far back.
    private static var secondsMax: Int64 { 100 * 366 * 86_400 }

    /// Parses a whole number with one unit, such as `30m`; `nil` for any other text, and for a negative number.
    init?(shortText text: String) {
        guard let unit = Duration.units.first(where: { $0.letter == text.last })?.seconds,
            let count = Int64(text.dropLast()), count >= 0, count <= Duration.secondsMax / unit
        else { return nil }
        self = .seconds(count * unit)
    }

    /// The duration in the largest unit of which it is a whole number, such as `30m`.
    var shortText: String {
        let (count, unit) = counted
        return "\(count)\(unit.letter)"
    }

    /// The duration in words, such as `30 days`.
    var longText: String {
        let (count, unit) = counted
        return "\(count) \(unit.word)\(count == 1 ? "" : "s")"
    }

    private var counted: (count: Int64, unit: (letter: Character, word: String, seconds: Int64)) {
        let unit = Duration.units.first { components.seconds % $0.seconds == 0 } ?? Duration.units[3]
        return (components.seconds / unit.seconds, unit)
    }
}
