extension CompletionScript {
    /// The script for zsh, which shows a help text beside each completion.
    var zsh: String {
        """
        #compdef \(program)
        # Completions of \(program) for zsh, made by ‘\(program) completions zsh’.
        \(functionName)() {
            local at='' before=${words[CURRENT-1]} index=2
            local -a options=() entries=()
            if [[ ${words[2]} == help ]] && ((CURRENT > 2)); then index=3; fi
            while ((index < CURRENT)); do
                case "$at ${words[index]}" in
                    (\(CompletionScript.alternatives(entries.dropFirst().map(\.key), indent: 13)))
                        at+=" ${words[index]}" ;;
                    (*) break ;;
                esac
                ((index++))
            done
            if [[ ${words[CURRENT]} == --*=* ]]; then
                before=${words[CURRENT]%%=*}
                compset -P '*='
            fi
            if [[ $PREFIX != -* ]]; then
                case "$at $before" in
        \(valueSources.map(zshValues).joined(separator: "\n"))
                esac
            fi
            case "$at" in
        \(entries.map(zshCase).joined(separator: "\n"))
            esac
            if [[ $PREFIX == -* ]]; then
                _describe -o 'option' options
            elif ((${#entries})); then
                _describe 'command' entries
            fi
        }
        if [[ ${funcstack[1]} == \(functionName) ]]; then
            \(functionName) "$@"
        else
            compdef \(functionName) \(program)
        fi
        """
    }

    private func zshValues(_ source: Source, _ indices: [String]) -> String {
        """
                    (\(CompletionScript.alternatives(indices, indent: 13)))
                        \(zshAction(source)); return ;;
        """
    }

    private func zshCase(_ entry: Entry) -> String {
        let options = entry.command.allOptions.map { zshEntry($0.word, $0.help) }.joined(separator: "\n            ")
        let subcommands = entry.command.subcommands.map { zshEntry($0.name, $0.summary) }
        let next =
            subcommands.isEmpty
            ? "[[ $PREFIX == -* ]] || \(zshAction(argumentSource(entry.command)))"
            : "entries=(\n            \(subcommands.joined(separator: "\n            ")))"
        return """
                    ('\(entry.key)')
                        options=(
                        \(options))
                        \(next) ;;
            """
    }

    /// Returns a word and its help text, in the syntax of the zsh function `_describe`.
    private func zshEntry(_ word: String, _ help: String) -> String {
        CompletionScript.quoted("\(word):\(help.replacing(":", with: #"\:"#))")
    }

    private func zshAction(_ source: Source) -> String {
        switch source {
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "compadd -- \(words.map { CompletionScript.quoted($0) }.joined(separator: " "))"
        case .nothing: "true"
        }
    }
}
