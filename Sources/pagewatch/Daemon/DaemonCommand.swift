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
            return problem.code
        } catch {
            complain(["\(error)"])
            return .misconfigured
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

/// Why the service cannot start.
struct StartProblem: Error {
    let lines: [String]
    let code: ExitCode

    init(_ line: String, _ code: ExitCode) {
        self.init(lines: [line], code)
    }

    init(lines: [String], _ code: ExitCode) {
        self.lines = lines
        self.code = code
    }
}
