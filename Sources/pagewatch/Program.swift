import Configuration
import Events
import WebAddress

/// The program as its caller sees it: arguments in, an exit code out.
struct Program {
    /// Every command, in the order in which help lists them.
    static let commands: [Command] =
        [.check, .daemon, .verify, .status, .tail, .history] + Command.wishes
        + [.reconfigure, .forget, .backup]

    /// What the arguments behind the program's name ask for.
    enum Request {
        case run(() -> ExitCode)
        /// Asked for: goes to standard output.
        case tell(String)
        /// What is wrong, for standard error.
        case refuse(String)
        /// What is wrong, for a monitoring system: goes to standard output.
        case report(String)
    }

    /// What `help` tells about beside commands: the keys of the configuration.
    static let keys = "keys"

    private let commands: [Command]

    init(commands: [Command] = Program.commands) { self.commands = commands }

    /// Reads the arguments; does nothing yet.
    func request(for arguments: [String]) -> Request {
        guard let first = arguments.first else { return .refuse(HelpText.of(commands)) }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "-h", "--help": return .tell(HelpText.of(commands))
        case "-V", "--version": return .tell(Version.text)
        case "help": return help(on: rest)
        default: break
        }
        guard let command = commands.first(where: { $0.name == first }) else {
            return .refuse("pagewatch: \(problem(with: first, before: rest))\n")
        }
        do {
            switch try command.action(for: rest, among: commands) {
            case .run(let body): return .run(body)
            case .help: return .tell(HelpText.of(command))
            case .version: return .tell(Version.text)
            }
        } catch {
            // A monitoring system shows what stands on standard output and nothing else.
            if rest.contains("--plugin") {
                var report = PluginReport()
                report.add(problem: error.message)
                return .report(report.line + "\n")
            }
            return .refuse("pagewatch \(command.name): \(error.message)\n")
        }
    }

    private func help(on arguments: [String]) -> Request {
        guard let name = arguments.first else { return .tell(HelpText.of(commands)) }
        if let command = commands.first(where: { $0.name == name }) {
            return .tell(HelpText.of(command))
        }
        if name == "help" { return .tell(HelpText.of(commands)) }
        if name == Self.keys { return helpOnKeys(arguments.dropFirst().first) }
        return .refuse("pagewatch help: \(problem(with: name))\n")
    }

    private func helpOnKeys(_ key: String?) -> Request {
        if let text = HelpText.ofKeys(named: key) { return .tell(text) }
        let word = key ?? ""
        let near = nearest(to: word, among: KeyTables.sections.flatMap { $0.keys.map(\.name) })
        return .refuse(
            "pagewatch help: \(quoted(word)) is not a key of the configuration ("
                + (near.map { "did you mean \"\($0)\"?" } ?? "\"pagewatch help keys\" lists all")
                + ")\n")
    }

    /// Why `word`, which stands where a command should, is none.
    ///
    /// - Parameter rest: What stands behind it.
    private func problem(with word: String, before rest: [String] = []) -> String {
        if word.hasPrefix("-") { return problem(withOption: word, before: rest) }
        if word.contains("://") {
            let url = WebAddress.withoutUserInformation(word)
            return "\(quoted(url)) is not a command"
                + " (write \"pagewatch check \(escaped(url))\")"
        }
        if let advice = advice(onCommand: word) {
            return "\(quoted(word)) is not a command (\(advice))"
        }
        if let near = nearest(to: word, among: commands.map(\.name) + ["help"]) {
            return "\(quoted(word)) is not a command (did you mean \"\(near)\"?)"
        }
        return "\(quoted(word)) is not a command (\"pagewatch --help\" lists all)"
    }

    /// Why an option that stands where a command should is in the wrong place, or none.
    private func problem(withOption word: String, before rest: [String]) -> String {
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let owners = commands.filter { $0.optionNames.contains(name) }
        guard let first = owners.first else {
            return "\(escaped(word)) is not an option (\"pagewatch --help\" lists all)"
        }
        // The one that was meant stands behind it, most likely.
        let meant = owners.first { rest.contains($0.name) } ?? (owners.count == 1 ? first : nil)
        return "--\(name) belongs behind a command"
            + " (write \"pagewatch \(meant?.name ?? "COMMAND") --\(name)\")"
    }
}
