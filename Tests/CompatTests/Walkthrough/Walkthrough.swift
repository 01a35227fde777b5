/// A document that describes a procedure, as steps that can be performed: its fenced blocks.
///
/// - `sh` is run, and must succeed unless the fence says `exits=N`. A `text` block after it has the beginnings of lines
///   that it prints; `…` stands for any other lines, and at a line's end for its rest.
///   A block that keeps running, such as a server, says `until=WORD`: it is started, and waited for until it prints
///   the word.
/// - `diff` is applied.
/// - Any other block whose fence names a file is written to that file; a block without a name is only read.
struct Walkthrough {
    private(set) var steps: [Step] = []

    /// A fenced block, or two that belong together.
    struct Step {
        /// The line of the opening fence, from 1.
        let line: Int
        /// The number of headings before it.
        let section: Int
        let action: Action
        /// The expected output, line by line.
        var output: [String] = []
    }

    /// The action that a step demands.
    enum Action {
        case run(String, status: Int32)
        case serve(String, until: String)
        case apply(String)
        case write(String, to: String)
    }

    private var section = 0

    init(_ document: String) {
        var block: (line: Int, words: [String], text: String)?
        for (number, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let open = block {
                if line == "```" {
                    add(open.words, open.text, at: open.line)
                    block = nil
                } else {
                    block?.text += line + "\n"
                }
            } else if line.hasPrefix("#") {
                section += 1
            } else if line.hasPrefix("```") {
                block = (number + 1, line.dropFirst(3).split(separator: " ").map(String.init), "")
            }
        }
    }

    private mutating func add(_ words: [String], _ text: String, at line: Int) {
        switch words.first {
        case "sh":
            func option(_ name: String) -> String? {
                words.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
            }
            if let word = option("until") {
                add(.serve(text, until: word), at: line)
            } else {
                add(.run(text, status: option("exits").flatMap { Int32($0) } ?? 0), at: line)
            }
        case "text" where !steps.isEmpty:
            steps[steps.count - 1].output = text.split(separator: "\n")
                .map { String($0.hasSuffix("…") ? $0.dropLast() : $0) }
                .filter { !$0.isEmpty }
        case "diff": add(.apply(text), at: line)
        case _? where words.count == 2: add(.write(text, to: words[1]), at: line)
        default: break
        }
    }

    private mutating func add(_ action: Action, at line: Int) {
        steps.append(Step(line: line, section: section, action: action))
    }
}
