import CLinux
import Configuration
import Fetching
import Glibc
import History
import PageModel
import Reactor
import Watching

/// The running service: the watcher on its loop, between the signals and the logs.
final class Daemon {
    /// The end takes two seconds at most: the store has 1.5 of them, and these two the rest.
    private static let logFileLimit = Duration.milliseconds(250)
    private static let outputLimit = Duration.milliseconds(100)
    private static let endSignals = [SIGINT, SIGTERM]
    private static let reopenSignals = [SIGHUP, SIGUSR1]

    private let loop: EventLoop
    private let watcher: Watcher
    private let voice: ServiceVoice

    /// Keeps signals for the loop to come. To be called before anything else: no thread may be
    /// there that one of them could end.
    static func holdSignals() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in endSignals + reopenSignals { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Begins to watch.
    ///
    /// - Throws: ``SystemError`` if the system refuses what the service needs.
    init(_ options: DaemonOptions, _ start: DaemonStart) throws {
        loop = try EventLoop()
        let log = ServiceLog(showsProgress: options.showsProgress)
        let configuration = Self.fitted(start.configuration, log)
        let file = try Self.logFile(configuration.log, start.opening.store, loop, log)
        voice = ServiceVoice(log: log, file: file)
        try loop.handle(signals: Self.endSignals + Self.reopenSignals) { [loop] number in
            // A closed terminal says so by SIGHUP: nobody could end what was started there.
            if Self.endSignals.contains(number) || (number == SIGHUP && log.hasHungUp) {
                loop.stop()
            } else {
                file?.reopen()
            }
        }
        let pool = try TransferPool(
            loop: loop, connections: configuration.limits.concurrency * 2,
            connectionAge: configuration.limits.connectionAge)
        watcher = try Watcher(
            loop: loop, pool: pool, opening: start.opening, mailbox: start.mailbox,
            configuration: configuration, version: Version.number, audience: voice)
        for mistake in start.mistakes { log.mention(mistake) }
        loop.atTurnEnd { [voice, loop] in voice.turnEnded(loop) }
    }

    /// The configuration with no more loads at a time than there can be sockets for.
    private static func fitted(_ wanted: Configuration, _ log: ServiceLog) -> Configuration {
        var configuration = wanted
        let descriptors = DescriptorLimit.current
        let concurrency = wanted.limits.concurrency
        let fitted = min(concurrency, DescriptorLimit.loads(within: descriptors))
        if fitted < concurrency {
            configuration.limits.concurrency = fitted
            log.mention(
                "concurrency is \(fitted), not \(concurrency): only \(descriptors) files may be open"
                    + " (raise the hard limit: LimitNOFILE=, or ulimit -Hn)")
        }
        return configuration
    }

    private static func logFile(
        _ log: Configuration.Log, _ store: HistoryStore, _ loop: EventLoop, _ output: ServiceLog
    ) throws(SystemError) -> EventLogFile? {
        let path = EventLogFile.path(log) { name in getenv(name).map { String(cString: $0) } }
        guard let path else { return nil }
        return try EventLogFile(
            path: path, events: log.events, loop: loop,
            nextSequenceNumber: { store.nextSequenceNumber() }, tell: { output.mention($0) })
    }

    /// Runs until a signal asks it to end.
    func run() -> ExitCode {
        // Reading the configuration and the store took many times what is kept of them.
        malloc_trim(0)
        loop.run()
        let isWritten = watcher.stop()
        voice.finish(file: Self.logFileLimit, output: Self.outputLimit)
        guard isWritten else {
            StandardError.write("pagewatch daemon: not all of the history could be written\n")
            return .unusable
        }
        return .fine
    }
}

/// All that hear of what the watcher sees: the log on standard output, and the log file.
private final class ServiceVoice: WatcherAudience {
    private let log: ServiceLog
    private let file: EventLogFile?

    init(log: ServiceLog, file: EventLogFile?) {
        self.log = log
        self.file = file
    }

    func announce(_ event: StoredEvent) {
        log.announce(event)
        file?.announce(event)
    }

    func changed(_ event: PageEvent, target: String, load: Int64) {
        log.changed(event, target: target)
        file?.changed(event, target: target, load: load)
    }

    func mention(_ line: String) { log.mention(line) }

    /// Hands over what a turn has brought.
    func turnEnded(_ loop: EventLoop) {
        file?.turnEnded()
        log.turnEnded(loop)
    }

    /// Has the rest written, each within its time.
    func finish(file fileLimit: Duration, output outputLimit: Duration) {
        for message in file?.close(within: fileLimit) ?? [] { log.mention(message) }
        log.finish(within: outputLimit)
    }
}
