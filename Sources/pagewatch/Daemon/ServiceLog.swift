import Events
import Glibc
import History
import PageModel
import Reactor
import Systemd
import Watching

/// What the service says: each event a line, and on a terminal a bar for each page that is loading.
///
/// Input: the watcher's events, on the loop's thread. Output: messages for `JournalLog` where systemd
/// takes standard error to the journal; everywhere else lines for `ServiceOutput`.
final class ServiceLog {
    private static let drawInterval = Duration.milliseconds(80)

    private let output = ServiceOutput()
    private let journal: JournalLog?
    private let display: ProgressDisplay
    /// The bars' numbers, by the names of the targets that are loading.
    private var bars: [String: Int] = [:]
    private var nextBar = 0
    /// Whether a bar has changed since the next drawing was arranged.
    private var hasMoved = false
    private var isDrawingDue = false
    private lazy var redraw = Deadline { [unowned self] in isDrawingDue = true }

    /// - Throws: ``SystemError`` if the system refuses what bars on a terminal need.
    init(showsProgress: Bool, loop: EventLoop) throws(SystemError) {
        display = ProgressDisplay(isWanted: showsProgress)
        try display.follow(loop)
        journal =
            JournalStream.isJournal(STDERR_FILENO, environmentVariable)
            ? JournalLog(standIn: ServiceOutput(STDERR_FILENO)) : nil
    }

    /// Tells an event: a durable one as a line, a step of a load by its bar.
    ///
    /// - Parameter url: What the URL of a target is.
    func tell(_ line: EventLine, url: (_ target: String) -> String?) {
        switch line.event {
        case .durable:
            if let journal {
                let message = line.journalMessage(url: line.target.flatMap(url))
                if let message { journal.add(message) }
            } else {
                add(line.text, line.time)
            }
        case .page(let event):
            if let target = line.target { changed(event, target: target) }
        case .missed: return
        }
    }

    private func changed(_ event: PageEvent, target: String) {
        guard display.isActive else { return }
        switch event {
        case .isLoading(true):
            nextBar += 1
            bars[target] = nextBar
            display.begin(nextBar, url: target)
            // Told before `isLoading`, when there was no bar yet.
            display.update(nextBar, progress: ProgressEstimator.initialValue)
        case .isLoading(false):
            if let bar = bars.removeValue(forKey: target) { display.end(bar) }
        case .estimatedProgress(let progress):
            if let bar = bars[target] { display.update(bar, progress: progress) }
        default: return
        }
        hasMoved = true
    }

    /// Tells something that is no event.
    func mention(_ line: String, _ priority: Priority) {
        let message = JournalMessage(remark: line, priority)
        if let journal { journal.add(message) } else { add(message.text, .now()) }
    }

    /// For a person watching, the time stands before what happened. Elsewhere a line is the same as
    /// in the journal, which has a time of its own.
    private func add(_ line: String, _ time: WallTime) {
        output.add(output.isTerminal ? time.text(.local) + " " + line : line)
    }

    /// Whether the terminal that it wrote to was closed.
    var hasHungUp: Bool { output.hasHungUp }

    /// Writes what a turn has brought, and draws the bars if it is time to.
    func turnEnded(_ loop: EventLoop) {
        writeLines()
        output.watch(on: loop)
        journal?.turnEnded(loop)
        if isDrawingDue {
            isDrawingDue = false
            display.draw()
        }
        // Armed by what moves, so that nothing wakes an idle service. Loads that are done before
        // are never drawn; a frame that a stopped terminal did not take comes with the next.
        guard hasMoved, !redraw.isArmed else { return }
        hasMoved = false
        loop.arm(redraw, at: MonotonicClock.now() + Self.drawInterval)
    }

    private func writeLines() {
        guard output.isWaiting else { return }
        guard display.isActive, output.isTerminal else { return output.flush() }
        // Taking the bars away would wait for a terminal that was stopped.
        guard output.isReady else { return }
        display.printAbove { output.flush() }
    }

    /// Writes the rest and leaves the terminal as it was.
    func finish(within limit: Duration) {
        if !display.isActive || output.isReady { display.restore() }
        output.finish(within: limit)
        journal?.finish(within: limit)
    }
}
