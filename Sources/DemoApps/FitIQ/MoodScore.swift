import WireFormats

/// The conversion between a mood's valence, -1 to 1 or unknown, and its score, 1 to 10.
///
/// The score has ten values, so a valence does not survive the way there and back; each version reads the values that
/// it wrote itself.
struct MoodScore: Conversion {
    /// Converts a valence to a score. An unknown valence has the score of a new entry.
    func up(_ valence: Double?) -> Int {
        guard let valence, !valence.isNaN else { return MoodScore.unknown }
        return Int(nearest: (min(max(valence, -1), 1) + 1) * 4.5 + 1)
    }

    func down(_ score: Int) -> Double? {
        Double(min(max(score, 1), 10) - 1) / 4.5 - 1
    }

    let fidelity = Fidelity.lossy

    let examples: [Double?] = [
        nil, -1, -0.9, -0.5, -0.11, 0, 0.11, 0.3, 0.4, 0.6, 0.9, 1, -1.5, 7, 1e300, -1e300, .leastNonzeroMagnitude,
    ]

    private static let unknown = 5
}
