/// A page's code for a shell: a line of a block, or a span in its text.
struct PageCode {
    /// From 1.
    let line: Int
    let text: String
    /// True if the code is in a block, and so is run as it is.
    let isShell: Bool

    /// - Parameter page: in Markdown.
    static func all(in page: String) -> [PageCode] {
        var code: [PageCode] = []
        var fence: Substring?
        /// The paragraph or command that goes on in the next line.
        var begun: (line: Int, text: String)?
        func end(isShell: Bool) {
            guard let (line, text) = begun else { return }
            begun = nil
            if isShell {
                code.append(PageCode(line: line, text: text, isShell: true))
            } else {
                // Every second part is between backticks.
                let parts = text.split(separator: "`", omittingEmptySubsequences: false)
                let spans = parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
                code += spans.map { PageCode(line: line, text: $0, isShell: false) }
            }
        }
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                end(isShell: fence != nil)
                fence = fence == nil ? line.dropFirst(3) : nil
            } else if let fence {
                guard fence.split(separator: " ").first == "sh" else { continue }
                let goesOn = line.hasSuffix("\\")
                begun = (begun?.line ?? index + 1, (begun?.text ?? "") + (goesOn ? line.dropLast() : line))
                if !goesOn { end(isShell: true) }
            } else {
                if line.isEmpty || line.hasPrefix("|") { end(isShell: false) }
                begun = (begun?.line ?? index + 1, (begun.map { $0.text + " " } ?? "") + line)
            }
        }
        end(isShell: false)
        return code
    }

    /// The words of each command, as a shell splits them; without comments and redirections.
    var commands: [[String]] {
        var commands: [[String]] = [[]]
        var word = ""
        var quote: Character?
        var isRedirected = false
        func endWord() {
            if !word.isEmpty, !isRedirected { commands[commands.count - 1].append(word) }
            if !word.isEmpty { isRedirected = false }
            word = ""
        }
        for character in text {
            switch character {
            case _ where character == quote: quote = nil
            case _ where quote != nil: word.append(character)
            case "'", "\"": quote = character
            case " ": endWord()
            case "#" where word.isEmpty: return commands
            case "|", ";", "&", "(", ")":
                endWord()
                isRedirected = false
                commands.append([])
            case ">", "<":
                // ‘2>a’
                if word.allSatisfy(\.isNumber) { word = "" }
                endWord()
                isRedirected = true
            default: word.append(character)
            }
        }
        endWord()
        return commands
    }
}
