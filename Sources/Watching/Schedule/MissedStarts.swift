import PageModel

/// Loads that were due and did not run.
struct MissedStarts {
    var first = Nanoseconds.max
    var count = 0

    /// Counts a load that was due, unless its jitter could have put it off until now.
    mutating func add(_ due: Nanoseconds, of target: ScheduledTarget, now: Nanoseconds) {
        guard now - due > target.interval / 10 else { return }
        first = min(first, due)
        count += 1
    }

    /// The one gap to tell of all of them; nil if there are none.
    func gap(_ reason: GapReason, now: Nanoseconds, time: Timestamp) -> DurableEvent? {
        guard count > 0 else { return nil }
        return .gap(
            since: time.earlier(by: now - first), until: time, reason: reason, targets: count)
    }
}
