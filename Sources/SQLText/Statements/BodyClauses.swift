/// The clauses of a change of rows in a function's body. The body is not parsed: clauses are recognized by their words
/// alone. Text in parentheses is skipped, because it belongs to another statement or to an expression.
struct BodyClauses {
    /// The columns that the `SET` clauses assign, in their order.
    private(set) var assigned: [String] = []
    private let outer: [String]

    func has(_ word: String) -> Bool { outer.contains(word) }

    /// Reads the clauses of a statement that changes rows.
    ///
    /// - Parameter words: the words after the table's name, to the end of the statement.
    init(_ words: [String]) {
        var outer: [String] = []
        var depth = 0
        var isTarget = false
        for (index, word) in words.enumerated() {
            switch word {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            default: break
            }
            if depth <= 0, word != ")", word != "]" { outer.append(word) }
            switch word {
            case "set" where depth == 0: isTarget = true
            // The assigned expression follows the sign, up to the next comma.
            case "=" where depth == 0: isTarget = false
            case "," where depth == 0: isTarget = isTarget || outer.contains("set")
            case "where" where depth == 0, "from" where depth == 0, "when" where depth == 0,
                "returning" where depth == 0:
                isTarget = false
            case "(", ")", ",", "[", "]", ".": break
            // Matches `a = …`, `t.a = …`, or one of `(a, b) = …`; an array's element counts as its column.
            default:
                let next = index + 1 < words.count ? words[index + 1] : ""
                if isTarget, ["=", ",", ")", "["].contains(next), words[index - 1] != "[" { assigned.append(word) }
            }
        }
        self.outer = outer
    }
}
