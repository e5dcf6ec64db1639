import Control
import PageModel
import Reactor

/// The bars of the loads that run, from a stream of its own.
///
/// Input: `isLoading` and `estimatedProgress` of the service from now on; what is missed of them
/// matters to nobody, unlike what the lines above tell. Output: to the display.
final class LoadBars {
    private static let drawInterval = Duration.milliseconds(80)

    private let display: ProgressDisplay
    private let path: String
    private let request: String
    private let loop: EventLoop
    private var connection: EventConnection?
    /// The bars' numbers, by the names of the targets that are loading.
    private var bars: [String: Int] = [:]
    private var nextBar = 0
    private lazy var redraw = Deadline { [unowned self] in self.display.draw() }

    init(_ display: ProgressDisplay, path: String, targets: [String], loop: EventLoop) {
        self.display = display
        self.path = path
        self.loop = loop
        let parts = targets.map { "&target=\(ServiceClient.escaped($0))" }
        request = "/v1/events?event=isLoading&event=estimatedProgress" + parts.joined()
    }

    /// Begins to follow, when the service is known to be there.
    func connect() {
        close()
        connection = try? EventConnection(
            path: path, target: request, accept: "application/x-ndjson", loop: loop
        ) {
        } onLine: { [unowned self] line in
            take(line)
        } onEnd: { [unowned self] _ in
            close()
        }
    }

    /// Ends all bars: nothing is known of the loads any more.
    func close() {
        connection?.close()
        connection = nil
        endAll()
    }

    private func endAll() {
        for bar in bars.values { display.end(bar) }
        bars = [:]
        redrawSoon()
    }

    private func take(_ line: ArraySlice<UInt8>) {
        guard let fields = JSONFields(line) else { return }
        // The one event without a target: some were missed, the ends of loads perhaps.
        guard let target = fields.string("target") else { return endAll() }
        if let isLoading = fields.flag("isLoading") {
            if isLoading {
                // Told before `isLoading`, when there was no bar yet.
                show(ProgressEstimator.initialValue, of: target)
            } else if let bar = bars.removeValue(forKey: target) {
                display.end(bar)
            }
        } else if let progress = fields.fraction("estimatedProgress"), bars[target] != nil {
            show(progress, of: target)
        }
        redrawSoon()
    }

    private func show(_ progress: Double, of target: String) {
        if bars[target] == nil {
            nextBar += 1
            bars[target] = nextBar
            display.begin(nextBar, url: target)
        }
        if let bar = bars[target] { display.update(bar, progress: progress) }
    }

    /// Armed by what moves, so that nothing wakes an idle reader. Loads that are done before are
    /// never drawn.
    private func redrawSoon() {
        guard !redraw.isArmed else { return }
        loop.arm(redraw, at: MonotonicClock.now() + Self.drawInterval)
    }
}
