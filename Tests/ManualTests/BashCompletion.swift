@testable import pagewatch

/// The completion for bash.
struct BashCompletion {
    private let table: CompletionTable

    init(_ table: CompletionTable) { self.table = table }

    var text: String {
        """
        # Completion of pagewatch for bash. Made by "make man" from the program's tables.

        \(words)
        \(values)
        \(options)
        \(operands)
        \(main)
        """
    }

    /// Functions that put what fits into COMPREPLY. Nothing that comes from elsewhere is expanded.
    private var words: String {
        """
        _pagewatch_words() {
            local word
            for word; do
                [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
            done
        }

        # The targets of the running service; none where none answers.
        _pagewatch_targets() {
            local name
            while IFS= read -r name; do
                [[ -n $name && $name == "$cur"* ]] || continue
                printf -v name %q "$name"
                COMPREPLY+=("$name")
            done < <(pagewatch status --names ${socket:+--socket "$socket"} 2>/dev/null)
        }

        """
    }

    private var values: String {
        var lines: [String] = []
        for entry in table.entries {
            for option in entry.options {
                guard let value = option.value else { continue }
                let patterns = option.facts.names.map { "'\(entry.name) \($0)'" }
                lines.append(
                    "    \(patterns.joined(separator: " | "))) \(Self.assignment(value.kind)) ;;")
            }
        }
        return """
            # What the value of an option is: sets kind and choices; kind is empty for a flag.
            _pagewatch_value() {
                kind='' choices=()
                case "$1 $2" in
            \(lines.joined(separator: "\n"))
                esac
            }

            """
    }

    private static func assignment(_ kind: CompletionTable.Kind) -> String {
        switch kind {
        case .file: "kind=file"
        case .folder: "kind=folder"
        case .program: "kind=program"
        case .target: "kind=target"
        case .free: "kind=free"
        case .words(let words): "kind=words choices=(\(words.joined(separator: " ")))"
        }
    }

    private var options: String {
        let lines = table.entries.map { entry in
            let names = entry.options.flatMap(\.facts.names).joined(separator: " ")
            return "    \(entry.name)) _pagewatch_words \(names) ;;"
        }
        return """
            _pagewatch_options() {
                case $1 in
            \(lines.joined(separator: "\n"))
                esac
            }

            """
    }

    private var operands: String {
        var lines: [String] = []
        for entry in table.entries {
            for (index, operand) in entry.operands.enumerated() {
                let isOpen = entry.isOpen && index == entry.operands.count - 1
                let pattern = isOpen ? "\"\(entry.name) \"*" : "\"\(entry.name) \(index)\""
                lines.append("    \(pattern)) \(Self.assignment(operand.kind)) ;;")
            }
        }
        return """
            # What the operand behind so many others is.
            _pagewatch_operand() {
                kind='' choices=()
                case "$1 $2" in
            \(lines.joined(separator: "\n"))
                esac
            }

            """
    }

    private var main: String {
        let names = (table.entries.map(\.name) + ["help"]).joined(separator: " ")
        let keys = table.keys.joined(separator: " ")
        return """
            _pagewatch() {
                local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
                local word kind choices option='' socket='' takes_options=yes
                local -i index operands=0
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    _pagewatch_words \(names) -h --help -V --version
                    return
                elif [[ $command == help ]]; then
                    if ((COMP_CWORD == 2)); then
                        _pagewatch_words \(names) keys
                    elif ((COMP_CWORD == 3)) && [[ ${COMP_WORDS[2]} == keys ]]; then
                        _pagewatch_words \(keys)
                    fi
                    return
                fi
                for ((index = 2; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    if [[ -n $option ]]; then
                        # bash takes --option=value apart.
                        [[ $word == = ]] && continue
                        [[ $option == --socket ]] && socket=$word
                        option=''
                    elif [[ -n $takes_options && $word == -- ]]; then
                        takes_options=''
                    elif [[ -n $takes_options && $word == -?* ]]; then
                        _pagewatch_value "$command" "$word"
                        [[ -n $kind ]] && option=$word
                    else
                        operands+=1
                    fi
                done
                if [[ -n $option ]]; then
                    [[ $cur == = ]] && cur=''
                    _pagewatch_value "$command" "$option"
                elif [[ -n $takes_options && $cur == -* ]]; then
                    _pagewatch_options "$command"
                    return
                else
                    _pagewatch_operand "$command" "$operands"
                fi
                case $kind in
                # readline itself knows best how names of files are quoted.
                file) compopt -o default 2>/dev/null ;;
                folder) compopt -o dirnames 2>/dev/null ;;
                program) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
                target) _pagewatch_targets ;;
                words) _pagewatch_words "${choices[@]}" ;;
                esac
            }

            complete -F _pagewatch pagewatch

            """
    }
}
