import Configuration
import Control
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
        var told: [String] = []
        while true {
            let problem: StartProblem
            do {
                return try daemon(options).run()
            } catch let known as StartProblem {
                problem = known
            } catch {
                // Of descriptors, of memory, of threads: systemd tries again.
                problem = StartProblem("\(error)", .notNow)
            }
            guard !problem.lines.isEmpty else { return problem.code }
            NotifySocket(environmentVariable)?.tell(.status(problem.words), waits: true)
            // Nothing was mended meanwhile.
            guard problem.lines != told else { return problem.code }
            told = problem.lines
            tell(problem)
            // Who waits for it would have systemd start it again, to the same end, or wait in vain.
            let wasAtDoor = ServiceSocket.refuse(problem.refusal)
            // A start that is asked for meanwhile is this one: it must not fail for what is mended.
            guard wasAtDoor, problem.code == .misconfigured, !Daemon.isAskedToEnd else {
                return problem.code
            }
        }
    }

    /// Tells why the service does not start: in the journal with what tells the kind of message, and
    /// else on standard error.
    private static func tell(_ problem: StartProblem) {
        guard JournalStream.isJournal(STDERR_FILENO, environmentVariable) else {
            return complain(problem.lines)
        }
        let log = JournalLog(standIn: ServiceOutput(STDERR_FILENO))
        if problem.lines.count > 1 {
            for line in problem.lines { log.add(JournalMessage(remark: line, .error)) }
        }
        log.add(JournalMessage(startProblem: problem.words))
        log.finish(within: journalLimit)
    }

    /// For a journal that is busy.
    private static let journalLimit = Duration.milliseconds(250)

    /// Tells on standard error what is wrong.
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
        return "the service can't start\(code == .notNow ? " now" : ""): " + (lines.first ?? "")
            + (more > 0 ? "; and \(more) more (\"pagewatch verify\" tells all)" : "")
    }

    /// What they are answered.
    var refusal: Refusal {
        code == .notNow ? .startsLater(words + " (it is tried again)") : .cannotStart(words)
    }
}
