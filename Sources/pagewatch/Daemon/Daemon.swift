import CLinux
import Configuration
import Control
import Events
import Fetching
import Glibc
import History
import PageModel
import Reactor
import Systemd
import Watching

/// The running service: the watcher on its loop, between the signals and the logs.
final class Daemon {
    /// The end takes two seconds at most: the store has 1.5 of them, and these the rest.
    private static let logFileLimit = Duration.milliseconds(250)
    private static let outputLimit = Duration.milliseconds(100)
    private static let followersLimit = Duration.milliseconds(100)
    private static let endSignals = [SIGINT, SIGTERM]
    private static let reopenSignals = [SIGHUP, SIGUSR1]

    private let loop: EventLoop
    private let watcher: Watcher
    private let voice: ServiceVoice
    private let reconfiguration: Reconfiguration
    private let doors: ServiceDoors
    /// Nil where nobody wants to be told.
    private let link: ServiceLink?
    private let store: HistoryStore

    /// Keeps signals for the loop to come. To be called before anything else: no thread may be
    /// there that one of them could end.
    static func holdSignals() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in endSignals + reopenSignals { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Whether a signal asks for the end that no loop has taken yet; while it starts, that is.
    static var isAskedToEnd: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return endSignals.contains { sigismember(&pending, $0) == 1 }
    }

    /// Begins to watch.
    ///
    /// - Throws: ``SystemError`` if the system refuses what the service needs.
    init(
        _ options: DaemonOptions, _ start: DaemonStart, socket: consuming ServiceSocket.Opening,
        notify: NotifySocket?
    ) throws {
        loop = try EventLoop()
        store = start.opening.store
        voice = ServiceVoice(
            log: try ServiceLog(showsProgress: options.showsProgress, loop: loop), loop: loop)
        var configuration = start.configuration
        configuration.limits.concurrency = DescriptorLimit.fitted(
            configuration.limits.concurrency, tell: { [voice] in voice.mention($0, .warning) })
        voice.change(configuration.log)
        let pool = try TransferPool(
            loop: loop, connections: configuration.limits.concurrency * 2,
            connectionAge: configuration.limits.connectionAge)
        watcher = try Watcher(
            loop: loop, pool: pool, opening: start.opening, mailbox: start.mailbox,
            configuration: configuration, version: Version.number, audience: voice)
        reconfiguration = try Reconfiguration(
            configuration, start.readFiles, mainFile: start.mainFile,
            parts: .init(
                watcher: watcher, pool: pool, store: start.opening.store, voice: voice),
            loop: loop)
        let api = try API(loop: loop, watcher: watcher, store: start.opening.store) {
            [reconfiguration] isForced, done in
            reconfiguration.begin(isForced: isForced) {
                done(API.Reconfigured(mistakes: $0.mistakes, changes: $0.changes))
            }
        }
        switch consume socket {
        case .listening(let socket):
            doors = try ServiceDoors(api, socket: socket, loop: loop)
        case .none(let reason):
            doors = try ServiceDoors(api, socket: nil, loop: loop)
            voice.mention(
                "there is no socket to ask this service by: \(reason) (name one with --socket)",
                .error)
        }
        if let notify {
            link = try ServiceLink(
                notify, loop: loop, watcher: watcher, mistake: start.mistakes.first)
        } else {
            link = nil
        }
        // The watcher keeps the voice, which must not keep the watcher.
        voice.url = { [weak watcher] in watcher?.url(of: $0) }
        voice.onEvent = { [api, link] line in
            api.advanced()
            link?.tell(line)
        }
        reconfiguration.onReading = { [link] in link?.reloading() }
        reconfiguration.onRead = { [link] in link?.reloaded(mistake: $0.mistakes.first) }
        reconfiguration.onAPI = { [doors] in doors.change($0) }
        if let problem = doors.change(configuration.api) { voice.mention(problem, .error) }
        if let words = ServiceSocket.contradiction(options.socket) {
            voice.mention(words, .warning)
        }
        reconfiguration.tell(start.mistakes)
        try loop.handle(signals: Self.endSignals + Self.reopenSignals) {
            [loop, voice, reconfiguration] number in
            // A closed terminal says so by SIGHUP: nobody could end what was started there.
            if Self.endSignals.contains(number) || (number == SIGHUP && voice.hasHungUp) {
                return loop.stop()
            }
            voice.reopen()
            if number == SIGHUP { reconfiguration.begin() }
        }
        loop.atTurnEnd { [voice] in voice.turnEnded() }
    }

    /// Runs until a signal asks it to end.
    func run() -> ExitCode {
        // Reading the configuration and the store took many times what is kept of them.
        malloc_trim(0)
        do {
            try link?.ready(store)
        } catch {
            voice.mention("\(error)", .error)
        }
        loop.run()
        link?.stopping()
        let isWritten = watcher.stop()
        doors.close(within: Self.followersLimit)
        voice.finish(file: Self.logFileLimit, output: Self.outputLimit)
        guard isWritten else {
            DaemonCommand.complain(["not all of the history could be written"])
            return .unusable
        }
        return .fine
    }
}
