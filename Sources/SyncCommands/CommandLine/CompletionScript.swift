/// What a shell's completions are made from: for each command line so far, what may come next.
struct CompletionScript {
    /// The shells that there is a script for.
    enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    /// What completes a value.
    enum Source: Hashable {
        case files
        case folders
        case words([String])
        /// Nothing that a shell could know.
        case nothing
    }

    /// The command with what may follow it.
    struct Entry {
        /// ` migrate plan`: the words after the program's name, each with a space before it; nothing for the program.
        let key: String
        let path: CommandPath

        var command: CommandSpec { path.command }
    }

    let program: String
    let apps: [String]
    let entries: [Entry]

    init(_ program: CommandPath, apps: [String]) {
        self.program = program.command.name
        self.apps = apps
        entries = program.tree.map { path in
            Entry(key: path.isProgram ? "" : " \(path.wordsInProgram)", path: path)
        }
    }

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The name of the function that completes: letters, digits and `_`.
    var functionName: String { "_" + program.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }

    func source(_ kind: ValueKind) -> Source {
        switch kind {
        case .any: .nothing
        case .file: .files
        case .folder: .folders
        case .app: .words(apps)
        case .words(let words): .words(words)
        }
    }

    /// What completes the first argument of a command; the others are taken for the same.
    func argumentSource(_ command: CommandSpec) -> Source {
        command.arguments.last.map { source($0.kind) } ?? .nothing
    }

    /// Each thing that completes values of options, with the options: the key of their command and the option.
    var valueSources: [(source: Source, places: [String])] {
        var places: [Source: [String]] = [:]
        var order: [Source] = []
        for entry in entries {
            for option in entry.command.options {
                guard let value = option.value else { continue }
                let source = source(value.kind)
                if places[source] == nil { order.append(source) }
                places[source, default: []].append("\(entry.key) \(option.word)")
            }
        }
        return order.map { ($0, places[$0] ?? []) }
    }

    /// As one word of a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// Alternatives of a `case`, over as many lines as it takes.
    static func alternatives(_ texts: [String], indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        return texts.map { quoted($0) }.joined(separator: " | \\\n\(space)")
    }
}
