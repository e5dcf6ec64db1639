import Events
import Glibc
import Reactor
import Systemd

/// The journal as the service's log: takes messages and sends what the journal takes, never waiting.
///
/// Input: messages, of events and remarks. Output: `Systemd/JournalSocket`; where there is none, lines
/// on standard error with their priority in front (sd-daemon(3)), which systemd takes to the journal,
/// or wherever it was told to. No message goes both ways.
final class JournalLog {
    /// Of messages that wait while the journal takes no more: some 2,000.
    private static let usualCapacity = 1 << 20
    /// A journal that is busy has written a good deal after that.
    private static let pause = Duration.milliseconds(50)
    private static let lastPauseMilliseconds: CInt = 10

    private struct Message {
        let entry: JournalEntry
        /// What stands on standard error in its place.
        let line: String
    }

    private let socket: JournalSocket
    private let standIn: ServiceOutput
    private let capacity: Int
    private var waiting: [Message] = []
    private var waitingBytes = 0
    private var dropped = 0
    private let retry = Deadline {}

    init(
        socket: JournalSocket = JournalSocket(), standIn: ServiceOutput,
        capacity: Int = usualCapacity
    ) {
        self.socket = socket
        self.standIn = standIn
        self.capacity = capacity
    }

    /// Takes a message.
    func add(_ message: JournalMessage) {
        let new = Message(entry: JournalEntry(message), line: message.prefixedLine)
        // While some are dropped all are, so that the message about them stands in their place.
        guard dropped == 0, waitingBytes + new.entry.bytes.count < capacity else {
            dropped += 1
            return
        }
        waiting.append(new)
        waitingBytes += new.entry.bytes.count
    }

    /// Hands over what a turn has brought.
    func turnEnded(_ loop: EventLoop) {
        flush()
        standIn.watch(on: loop)
        if waiting.isEmpty {
            loop.disarm(retry)
        } else if !retry.isArmed {
            // The turn that it brings tries again.
            loop.arm(retry, at: MonotonicClock.now() + Self.pause)
        }
    }

    /// Sends what the journal takes now.
    func flush() {
        var count = 0
        send: while count < waiting.count {
            let message = waiting[count]
            switch socket.send(message.entry) {
            case .sent: break
            case .busy: break send
            case .refused: standIn.add(message.line)
            }
            waitingBytes -= message.entry.bytes.count
            count += 1
        }
        waiting.removeFirst(count)
        if standIn.isWaiting { standIn.flush() }
        guard waiting.isEmpty, dropped > 0 else { return }
        let lines = dropped == 1 ? "1 line is" : "\(dropped) lines are"
        dropped = 0
        add(JournalMessage(remark: "\(lines) missing here: the journal took no more", .error))
        flush()
    }

    /// Gives the journal a last chance to take what waits. How much it did not is told on standard
    /// error.
    func finish(within limit: Duration) {
        let end = MonotonicClock.now() + limit
        flush()
        while !waiting.isEmpty, MonotonicClock.now() < end {
            poll(nil, 0, Self.lastPauseMilliseconds)
            flush()
        }
        let left = waiting.count + dropped
        if left > 0 {
            let lines = left == 1 ? "1 line is" : "\(left) lines are"
            let remark = JournalMessage(
                remark: "\(lines) missing in the journal: it took no more", .error)
            standIn.add(remark.prefixedLine)
            (waiting, waitingBytes, dropped) = ([], 0, 0)
        }
        standIn.finish(within: max(.zero, end - MonotonicClock.now()))
    }
}

extension JournalEntry {
    /// A message of the service.
    init(_ message: JournalMessage) {
        self.init()
        for field in message.fields { append(field.name, field.value) }
        append("SYSLOG_IDENTIFIER", "pagewatch")
    }
}

extension JournalMessage {
    /// `<5>news: title changed: …`.
    var prefixedLine: String { "<\(priority.rawValue)>\(text)" }
}
