@testable import pagewatch

/// The completion for fish.
struct FishCompletion {
    private let table: CompletionTable

    init(_ table: CompletionTable) { self.table = table }

    var text: String {
        """
        # Completion of pagewatch for fish. Made by "make man" from the program's tables.

        # The targets of the running service; none where none answers.
        function __pagewatch_targets
            set -l words (commandline -opc)
            set -l socket
            for index in (seq (count $words))
                if string match -q -- '--socket=*' $words[$index]
                    set socket $words[$index]
                else if test "$words[$index]" = --socket; and set -q words[(math $index + 1)]
                    set socket --socket $words[(math $index + 1)]
                end
            end
            pagewatch status --names $socket 2>/dev/null
        end

        # Whether the command is not there yet.
        function __pagewatch_wants_command
            test (count (commandline -opc)) -eq 1
        end

        # Whether it is the command of that name.
        function __pagewatch_is
            set -l words (commandline -opc)
            test (count $words) -ge 2; and test "$words[2]" = $argv[1]
        end

        # Whether so many operands stand behind the command of that name; without a number, any.
        function __pagewatch_operand
            __pagewatch_is $argv[1]; or return 1
            set -l words (commandline -opc)
            set -l count 0
            set -l is_value 0
            for word in $words[3..]
                if test $is_value -eq 1
                    set is_value 0
                else if contains -- $word \(valued.joined(separator: " "))
                    set is_value 1
                else if not string match -q -- '-?*' $word
                    set count (math $count + 1)
                end
            end
            test $is_value -eq 0; and begin
                not set -q argv[2]; or test $count -eq $argv[2]
            end
        end

        complete -c pagewatch -f
        complete -c pagewatch -n __pagewatch_wants_command -s h -l help -d 'the commands'
        complete -c pagewatch -n __pagewatch_wants_command -s V -l version -d 'the version'
        \(commands(when: "__pagewatch_wants_command"))
        \(commands(when: "__pagewatch_operand help 0"))
        complete -c pagewatch -n '__pagewatch_operand help 0' -a keys -d 'Lists the keys of the configuration.'
        complete -c pagewatch -n '__pagewatch_operand help 1; and contains keys (commandline -opc)' \
            -a \(Self.quoted(table.keys.joined(separator: " ")))
        \(table.entries.map(options).joined(separator: "\n"))

        """
    }

    /// The options whose value is a word of its own. None of them is a flag of another command.
    private var valued: [String] {
        var names: [String] = []
        for option in table.entries.flatMap(\.options) where option.value != nil {
            for name in option.facts.names where !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func commands(when condition: String) -> String {
        let help = condition.hasSuffix("command") ? [("help", "Tells about a command.")] : []
        return (table.entries.map { ($0.name, $0.summary) } + help).map { name, summary in
            "complete -c pagewatch -n \(Self.quoted(condition)) -a \(name) -d \(Self.quoted(summary))"
        }.joined(separator: "\n")
    }

    private func options(_ entry: CompletionTable.Entry) -> String {
        var lines = entry.options.map { option in
            let short = option.facts.short.map { " -s \($0)" } ?? ""
            return "complete -c pagewatch -n '__pagewatch_is \(entry.name)' -l \(option.facts.long)"
                + short + (option.value.map { " \(Self.value($0.kind, isOption: true))" } ?? "")
                + " -d \(Self.quoted(option.facts.words))"
        }
        for (index, operand) in entry.operands.enumerated() where operand.kind != .free {
            let isOpen = entry.isOpen && index == entry.operands.count - 1
            let condition = "__pagewatch_operand \(entry.name)" + (isOpen ? "" : " \(index)")
            lines.append(
                "complete -c pagewatch -n '\(condition)' "
                    + Self.value(operand.kind, isOption: false))
        }
        return lines.joined(separator: "\n")
    }

    private static func value(_ kind: CompletionTable.Kind, isOption: Bool) -> String {
        let own = isOption ? "-x" : ""
        let text =
            switch kind {
            case .file: isOption ? "-rF" : "-F"
            case .folder: "\(own) -a '(__fish_complete_directories (commandline -ct))'"
            case .program: "\(own) -a '(__fish_complete_command)'"
            case .target: "\(own) -a '(__pagewatch_targets)'"
            case .words(let words): "\(own) -a \(quoted(words.joined(separator: " ")))"
            case .free: own
            }
        return trimmed(text)
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
