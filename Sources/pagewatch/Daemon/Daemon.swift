import Configuration
import Fetching
import Glibc
import History
import Reactor
import Watching

/// The running service: the watcher on its loop, between the signals and the log.
final class Daemon {
    private let loop: EventLoop
    private let watcher: Watcher
    private let log: ServiceLog

    /// Opens the state folder and begins to watch.
    ///
    /// - Throws: ``StartProblem`` if the state cannot be used; ``SystemError`` if the system refuses
    ///   what the service needs.
    init(_ options: DaemonOptions, _ configuration: Configuration) throws {
        loop = try EventLoop()
        log = ServiceLog(showsProgress: options.showsProgress)
        var stop: () -> Void = {}
        try loop.handle(signals: [SIGINT, SIGTERM]) { _ in stop() }
        let pool = try TransferPool(loop: loop, connections: configuration.limits.concurrency * 2)
        let mailbox = try Mailbox<Watcher.StoreMessage>()
        let opening = try Self.open(Self.folder(options, configuration), configuration, mailbox)
        watcher = try Watcher(
            loop: loop, pool: pool, opening: opening, mailbox: mailbox,
            configuration: configuration, version: Version.number, audience: log)
        stop = { [loop] in loop.stop() }
        loop.atTurnEnd { [log, loop] in log.turnEnded(loop) }
    }

    /// Runs until a signal asks it to end.
    func run() -> ExitCode {
        loop.run()
        let isWritten = watcher.stop()
        log.finish()
        guard isWritten else {
            StandardError.write("pagewatch daemon: not all of the history could be written\n")
            return .unusable
        }
        return .fine
    }

    private static func folder(
        _ options: DaemonOptions, _ configuration: Configuration
    ) -> StateFolder {
        let candidates = StateFolder.candidates(named: options.state ?? configuration.state) {
            getenv($0).map { String(cString: $0) }
        }
        return candidates.first { access($0.path, W_OK) == 0 } ?? candidates[0]
    }

    private static func open(
        _ folder: StateFolder, _ configuration: Configuration,
        _ mailbox: Mailbox<Watcher.StoreMessage>
    ) throws(StartProblem) -> HistoryStore.Opening {
        var limits = StoreLimits()
        limits.rowsPerTarget = configuration.retention.rows
        limits.days = Int(configuration.retention.age / .seconds(86_400))
        limits.newestRows = configuration.retention.newest
        limits.bytes = configuration.retention.size
        let listener = HistoryStore.Listener(
            committed: { mailbox.post(.committed($0)) }, trouble: { mailbox.post(.trouble($0)) })
        do {
            return try HistoryStore.open(
                folder, version: Version.number, limits: limits, listener: listener)
        } catch {
            if case .held = error { throw StartProblem("\(error)", .stateHeld) }
            throw StartProblem("\(error)", .misconfigured)
        }
    }
}
