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
        do {
            let configuration = try configuration(options)
            let daemon = try Daemon(options, configuration)
            return daemon.run()
        } catch let problem as StartProblem {
            StandardError.write(problem.lines.map { "pagewatch daemon: \($0)\n" }.joined())
            return problem.code
        } catch {
            StandardError.write("pagewatch daemon: \(error)\n")
            return .misconfigured
        }
    }

    /// What is in force at the start. A main file that is wrong ends the daemon; a drop-in that is
    /// wrong is told, and the others are in force.
    private static func configuration(
        _ options: DaemonOptions
    ) throws(StartProblem) -> Configuration {
        let path: String
        do {
            path = try MainFile.path(named: options.config)
        } catch {
            throw StartProblem(error.message, .misconfigured)
        }
        let loaded = ConfigurationFiles.load(main: path)
        guard loaded.isMainAccepted else {
            throw StartProblem(lines: loaded.mistakes.map(\.description), .misconfigured)
        }
        for mistake in loaded.mistakes { StandardError.write("pagewatch daemon: \(mistake)\n") }
        return loaded.configuration
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
