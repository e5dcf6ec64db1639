import Configuration
import Events
import History
import PageLoading
import PageModel
import Reactor
import WebAddress

/// A target as it is now, for those who ask.
package struct TargetView: Sendable {
    /// In one word, the first that fits.
    package enum State: String, Sendable, CaseIterable {
        /// Not defined any more.
        case retired
        case disabled
        case paused
        /// `failing` was told, and no good load came since.
        case failing
        /// No title was confirmed yet.
        case new
        /// The page goes to and fro among a few titles, which was told.
        case oscillating
        /// No title stays long enough, which was told.
        case unstable
        case fine
    }

    package var name: String
    package var state: State
    /// The configured URL, without user information; nil for one that is retired.
    package var url: String?
    package var tags: [String] = []
    package var interval: Duration?
    /// The title that was told last, and when a load last showed it.
    package var title: SeenTitle?
    package var page = Page()
    /// The number of the load that runs or waits; nil if none does.
    package var load: Int64?
    /// When the next check is due; nil while one runs, and if none is to come.
    package var nextCheck: Timestamp?
    /// Until when a server asked not to be loaded from (Retry-After).
    package var heldUntil: Timestamp?
    package var pausedUntil: Timestamp?
    /// Failed loads in a row.
    package var failedLoads = 0
    /// Since when and why the target fails; nil unless that was told.
    package var failing: (error: LoadError, since: Timestamp)?
    /// When the last good check ended.
    package var lastGood: Timestamp?
    /// Title changes that were told since the start of the service.
    package var titleChanges: Int64 = 0
    /// Why the title of the last load was or was not told; empty before one has ended.
    package var explanation = ""
    /// Whether a script may rely on the title: the target is neither retired nor failing, and its
    /// last good check, or the service's start, is not longer ago than two intervals.
    package var isHealthy = true
}

/// The service as it is now.
package struct ServiceView: Sendable {
    package var version = ""
    /// How many targets are in each state; retired ones are not counted.
    package var targets: [TargetView.State: Int] = [:]
    /// Loads that run, and such that wait for room.
    package var running = 0
    package var waiting = 0
    package var isOffline = false
    /// The number of the next event.
    package var nextEvent: Int64 = 0
    package var store = HistoryStore.Statistics()
    package var loads = LoadCounts()
    /// When the service began.
    package var started: Timestamp?
}

/// The service in a few figures, which are there at once.
package struct ServiceSummary: Sendable {
    package let targets: Int
    /// Loads that run.
    package let running: Int
    /// Targets of which `failing` was told, and no good load came since.
    package let failing: Int
    package let isOffline: Bool
    /// Why the history can't be written at the moment.
    package let storeTrouble: String?
}

extension Watcher {
    /// The service in a few figures.
    package func summary() -> ServiceSummary {
        ServiceSummary(
            targets: targets.count, running: queue.running,
            failing: targets.values.count { $0.isFailing }, isOffline: judge.isOffline,
            storeTrouble: store.statistics.waitingBecause)
    }

    /// The names of all targets, in order.
    package var targetNames: [String] { targets.keys.sorted() }

    /// The URL that a target is to load; nil if it is not watched.
    package func url(of name: String) -> String? { targets[name]?.definition.url.text }

    /// A target as it is now; nil if there is and was none of that name.
    package func view(of name: String) -> TargetView? {
        guard let target = targets[name] else {
            guard retired[name] != nil else { return nil }
            var view = TargetView(name: name, state: .retired)
            view.isHealthy = false
            return view
        }
        let state = target.state
        let now = BoottimeClock.now()
        var view = TargetView(name: name, state: target.stateNow)
        view.url = target.definition.url.text
        view.tags = target.definition.settings.tags
        view.interval = target.definition.settings.interval
        view.title = state.title
        view.page = target.pageNow
        view.load = target.load?.number
        view.nextCheck = target.place.flatMap { schedule.nextDue(of: $0) }
            .flatMap { state.pause == nil ? time(at: $0, now: now) : nil }
        view.heldUntil = target.place.flatMap { schedule.held($0, now: now) }
            .map { time(at: $0, now: now) }
        if case .until(let until) = state.pause { view.pausedUntil = until }
        view.failedLoads = state.failedLoads
        view.failing = state.toldFailure
        view.lastGood = target.lastGood
        view.titleChanges = Int64(target.titleChanges)
        view.explanation = target.explanation
        view.isHealthy = isHealthy(target, state)
        return view
    }

    private func isHealthy(_ target: WatchedTarget, _ state: TargetState) -> Bool {
        guard !state.isFailing else { return false }
        let age = Duration.seconds(secondsUp - target.lastGoodAge)
        return age <= target.settings.timing.interval * 2
    }

    /// The service as it is now.
    package func view() -> ServiceView {
        var view = ServiceView()
        view.version = version
        for target in targets.values {
            view.targets[target.stateNow, default: 0] += 1
        }
        view.running = queue.running
        view.waiting = queue.waiting
        view.isOffline = judge.isOffline
        view.nextEvent = ring.next
        view.store = store.statistics
        view.loads = counts
        view.started = started
        return view
    }

    /// A moment of the schedule's clock on the wall.
    private func time(at moment: Duration, now: Duration) -> Timestamp {
        Timestamp(
            milliseconds: Self.time().milliseconds + (moment - now).millisecondsRoundedUp)
    }
}

extension WatchedTarget {
    /// How it is, in a word.
    fileprivate var stateNow: TargetView.State { place == nil ? .disabled : condition }
}

extension TargetState {
    /// How a target is that is enabled, in a word.
    var condition: TargetView.State {
        if pause != nil { return .paused }
        if isFailing { return .failing }
        if title == nil { return .new }
        if isOscillating { return .oscillating }
        return isUnstable ? .unstable : .fine
    }
}
