import Configuration

/// Lays help out in lines of at most ``width`` columns.
struct HelpText {
    static let width = 80
    /// Where the words about an option begin.
    private static let column = 30

    private(set) var text = ""

    /// The help of one command.
    static func of(_ command: Command) -> String {
        var help = HelpText()
        help.add("usage: pagewatch \(command.name) [OPTION...] \(command.operands)", indent: 0)
        help.text += "\n"
        help.add(command.summary, indent: 0)
        for section in command.sections + [common] {
            help.heading(section.title)
            for option in section.options { help.add(option) }
        }
        help.text += "\n"
        for note in command.notes { help.add(note, indent: 0) }
        help.heading("Exit codes")
        for (code, meaning) in command.exitCodes {
            let number = String(code.rawValue)
            help.add(
                "  " + String(repeating: " ", count: max(0, 3 - number.utf8.count)) + number,
                then: meaning, at: 7)
        }
        if !command.examples.isEmpty { help.heading("Examples") }
        for example in command.examples {
            help.add(example.text + ":", indent: 2)
            // A call is not wrapped: it is there to be copied.
            help.text += "    " + example.call + "\n"
        }
        return help.text
    }

    /// The help of the program: its commands.
    static func of(_ commands: [Command]) -> String {
        var help = HelpText()
        help.add("usage: pagewatch COMMAND [OPTION...] [ARGUMENT...]", indent: 0)
        help.text += "\n"
        help.add(
            "Loads web pages as a browser's web view would, and tells their titles and how their"
                + " loading goes.", indent: 0)
        help.heading("Commands")
        for command in commands { help.add("  " + command.name, then: command.summary, at: 14) }
        help.add(
            "  help",
            then: "Tells about a command (pagewatch help COMMAND), or lists the keys of the"
                + " configuration (pagewatch help keys)", at: 14)
        help.heading(common.title)
        for option in common.options { help.add(option) }
        return help.text
    }

    /// The keys of the configuration, or those of one name.
    ///
    /// - Returns: Nil if there is none of that name.
    static func ofKeys(named name: String? = nil) -> String? {
        var help = HelpText()
        help.add(
            "Keys of the configuration, with their ranges and defaults; \"man pagewatch.yaml\" tells"
                + " what each does.", indent: 0)
        var isEmpty = true
        for (title, keys) in KeyTables.sections {
            let keys = keys.filter { name == nil || $0.name == name }
            guard !keys.isEmpty else { continue }
            isEmpty = false
            help.heading(title)
            for key in keys {
                var words = key.type.filter { $0 != "`" }
                if !key.defaultText.isEmpty { words += " (default \(key.defaultText))" }
                help.add("  \(key.name)", then: "\(words), such as \(key.example)", at: 22)
            }
        }
        return isEmpty ? nil : help.text
    }

    /// What every command understands.
    static let common = Command.Section(
        title: "General",
        options: [
            OptionFacts(
                long: "help", short: "h", placeholder: nil, help: "this text", defaultValue: nil,
                example: "", isRepeatable: false),
            OptionFacts(
                long: "version", short: "V", placeholder: nil, help: "the version",
                defaultValue: nil, example: "", isRepeatable: false),
        ])

    private mutating func heading(_ title: String) { text += "\n\(title)\n" }

    private mutating func add(_ option: OptionFacts) {
        var left = option.short.map { "  -\($0), " } ?? "      "
        left += "--" + option.long
        if let placeholder = option.placeholder { left += " " + placeholder }
        add(left, then: option.words, at: Self.column)
    }

    /// `left`, and from `column` on wrapped words; on the next line if there is no room.
    private mutating func add(_ left: String, then words: String, at column: Int) {
        if left.count + 2 > column {
            text += left + "\n"
            add(words, indent: column)
        } else {
            let gap = String(repeating: " ", count: column - left.count)
            add(words, indent: column, first: left + gap)
        }
    }

    /// Words wrapped behind `indent` spaces, which `first` replaces in the first line.
    private mutating func add(_ words: String, indent: Int, first: String? = nil) {
        let margin = String(repeating: " ", count: indent)
        var line = first ?? margin
        var isEmpty = true
        for word in words.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                text += line + "\n"
                line = margin
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        text += line + "\n"
    }
}
