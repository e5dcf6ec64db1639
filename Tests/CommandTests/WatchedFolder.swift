import Glibc
import History
import PageModel
import Reactor
import TestSupport
import Testing

/// A configuration and a state folder of a test's own, for one daemon after the other.
struct WatchedFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    var main: String { folder.file("pagewatch.yaml") }
    var state: String { folder.file("state") }
    var database: String { state + "/history.db" }

    /// Writes the main file: what holds for all targets, and a line for each.
    func configure(_ defaults: String, limits: String = "", _ targets: String...) throws {
        try configure(defaults, limits: limits, targets: targets)
    }

    func configure(_ defaults: String, limits: String = "", targets: [String]) throws {
        let lines = targets.map { "  \($0)\n" }.joined()
        try folder.write(
            "limits: {\(limits)}\ndefaults: {interval: 1s, \(defaults)}\n"
                + (targets.isEmpty ? "" : "targets:\n" + lines), to: "pagewatch.yaml")
    }

    /// Writes a file in the folder of drop-ins.
    func drop(_ text: String, as name: String) throws {
        mkdir(folder.file("targets.d"), 0o755)
        try folder.write(text, to: "targets.d/\(name)")
    }

    /// Where the daemon is asked.
    var socket: String { folder.file("control.sock") }

    /// Starts the daemon; it is killed after a minute, or after another time.
    func start(
        _ arguments: String..., timeLimit: Duration = .seconds(60)
    ) throws -> RunningDaemon {
        try start(arguments: arguments, timeLimit: timeLimit)
    }

    private func start(
        arguments: [String], timeLimit: Duration = .seconds(60)
    ) throws -> RunningDaemon {
        var daemon = Program.pagewatch(
            arguments: [
                "daemon", "--config", main, "--state", state, "--socket", socket,
            ] + arguments)
        daemon.timeLimit = timeLimit
        return RunningDaemon(try daemon.start())
    }

    /// Runs the daemon until the line comes, and ends it as an operator does.
    func run(until line: String, _ arguments: String...) async throws {
        let running = try start(arguments: arguments)
        try await running.wait(for: line)
        try await running.end()
    }

    // MARK: What is kept

    func reader() throws -> HistoryReader { try HistoryReader(StateFolder(state)) }

    /// The events of a target, or of the service.
    func events(of target: String?) throws -> [StoredEvent] { try reader().events(of: target) }

    /// Likewise, each in a few words: `titleChanged "A" -> "B"`.
    func story(of target: String?) throws -> [String] {
        try events(of: target).map { $0.event.story }
    }
}

/// A daemon whose lines are read as they come.
final class RunningDaemon: Sendable {
    /// What was waited for did not come.
    struct Missing: Error {
        let line: String
        let lines: [String]
    }

    let program: RunningProgram
    private let seen = Locked<[String]>([])

    init(_ program: RunningProgram) {
        self.program = program
    }

    /// The lines that were read.
    var lines: [String] { seen.withLock { $0 } }

    /// Reads on until a line begins so; those before are passed over.
    @discardableResult
    func wait(for beginning: String) async throws -> String {
        for await line in program.lines {
            let text = line.text
            seen.withLock { $0.append(text) }
            if text.utf8.starts(with: beginning.utf8) { return text }
        }
        throw Missing(line: beginning, lines: lines)
    }

    /// How many descriptors it has open.
    func descriptors() throws -> Int {
        let path = "/proc/\(program.processID)/fd"
        guard let folder = opendir(path) else { throw Unmet("the daemon to run") }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// Sends SIGTERM and waits for the end, which must be a good one.
    @discardableResult
    func end() async throws -> Program.Outcome {
        program.send(signal: SIGTERM)
        let outcome = await program.outcome()
        #expect(outcome.exitCode == 0, "\(outcome.errorText)")
        return outcome
    }

    /// Sends SIGKILL, waits for the end, and answers all lines there were.
    @discardableResult
    func kill() async -> [String] {
        program.send(signal: SIGKILL)
        return await program.outcome().outputLines.map { String($0) }
    }
}

extension DurableEvent {
    /// The event in a few words, without times.
    fileprivate var story: String {
        switch self {
        case .firstSeen(let title, _, let previous):
            "firstSeen \(words(title))" + (previous.map { " was \(words($0.title))" } ?? "")
        case .titleChanged(let change):
            "titleChanged \(words(change.from)) -> \(words(change.to))"
        case .failing(let error, _, _): "failing \(error.phase.rawValue) \(error.code)"
        case .recovered: "recovered"
        case .oscillating(let titles): "oscillating \(titles.map(words).joined(separator: " "))"
        case .settled(let titles): "settled \(titles.map(words).joined(separator: " "))"
        case .unstable(let titles): "unstable \(titles.map(words).joined(separator: " "))"
        case .rebased(let from, let to, let because):
            "rebased \(words(from)) -> \(words(to)): \(because)"
        case .encodingChanged: "encodingChanged"
        case .gap(_, _, let reason, _): "gap \(reason.rawValue)"
        case .service(let event): event.state.rawValue
        }
    }
}

private func words(_ title: String?) -> String { title.map { "\"\($0)\"" } ?? "(none)" }
