import Configuration
import Events
import Glibc
import History
import PageModel
import Reactor
import Watching

/// All that hear of what the watcher sees: the log (the journal, or standard output), the log file,
/// and systemd.
///
/// Input: the watcher's events, on the loop's thread. Output: lines for `ServiceLog` and
/// `LogFile/EventLogFile`.
final class ServiceVoice: WatcherAudience {
    private let log: ServiceLog
    private let loop: EventLoop
    private var file: EventLogFile?
    /// What the URL of a target is.
    var url: (_ target: String) -> String? = { _ in nil }
    /// Hears each event, after the logs.
    var onEvent: (EventLine) -> Void = { _ in }

    init(log: ServiceLog, loop: EventLoop) {
        self.log = log
        self.loop = loop
    }

    /// Writes the log file that is asked for from now on, in place of the one before.
    func change(_ settings: Configuration.Log) {
        file?.retire(from: loop)
        file = nil
        let path = EventLogFile.path(settings) { name in getenv(name).map { String(cString: $0) } }
        guard let path else { return }
        do {
            file = try EventLogFile(
                path: path, events: settings.events, loop: loop,
                mention: { [log] in log.mention($0, .error) })
        } catch {
            log.mention("there is no log file: \(error)", .error)
        }
    }

    /// Tells an event: a durable one as a line, a step of a load by its bar.
    func tell(_ line: EventLine) {
        log.tell(line, url: url)
        file?.tell(line)
        onEvent(line)
    }

    /// Tells something that is no event, in the log alone.
    func mention(_ line: String, _ priority: Priority) { log.mention(line, priority) }

    /// Opens the log file anew, after its rotation.
    func reopen() { file?.reopen() }

    /// Whether standard output was a terminal, and that was closed.
    var hasHungUp: Bool { log.hasHungUp }

    /// Hands over what a turn has brought.
    func turnEnded() {
        file?.turnEnded()
        log.turnEnded(loop)
    }

    /// Has the rest written, each within its time.
    func finish(file fileLimit: Duration, output outputLimit: Duration) {
        for message in file?.close(within: fileLimit) ?? [] { log.mention(message, .error) }
        log.finish(within: outputLimit)
    }
}
