import SourceFacts

/// Parses the text of a type, such as `Set<String>` in the call `Set<String>()`.
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

    /// Splits a text at each `separator` that is not inside brackets.
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

/// Parses the text of an optional type: `Int?`, `Optional<Int>`.
enum OptionalText {
    /// Returns the optional type that the text denotes; `nil` if the text is not an optional type.
    static func type(_ text: some StringProtocol) -> TypeReference? {
        switch TypeText.type(text) {
        case .optional(let inner): if case .other = inner { nil } else { .optional(inner) }
        case .named(let name, let arguments) where FrameworkTypes.bare(name) == "Optional" && arguments.count == 1:
            .optional(arguments[0])
        default: nil
        }
    }

    /// Returns true for the name of a function that wraps a value in an optional: `Optional<Int>`,
    /// `Optional<Int>.some`.
    static func isMaker(_ function: String) -> Bool {
        let name = function.hasSuffix(".some") ? String(function.dropLast(5)) : function
        return FrameworkTypes.bare(name) == "Optional" || type(name) != nil
    }
}

/// Recognizes expressions that are string literals, even with interpolations such as `"a\(1)"`.
enum StringText {
    /// Returns true for an expression that consists only of string literals: a single one, or several joined by `+`.
    static func isText(_ expression: String) -> Bool {
        var rest = Array(expression)[...]
        while let end = end(of: rest) {
            rest = rest[end...].drop(while: \.isWhitespace)
            if rest.isEmpty { return true }
            guard rest.first == "+" else { return false }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
        }
        return false
    }

    /// Returns the index after the string literal with which the text begins; `nil` if it does not begin with one.
    private static func end(of text: ArraySlice<Character>) -> Int? {
        let marks = text.prefix { $0 == "#" }.count
        let opening = text.dropFirst(marks)
        let isLong = opening.starts(with: "\"\"\"")
        guard opening.first == "\"" else { return nil }
        let closing = Array(String(repeating: "\"", count: isLong ? 3 : 1) + String(repeating: "#", count: marks))
        let escape = Array("\\" + String(repeating: "#", count: marks))
        var position = opening.startIndex + (isLong ? 3 : 1)
        while position < text.endIndex {
            let rest = text[position...]
            if rest.starts(with: escape) {
                position += escape.count
                guard text[position...].first == "(" else {
                    position += 1
                    continue
                }
                guard let after = endOfBrackets(text[position...]) else { return nil }
                position = after
            } else if rest.starts(with: closing) {
                return position + closing.count
            } else {
                position += 1
            }
        }
        return nil
    }

    private static func endOfBrackets(_ text: ArraySlice<Character>) -> Int? {
        var depth = 0
        var position = text.startIndex
        while position < text.endIndex {
            switch text[position] {
            case "(": depth += 1
            case ")":
                depth -= 1
                if depth == 0 { return position + 1 }
            case "\"", "#":
                if let after = end(of: text[position...]) {
                    position = after
                    continue
                }
            default: break
            }
            position += 1
        }
        return nil
    }
}
