extension CompletionScript {
    /// The script for Bash. Bash calls the script's function with the words of the command line, and the function
    /// returns the completions in `COMPREPLY`.
    var bash: String {
        """
        # Completions of \(program) for bash, made by ‘\(program) completions bash’.
        \(functionName)() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
            local command='' words='' options='' kind=words index=1
            COMPREPLY=()
            # ‘--app=x’ arrives as three words.
            if [[ $word == = ]]; then
                word=''
            elif [[ $before == = ]] && ((COMP_CWORD > 2)); then
                before=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            if [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD > 1)); then index=2; fi
            for ((; index < COMP_CWORD; index++)); do
                case "$command ${COMP_WORDS[index]}" in
                    \(CompletionScript.alternatives(entries.dropFirst().map(\.key), indent: 16)))
                        command+=" ${COMP_WORDS[index]}" ;;
                    *) break ;;
                esac
            done
            case "$command" in
        \(entries.map(bashCase).joined(separator: "\n"))
            esac
            case "$command $before" in
        \(valueSources.map(bashValues).joined(separator: "\n"))
                *) if [[ $word == -* ]]; then words=$options kind=words; fi ;;
            esac
            case $kind in
                files | folders)
                    # Elsewhere than in a completion, as in a test, there is nothing to set.
                    compopt -o filenames 2>/dev/null
                    if [[ $kind == files ]]; then
                        mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    else
                        mapfile -t COMPREPLY < <(compgen -d -- "$word")
                    fi ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
            esac
        }
        complete -F \(functionName) \(program)
        """
    }

    private func bashCase(_ entry: Entry) -> String {
        let options = entry.command.allOptions.map(\.word).joined(separator: " ")
        let words = entry.command.subcommands.map(\.name).joined(separator: " ")
        let next = words.isEmpty ? bashAssignment(argumentSource(entry.command)) : "words='\(words)'"
        return """
                    '\(entry.key)')
                        options='\(options)'
                        \(next) ;;
            """
    }

    private func bashValues(_ source: Source, _ indices: [String]) -> String {
        // If the value is optional, a word that begins with a dash is the next option.
        """
                \(CompletionScript.alternatives(indices, indent: 8)))
                    if [[ $word == -* ]]; then words=$options kind=words; else \(bashAssignment(source)); fi ;;
        """
    }

    private func bashAssignment(_ source: Source) -> String {
        switch source {
        case .files: "kind=files words=''"
        case .folders: "kind=folders words=''"
        case .words(let words): "kind=words words=\(CompletionScript.quoted(words.joined(separator: " ")))"
        case .nothing: "kind=words words=''"
        }
    }
}
