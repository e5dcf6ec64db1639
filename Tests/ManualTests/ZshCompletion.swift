@testable import pagewatch

/// The completion for zsh.
struct ZshCompletion {
    private let table: CompletionTable

    init(_ table: CompletionTable) { self.table = table }

    var text: String {
        """
        #compdef pagewatch
        # Completion of pagewatch for zsh. Made by "make man" from the program's tables.

        # The targets of the running service; none where none answers.
        _pagewatch_targets() {
          local -a names socket
          [[ -n ${opt_args[--socket]} ]] && socket=(--socket ${(Q)opt_args[--socket]//\\\\:/:})
          names=(${(f)"$(pagewatch status --names $socket 2>/dev/null)"})
          (( $#names )) || return 1
          local expl
          _wanted targets expl target compadd -a names
        }

        _pagewatch_commands() {
          local -a commands=(
        \(table.entries.map { "    \(Self.quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n"))
            'help:Tells about a command.'
          )
          _describe -t commands command commands
        }

        _pagewatch_topics() {
          local -a topics=('keys:Lists the keys of the configuration.')
          _pagewatch_commands
          _describe -t topics topic topics
        }

        _pagewatch() {
          local curcontext=$curcontext state line
          typeset -A opt_args
          _arguments -C \\
            '(- *)'{-h,--help}'[the commands]' \\
            '(- *)'{-V,--version}'[the version]' \\
            '1:command:_pagewatch_commands' \\
            '*::argument:->arguments' && return
          [[ $state == arguments ]] || return 1
          curcontext=${curcontext%:*}:pagewatch-$words[1]:
          case $words[1] in
        \(table.entries.map(arguments).joined(separator: "\n"))
            help)
              _arguments '1:command:_pagewatch_topics' '2:key:->keys' && return
              [[ $state == keys && $words[2] == keys ]] || return 1
              compadd \(table.keys.joined(separator: " "))
              ;;
            *) return 1 ;;
          esac
        }

        _pagewatch "$@"

        """
    }

    private func arguments(_ entry: CompletionTable.Entry) -> String {
        let operands = entry.operands.enumerated().map { index, operand in
            let isOpen = entry.isOpen && index == entry.operands.count - 1
            return "'\(isOpen ? "*" : String(index + 1)):\(Self.value(operand))'"
        }
        let specifications = entry.options.map(Self.specification) + operands
        return """
                \(entry.name))
                  _arguments -s -S \\
            \(specifications.map { "        \($0)" }.joined(separator: " \\\n"))
                  ;;
            """
    }

    /// An option as `_arguments` takes it.
    private static func specification(_ option: CompletionTable.Option) -> String {
        let facts = option.facts
        let long = "--\(facts.long)" + (option.value == nil ? "" : "=")
        let words = facts.words.map { character in
            "[]\\".contains(character) ? "\\\(character)" : String(character)
        }.joined()
        let rest = "[\(words)]" + (option.value.map { ":\(value($0))" } ?? "")
        guard let short = facts.short else {
            return quoted((facts.isRepeatable ? "*" : "") + long + rest)
        }
        let others = facts.isRepeatable ? "*" : "(\(facts.names.joined(separator: " ")))"
        return "'\(others)'{-\(short)\(option.value == nil ? "" : "+"),\(long)}\(quoted(rest))"
    }

    /// `NAME:how to complete it`.
    private static func value(_ value: CompletionTable.Value) -> String {
        let action =
            switch value.kind {
            case .file: "_files"
            case .folder: "_files -/"
            case .program: "_command_names -e"
            case .target: "_pagewatch_targets"
            case .words(let words): "(\(words.joined(separator: " ")))"
            case .free: " "
            }
        return value.name.replacing(":", with: "\\:") + ":" + action
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
