extension Rule {
    /// Words that refer to something that the reader does not know yet.
    private static let vagueOpenings: Set<Substring> = [
        "What", "How", "Whether", "Those", "Of", "Which", "Where", "That",
    ]

    static let plainFirstLines = Rule(
        "A doc comment begins with the name of the thing, or with a verb", broken: "Sources/SyncEngine/A.swift",
        by: "/// What is there.\nlet a = 1"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        var faults: [Fault] = []
        var isText = false
        var isOpen = false
        for (index, line) in file.lines.enumerated() {
            let marks = line.ranges(of: "\"\"\"").count
            defer { if !marks.isMultiple(of: 2) { isText.toggle() } }
            let words = line.split(separator: " ")
            let isComment = words.first == "///" && !isText
            defer { isOpen = isComment }
            guard isComment, !isOpen, words.count > 1, vagueOpenings.contains(words[1]) else { continue }
            faults.append(
                Fault(line: index + 1, message: "‘\(words[1]) …’ needs the code to be understood: name the thing"))
        }
        return faults
    }
}
