/// A document that leads through a piece of work, as steps that can be taken: its fenced blocks.
///
/// - `sh` is run, and succeeds unless the fence says `exits=N`; a `text` block after it holds how lines begin that it
///   prints; `…` stands for any others, and at a line's end for the rest of it.
///   One that goes on, such as a server, says `until=WORD`: it is started, and waited for until it prints that.
/// - `diff` is applied.
/// - Anything else whose fence names a file is that file from then on; what names none is there to be read.
struct Walkthrough {
    private(set) var steps: [Step] = []

    /// One fenced block, or two that belong together.
    struct Step {
        /// Of the opening fence, from 1.
        let line: Int
        /// How many headings there are before it.
        let section: Int
        let action: Action
        /// What it prints, line by line.
        var output: [String] = []
    }

    /// What a step asks for.
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
