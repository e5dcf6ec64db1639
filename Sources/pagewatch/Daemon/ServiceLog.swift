import Events
import History
import PageModel
import Reactor
import Watching

/// What the service says: each event a line on standard output, and on a terminal a bar for each
/// page that is loading.
final class ServiceLog: WatcherAudience {
    private static let drawInterval = Duration.milliseconds(80)

    private let output = StandardOutput()
    private let display: ProgressDisplay
    private var lines: [UInt8] = []
    /// The bars' numbers, by the names of the targets that are loading.
    private var bars: [String: Int] = [:]
    private var nextBar = 0
    private var isDrawingDue = false
    private lazy var redraw = Deadline { [unowned self] in isDrawingDue = true }

    init(showsProgress: Bool) {
        display = ProgressDisplay(isWanted: showsProgress)
    }

    func announce(_ event: StoredEvent) {
        let line = EventLine(
            seq: event.seq, time: WallTime(milliseconds: event.time.milliseconds),
            target: event.target, load: event.load, event: .durable(event.event))
        write(line.text)
    }

    func changed(_ event: PageEvent, target: String, load: Int64) {
        guard display.isActive else { return }
        switch event {
        case .isLoading(true):
            nextBar += 1
            bars[target] = nextBar
            display.begin(nextBar, url: target)
        case .isLoading(false):
            if let bar = bars.removeValue(forKey: target) { display.end(bar) }
        case .estimatedProgress(let progress):
            if let bar = bars[target] { display.update(bar, progress: progress) }
        default: break
        }
    }

    func mention(_ line: String) {
        write(escaped(line))
    }

    /// Writes what a turn has brought, and draws the bars if it is time to.
    func turnEnded(_ loop: EventLoop) {
        if !lines.isEmpty {
            display.printAbove {
                output.write(bytes: lines)
                output.flush()
            }
            lines.removeAll(keepingCapacity: true)
        }
        guard display.isActive else { return }
        if isDrawingDue {
            isDrawingDue = false
            display.draw()
        }
        if !redraw.isArmed { loop.arm(redraw, at: MonotonicClock.now() + Self.drawInterval) }
    }

    /// Writes the rest and leaves the terminal as it was.
    func finish() {
        display.restore()
        output.write(bytes: lines)
        _ = output.finish()
    }

    private func write(_ line: String) {
        lines.append(contentsOf: line.utf8)
        lines.append(UInt8(ascii: "\n"))
    }
}
