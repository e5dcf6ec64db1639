import Configuration
import Events

/// Reads the arguments behind a command's name by the table of its options.
///
/// Long options take `=VALUE` or the next argument; short ones may be bundled, the last with its
/// value behind it or next; `--` ends the options. An option given twice counts as last given.
struct ArgumentParser<Options> {
    /// What the arguments ask for.
    enum Outcome {
        case run(Options)
        case help
        case version
    }

    /// Of the command.
    private let name: String
    private let options: [Option<Options>]
    /// Long names of which only one may be given.
    private let exclusive: [[String]]
    /// Of each other command its name and its options' long names.
    private let others: [(command: String, options: [String])]

    init(
        _ groups: [OptionGroup<Options>], of name: String = "", exclusive: [[String]] = [],
        others: [(command: String, options: [String])] = []
    ) {
        self.name = name
        options = groups.flatMap(\.options)
        self.exclusive = exclusive
        self.others = others
    }

    /// Fills in `initial` from the arguments; `operand` takes each one that is no option.
    ///
    /// `--help` and `--version` count at once, whatever follows.
    func parse(
        _ arguments: [String], into initial: Options,
        operand: (inout Options, String) throws(UsageError) -> Void
    ) throws(UsageError) -> Outcome {
        var filled = initial
        var given: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                for argument in rest { try operand(&filled, argument) }
                break
            } else if argument.hasPrefix("--") {
                switch argument {
                case "--help": return .help
                case "--version": return .version
                default: try takeLong(argument, &rest, into: &filled, &given)
                }
            } else if argument.hasPrefix("-"), argument != "-", !isNumber(argument) {
                if let ending = try takeShort(argument, &rest, into: &filled, &given) {
                    return ending
                }
            } else {
                try operand(&filled, argument)
            }
        }
        try checkExclusive(given)
        return .run(filled)
    }

    /// Whether it is a negative number, and no option of that name is there to be meant.
    private func isNumber(_ argument: String) -> Bool {
        Int(argument) != nil
            && !options.contains {
                $0.facts.short.map { argument.dropFirst().first == $0 } ?? false
            }
    }

    private func takeLong(
        _ argument: String, _ rest: inout ArraySlice<String>, into filled: inout Options,
        _ given: inout [String]
    ) throws(UsageError) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let option = options.first(where: { $0.facts.long == name }) else {
            throw unknown(name)
        }
        given.append(name)
        let attached = parts.count > 1 ? String(parts[1]) : nil
        guard option.facts.placeholder != nil else {
            guard attached == nil else {
                throw UsageError("--\(name) takes no value (write --\(name) alone)")
            }
            return try apply(option, "", as: "--" + name, to: &filled)
        }
        if let attached { return try apply(option, attached, as: "--" + name, to: &filled) }
        let value = try next(&rest, for: option, written: "--" + name)
        try apply(option, value, as: "--" + name, to: &filled)
    }

    /// Takes a bundle such as `-kq` or `-qm10`.
    private func takeShort(
        _ argument: String, _ rest: inout ArraySlice<String>, into filled: inout Options,
        _ given: inout [String]
    ) throws(UsageError) -> Outcome? {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            if letter == "h" { return .help }
            if letter == "V" { return .version }
            guard let option = options.first(where: { $0.facts.short == letter }) else {
                throw unknown(letter, in: argument)
            }
            given.append(option.facts.long)
            guard option.facts.placeholder != nil else {
                try apply(option, "", as: "-\(letter)", to: &filled)
                continue
            }
            let value =
                try letters.isEmpty
                ? next(&rest, for: option, written: "-\(letter)") : String(letters)
            try apply(option, value, as: "-\(letter)", to: &filled)
            break
        }
        return nil
    }

    /// The next argument as an option's value. An option's name in its place is most likely one.
    private func next(
        _ rest: inout ArraySlice<String>, for option: Option<Options>, written: String
    ) throws(UsageError) -> String {
        let example = "write \(written) \(option.facts.example)"
        guard let value = rest.popFirst() else {
            throw UsageError("\(written) needs a value (\(example))")
        }
        if options.contains(where: { $0.facts.names.contains(value) }) || value == "--" {
            throw UsageError("\(written) needs a value, but \(value) follows (\(example))")
        }
        return value
    }

    private func apply(
        _ option: Option<Options>, _ value: String, as written: String, to filled: inout Options
    ) throws(UsageError) {
        do {
            try option.apply(&filled, value)
        } catch {
            throw UsageError("\(written) \(error.message)")
        }
    }

    private func checkExclusive(_ given: [String]) throws(UsageError) {
        for names in exclusive {
            var found: [String] = []
            for name in given where names.contains(name) && !found.contains(name) {
                found.append(name)
            }
            guard found.count > 1 else { continue }
            throw UsageError("--\(found[0]) and --\(found[1]) exclude each other (write only one)")
        }
    }

    private func unknown(_ name: String) -> UsageError {
        let written = "--" + escaped(name)
        let owners = others.filter { $0.options.contains(name) }.map { "\"\($0.command)\"" }
        if let last = owners.last {
            let named =
                switch owners.count {
                case 1: last
                case 2...3: owners.dropLast().joined(separator: ", ") + " and " + last
                default: "other commands"
                }
            return UsageError(
                "\(written) is an option of \(named), not of \"\(self.name)\""
                    + " (\"pagewatch help \(self.name)\" lists its own)")
        }
        if let advice = advice(onCurlOption: name) {
            return UsageError("\(written) is not an option (\(advice))")
        }
        if let near = nearest(to: name, among: options.map(\.facts.long) + ["help", "version"]) {
            return UsageError("\(written) is not an option (did you mean --\(near)?)")
        }
        return UsageError("\(written) is not an option (--help lists them)")
    }

    /// What follows the letter is not told: it may be a value, and secret.
    private func unknown(_ letter: Character, in argument: String) -> UsageError {
        let name = String(argument.dropFirst().prefix { $0 != "=" })
        if name.count > 1, options.contains(where: { $0.facts.long == name }) {
            return UsageError("-\(name) is not an option (write --\(name))")
        }
        let before = argument.prefix { $0 != letter }
        let within = before.count > 1 ? " in \(escaped("\(before)\(letter)"))" : ""
        if let advice = advice(onCurlOption: String(letter)) {
            return UsageError("-\(letter)\(within) is not an option (\(advice))")
        }
        if let other = options.first(where: { option in
            option.facts.short.map { $0.lowercased() == letter.lowercased() } ?? false
        }), let short = other.facts.short {
            return UsageError(
                "-\(escaped(String(letter)))\(within) is not an option"
                    + " (did you mean -\(short), --\(other.facts.long)?)")
        }
        return UsageError(
            "-\(escaped(String(letter)))\(within) is not an option (--help lists them)")
    }
}
