import SourceFacts

/// Reads the type that a call's function is, such as `Set<String>` of `Set<String>()`.
enum TypeText {
    static func type(_ text: some StringProtocol) -> TypeReference {
        let text = trimmed(text)
        if text.hasSuffix("?") { return .optional(type(text.dropLast())) }
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inside = String(text.dropFirst().dropLast())
            let sides = parts(inside, at: ":")
            return sides.count == 2
                ? .dictionary(key: type(sides[0]), value: type(sides[1])) : .array(type(inside))
        }
        if let open = text.firstIndex(of: "<"), text.hasSuffix(">") {
            let inside = text[text.index(after: open)...].dropLast()
            return .named(String(text[..<open]), arguments: parts(String(inside), at: ",").map { type($0) })
        }
        let isName = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return isName ? .named(text, arguments: []) : .other(text)
    }

    /// The text between separators that stand in no brackets.
    static func parts(_ text: String, at separator: Character) -> [String] {
        var depth = 0
        var parts = [""]
        for character in text {
            if "[<({".contains(character) { depth += 1 }
            if "]>)}".contains(character) { depth -= 1 }
            if character == separator, depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { trimmed($0) }
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
