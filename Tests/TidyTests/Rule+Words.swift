import Testing

extension Rule {
    /// Words that refer to something that the reader does not know yet.
    private static let vagueOpenings: Set<Substring> = [
        "What", "How", "Whether", "Those", "Of", "Which", "Where", "That",
    ]

    /// Files that other programs wrote, or that must be as their app has them.
    private static let foreignFiles = ["Tests/SchemaImportTests/Corpus/", "Tests/SyncClientTests/Models/EasitOpen"]

    static let plainFirstLines = Rule(
        "A doc comment begins with the name of the thing, or with a verb", broken: "Tests/SyncServerTests/A.swift",
        by: "/// What is there.\nlet a = 1"
    ) { file in
        let isOurs = ["Sources/", "Tests/", "SourceReader/", "Benchmarks/"].contains { file.path.hasPrefix($0) }
        guard file.isSwift, isOurs, !foreignFiles.contains(where: file.path.hasPrefix) else { return [] }
        var text = MultilineText()
        var faults: [Fault] = []
        var isOpen = false
        for (index, line) in file.lines.enumerated() {
            let words = line.split(separator: " ")
            let isComment = !text.takes(line) && words.first == "///"
            defer { isOpen = isComment }
            guard isComment, !isOpen, words.count > 1, vagueOpenings.contains(words[1]) else { continue }
            faults.append(
                Fault(line: index + 1, message: "‘\(words[1]) …’ needs the code to be understood: name the thing"))
        }
        return faults
    }
}

/// The string literal of several lines, if any, that is open while a file is read line by line.
///
/// Swift wants its opening delimiter at the end of a line and its closing one at the beginning of another, so that
/// `#""""#`, a literal of one line, is neither.
struct MultilineText {
    private var end: String?

    /// Reads the next line, and returns true if it begins inside the literal.
    mutating func takes(_ line: Substring) -> Bool {
        var rest = line.drop { $0 == " " }
        let isInside = end != nil
        if let end {
            guard rest.hasPrefix(end) else { return true }
            rest = rest.dropFirst(end.count)
            self.end = nil
        }
        if rest.hasSuffix("\"\"\""), !rest.hasPrefix("//") {
            let marks = rest.dropLast(3).reversed().prefix { $0 == "#" }
            end = "\"\"\"" + String(marks)
        }
        return isInside
    }
}

/// Tests that the rule for first lines knows comments from texts, and which files it is for.
@Suite struct FirstLineRuleTests {
    @Test(arguments: [
        "let a = #\"\"\"\"#", "let a = \"\"\"\n    /// What a text has.\n    \"\"\"",
        "let a = #\"\"\"\n    \"\"\"\n    /// What a text has.\n    \"\"\"#",
        "f(\n    \"\"\"\n    a\n    \"\"\", \"\"\"\n    /// What a text has.\n    \"\"\")", "// \"\"\"",
    ])
    func aCommentIsFoundBehindAText(_ text: String) {
        let lines = text + "\n/// The name.\nlet b = 1\n/// What is there.\nlet c = 1"
        let last = lines.count { $0 == "\n" }
        #expect(
            Rule.plainFirstLines.faults(SourceFile(path: "Benchmarks/A.swift", text: lines)).map(\.line) == [last])
    }

    @Test(arguments: [
        "Tests/SchemaImportTests/Corpus/A/A.swift", "Tests/SyncClientTests/Models/EasitOpen100.swift",
        "Examples/A.swift",
    ])
    func otherFilesAreLeftAlone(_ path: String) {
        #expect(Rule.plainFirstLines.faults(SourceFile(path: path, text: "/// What is there.\nlet a = 1")).isEmpty)
    }
}
