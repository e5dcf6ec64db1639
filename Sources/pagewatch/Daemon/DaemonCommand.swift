import Configuration
import Events
import Fetching
import Glibc
import History
import Reactor
import Watching

/// `pagewatch daemon`: the service, in the foreground.
enum DaemonCommand {
    /// Runs the service to its end.
    static func run(_ options: DaemonOptions) -> ExitCode {
        Daemon.holdSignals()
        do {
            return try daemon(options).run()
        } catch let problem as StartProblem {
            StandardError.write(problem.lines.map { "pagewatch daemon: \($0)\n" }.joined())
            return problem.code
        } catch {
            StandardError.write("pagewatch daemon: \(error)\n")
            return .misconfigured
        }
    }

    /// Nothing that only the start needs outlives this.
    private static func daemon(_ options: DaemonOptions) throws -> Daemon {
        try Daemon(options, DaemonStart(options), socket: ServiceSocket.open(options.socket))
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
