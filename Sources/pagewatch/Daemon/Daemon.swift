import CLinux
import Configuration
import Fetching
import Glibc
import Reactor
import Watching

/// The running service: the watcher on its loop, between the signals and the log.
final class Daemon {
    private let loop: EventLoop
    private let watcher: Watcher
    private let log: ServiceLog

    /// Begins to watch.
    ///
    /// - Throws: ``SystemError`` if the system refuses what the service needs.
    init(_ options: DaemonOptions, _ start: DaemonStart) throws {
        loop = try EventLoop()
        log = ServiceLog(showsProgress: options.showsProgress)
        try loop.handle(signals: [SIGINT, SIGTERM]) { [loop] _ in loop.stop() }
        let pool = try TransferPool(
            loop: loop, connections: start.configuration.limits.concurrency * 2)
        watcher = try Watcher(
            loop: loop, pool: pool, opening: start.opening, mailbox: start.mailbox,
            configuration: start.configuration, version: Version.number, audience: log)
        for mistake in start.mistakes { log.mention(mistake) }
        loop.atTurnEnd { [log, loop] in log.turnEnded(loop) }
    }

    /// Runs until a signal asks it to end.
    func run() -> ExitCode {
        // Reading the configuration and the store took many times what is kept of them.
        malloc_trim(0)
        loop.run()
        let isWritten = watcher.stop()
        log.finish()
        guard isWritten else {
            StandardError.write("pagewatch daemon: not all of the history could be written\n")
            return .unusable
        }
        return .fine
    }
}
