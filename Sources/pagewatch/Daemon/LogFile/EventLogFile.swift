import Configuration
import Events
import Glibc
import History
import PageModel
import Reactor

/// The file for tailing: one event a line in JSON, written by a thread of its own.
///
/// Input: the watcher's events, on the loop's thread. Output: lines for `LogFileThread`.
final class EventLogFile {
    private let selection: EventKinds
    private let queue: LineQueue
    private let mailbox: Mailbox<LogFileThread.Message>
    private var writer = JSONWriter()
    private var lines = 0

    /// Opens the file that the configuration asks for.
    ///
    /// - Throws: ``SystemError`` if there can be no thread; a file that can't be opened is told
    ///   through `mention` instead, and tried again.
    init(
        path: String, events: [String], loop: EventLoop,
        mention: @escaping (String) -> Void
    ) throws(SystemError) {
        selection = EventKinds(events)
        queue = try LineQueue()
        let mailbox = try Mailbox<LogFileThread.Message>()
        self.mailbox = mailbox
        try mailbox.open(on: loop) { mention("\($0)") }
        try LogFileThread.start(
            LogFileThread(path: path, queue: queue) { mailbox.post($0) })
    }

    /// Where the file is; nil if there is to be none.
    static func path(_ log: Configuration.Log, environment: (String) -> String?) -> String? {
        if let file = log.file { return file }
        // systemd names several folders with colons between them.
        guard let folder = environment("LOGS_DIRECTORY")?.split(separator: ":").first else {
            return nil
        }
        return folder + "/events.jsonl"
    }

    /// Takes an event, if it is one of those that are wanted.
    func tell(_ line: EventLine) {
        guard selection.includes(line.event) else { return }
        line.appendJSON(to: &writer)
        lines += 1
    }

    /// Hands over what a turn has brought.
    func turnEnded() {
        guard lines > 0 else { return }
        queue.add(writer.bytes, lines: lines)
        writer.removeAll()
        lines = 0
    }

    /// Opens the file anew, after its rotation.
    func reopen() {
        turnEnded()
        queue.reopen()
    }

    /// Has the rest written, and takes no more; nothing waits for that.
    func retire(from loop: EventLoop) {
        turnEnded()
        mailbox.close(on: loop)
        _ = queue.close(within: .zero)
    }

    /// Has the rest written.
    ///
    /// - Returns: What there is to tell still.
    func close(within limit: Duration) -> [String] {
        turnEnded()
        let isWritten = queue.close(within: limit)
        var messages: [String] = []
        mailbox.takeIn { messages.append("\($0)") }
        if !isWritten { messages.append("log file: its last lines could not be written in time") }
        return messages
    }
}
