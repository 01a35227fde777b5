extension CompletionScript {
    /// The script for fish, which shows a help text beside each completion. It has a rule for each word, and a function
    /// that finds the current command.
    var fish: String {
        let name = "_" + functionName
        let keys = entries.dropFirst().map { fishQuoted($0.key) }.joined(separator: " \\\n            ")
        return """
            # Completions of \(program) for fish, made by ‘\(program) completions fish’.
            function \(name)_at --description 'Whether the line so far names this command'
                set -l at ''
                set -l begun (commandline -opc)
                for word in $begun[2..]
                    if test "$at" = '' -a "$word" = help
                        continue
                    else if contains -- "$at $word" \(keys)
                        set at "$at $word"
                    else
                        break
                    end
                end
                test "$at" = "$argv[1]"
            end
            complete -c \(program) -f
            \(entries.flatMap { fishRules($0, name) }.joined(separator: "\n"))
            """
    }

    private func fishRules(_ entry: Entry, _ name: String) -> [String] {
        let condition = "complete -c \(program) -n \(fishQuoted("\(name)_at '\(entry.key)'"))"
        let subcommands = entry.command.subcommands.map { subcommand in
            "\(condition) -a \(subcommand.name) -d \(fishQuoted(subcommand.summary))"
        }
        let options = entry.command.allOptions.map { option in
            let value = option.value.map { fishValue(source($0.kind), isOptional: $0.isOptional) } ?? ""
            return "\(condition) -l \(option.name)\(value) -d \(fishQuoted(option.help))"
        }
        switch argumentSource(entry.command) {
        case .files: return subcommands + options + ["\(condition) -F"]
        case .folders: return subcommands + options + ["\(condition) -a '(__fish_complete_directories)'"]
        case .words(let words): return subcommands + options + ["\(condition) -a \(fishList(words))"]
        case .nothing: return subcommands + options
        }
    }

    private func fishValue(_ source: Source, isOptional: Bool) -> String {
        let requirement = isOptional ? "" : " -r"
        switch source {
        case .files: return "\(requirement) -F"
        case .folders: return "\(requirement) -a '(__fish_complete_directories)'"
        case .words(let words): return "\(requirement) -f -a \(fishList(words))"
        case .nothing: return requirement
        }
    }

    private func fishList(_ words: [String]) -> String { fishQuoted(words.joined(separator: " ")) }

    private func fishQuoted(_ text: String) -> String {
        "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}
