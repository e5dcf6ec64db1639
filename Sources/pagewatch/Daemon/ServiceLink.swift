import Events
import Glibc
import History
import PageModel
import Reactor
import Systemd
import Watching

/// The word to systemd, which started the service: that it is ready, how it is, and that it lives.
///
/// Input: what begins and ends in the service, and the watcher's events. Output: lines for
/// `Systemd/NotifySocket`. The sign of life is a deadline of the loop's: a loop that hangs gives none.
final class ServiceLink {
    /// The status follows what happens by so much, so that a load that is done at once never shows;
    /// and it is another one at most so often: each costs systemd a message to all who listen to it.
    private static let statusDelay = Duration.seconds(1)
    private static let statusInterval = Duration.seconds(5)
    /// That it is ready must come through: systemd waits for it. One that did not is told again.
    private static let readyRetry = Duration.seconds(1)

    private let socket: NotifySocket
    private let loop: EventLoop
    private let watcher: Watcher
    private var lastChange: (target: String, time: WallTime)?
    private var mistake: String?
    private var toldStatus = ""
    private var statusTime = Duration.zero
    private let watchdogInterval: Duration?
    private let question: Mailbox<StoredEvent?>
    private lazy var signOfLife = Deadline { [unowned self] in live() }
    private lazy var readyDue = Deadline { [unowned self] in tellReady() }
    private lazy var statusDue = Deadline { [unowned self] in tellStatus() }

    /// - Parameters:
    ///   - mistake: What is wrong with the configuration that it starts with.
    /// - Throws: ``SystemError`` if the system has no descriptors left.
    init(
        _ socket: NotifySocket, loop: EventLoop, watcher: Watcher, mistake: String?
    ) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.watcher = watcher
        self.mistake = mistake
        watchdogInterval = Watchdog.interval(environmentVariable)
        question = try Mailbox()
    }

    // MARK: What the service does

    /// The configuration is in force and the socket listens.
    ///
    /// - Parameter store: Asked for the last change before the start.
    func ready(_ store: HistoryStore) throws(SystemError) {
        // First: "systemctl start" returns with the other.
        tellStatus(waits: true)
        tellReady()
        live()
        try question.open(on: loop) { [unowned self] in remember($0) }
        store.read { [question] reader in
            question.post((try? reader?.lastEvent(.titleChanged)) ?? nil)
        }
    }

    /// The configuration is read again.
    func reloading() {
        loop.disarm(readyDue)
        socket.tell(.reloading(MonotonicClock.now()), waits: true)
    }

    /// It is in force, less what is wrong with it.
    func reloaded(mistake: String?) {
        self.mistake = mistake
        // First: "systemctl reload" returns with the other.
        tellStatus(waits: true)
        tellReady()
    }

    /// In a message of its own, which nothing that others wrote can make too long.
    private func tellReady() {
        guard !socket.tell(.ready, waits: true) else { return }
        loop.arm(readyDue, at: MonotonicClock.now() + Self.readyRetry)
    }

    /// The end begins.
    func stopping() {
        socket.tell(.stopping, .status("writing the history"), waits: true)
    }

    /// Takes an event that may make another status.
    func tell(_ line: EventLine) {
        switch line.event {
        case .durable(.titleChanged): lastChange = line.target.map { ($0, line.time) }
        case .durable, .page(.isLoading): break
        default: return
        }
        guard !statusDue.isArmed else { return }
        loop.arm(
            statusDue,
            at: max(MonotonicClock.now() + Self.statusDelay, statusTime + Self.statusInterval))
    }

    // MARK: The status

    private func remember(_ event: StoredEvent?) {
        guard lastChange == nil, let event, let target = event.target else { return }
        lastChange = (target, WallTime(event.time))
        tellStatus()
    }

    private func tellStatus(waits: Bool = false) {
        let text = status.text
        guard text != toldStatus else { return }
        statusTime = MonotonicClock.now()
        // What systemd has no room for is told with the next event.
        if socket.tell(.status(text), waits: waits) { toldStatus = text }
    }

    private var status: ServiceStatus {
        let summary = watcher.summary()
        return ServiceStatus(
            targets: summary.targets, loading: summary.running, failing: summary.failing,
            isOffline: summary.isOffline, lastChange: lastChange,
            storeTrouble: summary.storeTrouble, mistake: mistake)
    }

    // MARK: The sign of life

    private func live() {
        guard let watchdogInterval else { return }
        // One that systemd has no room for is given again before its time is over.
        let next = socket.tell(.watchdog) ? watchdogInterval : watchdogInterval / 4
        loop.arm(signOfLife, at: MonotonicClock.now() + next)
    }
}

/// Begs for more time while the service starts, for as long as that goes on.
final class StartPatience: Sendable {
    /// Above what goes on between two steps, such as the sync of a large file.
    private static let span = Duration.seconds(60)
    private static let interval = Duration.seconds(5)

    private let socket: NotifySocket
    private let next = Locked(MonotonicClock.now() + interval)

    init(_ socket: NotifySocket) { self.socket = socket }

    /// Says what is being done.
    func begins(_ work: String) {
        socket.tell(.status(work))
    }

    /// Something was done; called at each step of a long work.
    func goesOn() {
        let now = MonotonicClock.now()
        let isDue = next.withLock { next in
            guard now >= next else { return false }
            next = now + Self.interval
            return true
        }
        guard isDue else { return }
        socket.tell(.extendTimeout(Self.span))
    }
}

/// A variable of the process's environment.
func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
