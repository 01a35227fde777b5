extension String {
    private static let columnsMax = 100

    /// Breaks the text into lines of at most 100 columns, at the spaces between words. Lines after the first are
    /// indented by `indent` columns more than the first.
    package func wrapped(indent: Int = 4) -> String {
        broken(at: Self.columnsMax, indent: indent).joined(separator: "\n")
    }

    /// Breaks the text into lines of at most `columnsMax` columns; only a longer word exceeds that.
    package func broken(at columnsMax: Int, indent: Int = 0) -> [String] {
        let first = prefix { $0 == " " }.count
        var lines: [String] = []
        var line = String(repeating: " ", count: first)
        var isFresh = true
        for word in dropFirst(first).split(separator: " ", omittingEmptySubsequences: false) {
            if !isFresh, line.count + 1 + word.count > columnsMax {
                lines.append(line)
                line = String(repeating: " ", count: first + indent)
                isFresh = true
            }
            line += isFresh ? word : " " + word
            isFresh = false
        }
        return lines + [line]
    }

    /// The text with each of its lines broken to the width of a terminal.
    package var wrappedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).wrapped() }.joined(separator: "\n")
    }
}
