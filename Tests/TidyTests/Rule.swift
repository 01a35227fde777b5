import Testing

/// A rule for all files, with a file that breaks it, which proves that the rule finds faults.
struct Rule: Sendable, CustomTestStringConvertible {
    /// The sentence that is true if the rule is kept.
    let name: String
    let counterexample: SourceFile
    let faults: @Sendable (SourceFile) -> [Fault]

    struct Fault: Sendable {
        /// The line number, from 1.
        let line: Int
        let message: String
    }

    var testDescription: String { name }

    init(
        _ name: String, broken path: String, by text: String, faults: @escaping @Sendable (SourceFile) -> [Fault]
    ) {
        self.name = name
        self.counterexample = SourceFile(path: path, text: text)
        self.faults = faults
    }
}

extension SourceFile {
    /// Returns a fault for each line for which `message` returns a text. Comments are skipped unless they are included.
    func faults(includingComments: Bool = false, _ message: (Substring) -> String?) -> [Rule.Fault] {
        lines.enumerated().compactMap { index, line in
            if !includingComments, line.drop(while: { $0 == " " }).hasPrefix("//") { return nil }
            return message(line).map { Rule.Fault(line: index + 1, message: $0) }
        }
    }

    /// Returns the nearest line above `index` that is not an attribute.
    func lineAbove(_ index: Int) -> Substring {
        let above = lines[..<index].last { !$0.drop(while: { $0 == " " }).hasPrefix("@") } ?? ""
        return above.drop { $0 == " " }
    }
}

/// Returns the first words of a Swift line, without attributes and modifiers: `struct`, `Change`, …
func declaration(in line: Substring) -> ArraySlice<Substring> {
    let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated", "static",
    ]
    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
    return words.drop { modifiers.contains($0) || $0.hasPrefix("@") }
}

/// Returns true if a line declares a type.
func declaresType(_ line: Substring) -> Bool {
    let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
    return declaration(in: line).first.map { kinds.contains($0) } ?? false
}

/// Returns the words of a name in camel case: `JSONKeyTable` is `JSON`, `Key`, `Table`.
func words(of name: Substring) -> [Substring] {
    var words: [Substring] = []
    var start = name.startIndex
    for index in name.indices.dropFirst() {
        let next = name.index(after: index)
        let isBeforeLower = next < name.endIndex && name[next].isLowercase
        if name[index].isUppercase, !name[name.index(before: index)].isUppercase || isBeforeLower {
            words.append(name[start..<index])
            start = index
        }
    }
    return words + [name[start...]]
}
