/// The data from which a shell's completion script is generated: for each beginning of a command line, the words that
/// can follow it.
struct CompletionScript {
    /// The shells for which a completion script can be generated.
    enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    /// The kinds of completions that a shell offers for an argument or for an option's value.
    enum Source: Hashable {
        case files
        case folders
        case words([String])
        /// No completion, because the shell cannot know the values.
        case nothing
    }

    /// A command and the words that may follow it.
    struct Entry {
        /// The names of the command and its parents after the program's name, each with a space before it, such as
        /// ` migrate plan`. Empty for the program itself.
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

    /// The name of the shell function that the script defines: `_` and the program's name. Characters other than
    /// letters and digits are replaced by `_`.
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

    /// Returns the source of completions for all arguments of a command. The source of its last argument is used for
    /// all.
    func argumentSource(_ command: CommandSpec) -> Source {
        command.arguments.last.map { source($0.kind) } ?? .nothing
    }

    /// The different sources of completions for options' values, each with the options that use it. An option is
    /// written as its command's `key` and its own name, such as ` migrate plan --app`.
    var valueSources: [(source: Source, indices: [String])] {
        var indices: [Source: [String]] = [:]
        var order: [Source] = []
        for entry in entries {
            for option in entry.command.options {
                guard let value = option.value else { continue }
                let source = source(value.kind)
                if indices[source] == nil { order.append(source) }
                indices[source, default: []].append("\(entry.key) \(option.word)")
            }
        }
        return order.map { ($0, indices[$0] ?? []) }
    }

    /// Quotes a text as one word of a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// Joins the patterns of one branch of a shell `case`, one pattern to a line.
    static func alternatives(_ texts: [String], indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        return texts.map { quoted($0) }.joined(separator: " | \\\n\(space)")
    }
}
