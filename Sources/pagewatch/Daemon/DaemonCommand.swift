import Configuration
import Events
import Fetching
import Glibc
import History
import Reactor
import Systemd
import Watching

/// `pagewatch daemon`: the service, in the foreground.
enum DaemonCommand {
    /// Runs the service to its end.
    static func run(_ options: DaemonOptions) -> ExitCode {
        Daemon.holdSignals()
        do {
            return try daemon(options).run()
        } catch let problem as StartProblem {
            complain(problem.lines)
            // Who waits for it would have systemd start it again, to the same end.
            if problem.code == .misconfigured { ServiceSocket.refuse(problem.words) }
            return problem.code
        } catch {
            // Of descriptors, of memory, of threads: systemd tries again.
            complain(["\(error)"])
            return .notNow
        }
    }

    /// Tells on standard error why the service does not run.
    static func complain(_ lines: [String]) {
        // The journal takes a priority from the beginning of a line.
        let isJournal = JournalStream.isJournal(STDERR_FILENO, environmentVariable)
        let prefix = isJournal ? "<\(Priority.error.rawValue)>" : ""
        StandardError.write(lines.map { "\(prefix)pagewatch daemon: \($0)\n" }.joined())
    }

    /// Nothing that only the start needs outlives this.
    private static func daemon(_ options: DaemonOptions) throws -> Daemon {
        let notify = NotifySocket(environmentVariable)
        return try Daemon(
            options, DaemonStart(options, patience: notify.map(StartPatience.init)),
            socket: ServiceSocket.open(options.socket), notify: notify)
    }
}

/// Why the service does not start.
struct StartProblem: Error {
    /// It was asked to end before it had started.
    static let askedToEnd = StartProblem(lines: [], .fine)

    let lines: [String]
    let code: ExitCode

    init(_ line: String, _ code: ExitCode) {
        self.init(lines: [line], code)
    }

    init(lines: [String], _ code: ExitCode) {
        self.lines = lines
        self.code = code
    }

    /// One line, for those who wait for the service.
    var words: String {
        let more = lines.count - 1
        return "the service can't start: " + (lines.first ?? "")
            + (more > 0 ? "; and \(more) more (\"pagewatch verify\" tells all)" : "")
    }
}
