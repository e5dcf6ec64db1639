import PageModel

/// What was known of a target at a time.
package struct Moment: Equatable, Sendable {
    /// Whether the watcher was watching.
    package enum Watching: Equatable, Sendable {
        case yes
        /// Loads that were due between these times did not run.
        case no(since: Timestamp, until: Timestamp, reason: GapReason)
        /// The time is before the first load or after the last one.
        case unknown
    }

    package var time: Timestamp
    /// The confirmed title then and since when; nil if there was none yet.
    package var told: SeenTitle?
    /// The loads that showed the title shown last, up to that time or beyond it.
    package var shown: TitleRun?
    /// The last good load known to have ended before that time or at it.
    package var loadBefore: Timestamp?
    /// The first good load known to have ended after it.
    package var loadAfter: Timestamp?
    /// The loads that showed the next title.
    package var next: TitleRun?
    package var watching: Watching

    /// - Parameters:
    ///   - titles: The target's runs, oldest first.
    ///   - events: The target's, oldest first.
    ///   - serviceEvents: The service's own.
    init(
        _ time: Timestamp, titles: [TitleRun], events: [StoredEvent], serviceEvents: [StoredEvent]
    ) {
        self.time = time
        told = Self.told(at: time, events)
        // The last that began by then: runs are in their order, whatever the clock did.
        let index = titles.lastIndex { $0.first <= time }
        shown = index.map { titles[$0] }
        next = titles.dropFirst(index.map { $0 + 1 } ?? 0).first
        loadBefore = shown.map { $0.last <= time ? $0.last : $0.first }
        // Of the loads within a run only the first and the last are known.
        loadAfter = shown.flatMap { $0.last > time ? $0.last : nil } ?? next?.first
        watching = .unknown
        if let gap = Self.gap(at: time, events + serviceEvents) {
            watching = gap
        } else if loadBefore != nil, loadBefore == time || loadAfter != nil {
            watching = .yes
        }
    }

    private static func told(at time: Timestamp, _ events: [StoredEvent]) -> SeenTitle? {
        var told: SeenTitle?
        for event in events {
            switch event.event {
            case .firstSeen(let title, _, _) where event.time <= time:
                told = SeenTitle(title: title, time: event.time)
            case .titleChanged(let change) where change.firstShown <= time:
                told = SeenTitle(title: change.to, time: change.firstShown)
            case .rebased(_, let title, _) where event.time <= time:
                told = SeenTitle(title: title, time: event.time)
            case .encodingChanged(let title, _, _) where event.time <= time:
                told = SeenTitle(title: title, time: event.time)
            default: break
            }
        }
        return told
    }

    private static func gap(at time: Timestamp, _ events: [StoredEvent]) -> Watching? {
        for event in events {
            if case .gap(let since, let until, let reason, _) = event.event,
                since <= time, time < until
            {
                return .no(since: since, until: until, reason: reason)
            }
        }
        return nil
    }
}

extension HistoryReader {
    /// What was known of a target at a time; nil for a target never seen.
    package func moment(_ time: Timestamp, of target: String) throws(StoreError) -> Moment? {
        guard try self.target(target) != nil else { return nil }
        return Moment(
            time, titles: try titles(of: target), events: try events(of: target),
            serviceEvents: try events(of: nil))
    }
}
