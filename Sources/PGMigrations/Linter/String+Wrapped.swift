extension String {
    /// What a terminal of ordinary width shows without breaking lines.
    private static let columnsMax = 100

    /// Lines of at most 100 columns, broken between words; those after the first are indented by `indent` more.
    package func wrapped(indent: Int = 4) -> String {
        broken(at: Self.columnsMax, indent: indent).joined(separator: "\n")
    }

    /// Lines of at most `columnsMax` columns, where no word is longer.
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

    /// Each of its lines within the width of a terminal.
    package var wrappedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).wrapped() }.joined(separator: "\n")
    }
}
