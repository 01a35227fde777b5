import WireFormats

/// The conversion between the two forms of a mood: a valence from -1 to 1, which may be unknown, and a score from 1 to
/// 10.
///
/// There are only ten scores, so a valence that is converted to a score and back usually changes. But each version
/// reads the values that it has written itself unchanged.
struct MoodScore: Conversion {
    /// Returns the mood's score for a valence. An unknown valence becomes 5, the score that a new mood entry has.
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
