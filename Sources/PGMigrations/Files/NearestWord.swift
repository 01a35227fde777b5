/// Which of some words somebody meant who wrote another.
package enum NearestWord {
    /// A word of which that many letters were written is taken for meant, where only one begins so.
    private static let prefixMin = 3
    /// More slips than these make another word.
    private static let slipsMax = 3

    /// - Returns: the only one that `word` begins, or the one that the fewest slips lead to; `nil` where none is near.
    package static func of(_ word: String, among words: [String]) -> String? {
        let begun = words.filter { $0.hasPrefix(word) }
        if word.count >= prefixMin, begun.count == 1 { return begun[0] }
        let slips = words.map { (word: $0, count: distance(word, $0)) }
        guard let nearest = slips.min(by: { $0.count < $1.count }) else { return nil }
        // In a short word one slip, in a longer one two or three.
        let countMax = min(slipsMax, max(1, max(word.count, nearest.word.count) / 3))
        return nearest.count <= countMax ? nearest.word : nil
    }

    /// How many letters are to be inserted, removed, replaced or exchanged with their neighbour.
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
