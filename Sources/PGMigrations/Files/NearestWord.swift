/// Finds the word of a list that a misspelt word was probably meant to be.
package enum NearestWord {
    /// The minimum number of letters of an abbreviation. An abbreviation must be the beginning of exactly one word of
    /// the list.
    private static let prefixMin = 3
    /// The maximum number of spelling mistakes in a misspelt word. With more, it counts as a different word.
    private static let slipsMax = 3

    /// Returns the word of `words` that is nearest to `word`.
    ///
    /// - Returns: the only one that begins with `word`, or the one with the fewest spelling mistakes; `nil` if none is
    ///   near.
    package static func of(_ word: String, among words: [String]) -> String? {
        let begun = words.filter { $0.hasPrefix(word) }
        if word.count >= prefixMin, begun.count == 1 { return begun[0] }
        let slips = words.map { (word: $0, count: distance(word, $0)) }
        guard let nearest = slips.min(by: { $0.count < $1.count }) else { return nil }
        // One mistake in a short word, two or three in a longer one.
        let countMax = min(slipsMax, max(1, max(word.count, nearest.word.count) / 3))
        return nearest.count <= countMax ? nearest.word : nil
    }

    /// Returns the number of letters to insert, remove, replace or exchange with their neighbours to turn `first` into
    /// `second`.
    package static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (i, letter) in first.enumerated() {
            var row = [i + 1]
            for (j, other) in second.enumerated() {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
