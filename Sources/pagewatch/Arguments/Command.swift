/// A command of the program: what its help tells, and how it is run.
struct Command: Sendable {
    /// Options under a heading.
    struct Section: Sendable {
        let title: String
        let options: [OptionFacts]
    }

    /// A call that somebody may want to copy.
    struct Example: Sendable {
        let text: String
        let call: String
    }

    let name: String
    /// What the command does: one sentence.
    let summary: String
    /// What follows the name in a call, without options.
    let operands: String
    let sections: [Section]
    /// Paragraphs behind the options.
    let notes: [String]
    let exitCodes: [(code: ExitCode, meaning: String)]
    let examples: [Example]
    /// Reads the arguments behind the command's name.
    private let parse:
        @Sendable ([String], [(command: String, options: [String])])
            throws(UsageError) -> Action

    /// What is to be done once the arguments are read.
    enum Action {
        case run(() -> ExitCode)
        case help
        case version
    }

    /// The long names of all options.
    var optionNames: [String] { sections.flatMap { $0.options.map(\.long) } }

    /// Reads the arguments behind the command's name.
    ///
    /// - Throws: What is wrong with them, and the way out.
    func action(for arguments: [String], among commands: [Command]) throws(UsageError) -> Action {
        let others = commands.filter { $0.name != name }.map { ($0.name, $0.optionNames) }
        return try parse(arguments, others)
    }

    /// A command whose arguments fill in `Options`.
    init<Options: Sendable>(
        name: String, summary: String, operands: String, groups: [OptionGroup<Options>],
        exclusive: [[String]] = [], notes: [String] = [],
        exitCodes: [(code: ExitCode, meaning: String)], examples: [Example],
        initial: Options,
        operand: @escaping @Sendable (inout Options, String) throws(UsageError) -> Void,
        finish: @escaping @Sendable (Options) throws(UsageError) -> Void,
        run: @escaping @Sendable (Options) -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        sections = groups.map { Section(title: $0.title, options: $0.options.map(\.facts)) }
        self.notes = notes
        self.exitCodes = exitCodes
        self.examples = examples
        parse = { arguments, others throws(UsageError) in
            let parser = ArgumentParser(groups, of: name, exclusive: exclusive, others: others)
            switch try parser.parse(arguments, into: initial, operand: operand) {
            case .help: return .help
            case .version: return .version
            case .run(let options):
                try finish(options)
                return .run { run(options) }
            }
        }
    }
}
