/// Words in the app's files that were renamed while their meaning stayed. They were found by comparing rows with the
/// same id in older and newer files.
enum KeepTrackWords {
    private static let frequencies = [
        // Until July 2025.
        "once daily": "daily", "Once daily": "daily", "six times daily": "sixTimesADay", "twice a week": "twiceWeekly",
        "twice daily": "twiceADay", "Twice daily": "twiceADay",
        // Until January 2026.
        "twiceDaily": "twiceADay", "threeTimesAWeek": "threeTimesWeekly",
    ]

    /// Returns the word that the newest version uses for this frequency. A word that was never renamed is returned
    /// unchanged.
    static func frequency(_ word: String) -> String {
        frequencies[word] ?? word
    }

    static func unit(_ word: String) -> String {
        switch word {
        case "fluid ounces": "fluidOunces"
        case "dropper": "ml"
        default: word
        }
    }
}
