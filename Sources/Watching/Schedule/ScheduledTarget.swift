/// What the schedule knows of one target, at rest and while it loads.
struct ScheduledTarget {
    enum Activity: UInt8 {
        /// In the heap for its next load.
        case waiting
        /// Handed out, in a queue or loading.
        case running
        /// Not loaded until resumed; in the heap if that has a time.
        case paused
        /// Handed out when it was paused.
        case runningPaused
        /// Removed; its place is for another target.
        case gone
    }

    /// Where its name puts it among all targets, evenly.
    let phase: UInt64
    /// Tells a later target in the same place apart.
    let generation: UInt32
    /// The host's name as a number: one of billions may share another's hold.
    var host: UInt64
    var interval: Nanoseconds
    var confirm: Nanoseconds
    var retry: Nanoseconds
    var backoffMax: Nanoseconds
    /// When the last regular load was due by rights: without jitter, delay or hold.
    var nominal: Nanoseconds
    /// The next regular start that is not yet handed out, likewise.
    var next: Nanoseconds
    /// When the load under way, or the last one, began; `Nanoseconds.min` before the first.
    var start: Nanoseconds
    /// From Retry-After of a 503.
    var heldUntil: Nanoseconds = .min
    /// The first start that was missed since the last load; `Nanoseconds.min` for none.
    var missedSince: Nanoseconds = .min
    /// Regular loads so far: each has its own jitter.
    var index: UInt32 = 0
    /// What the next load, or the one under way, is for.
    var check = NextCheck.regular
    /// Whether that load is the one that is due by the interval, whatever else it is for.
    var isRegular = true
    var activity = Activity.waiting
    /// The missed start was missed in our own queue, not by a load that ran on.
    var isOverload = false
    /// A user wishes for its next load: no host's Retry-After keeps it.
    var isWished = false
    /// The last load came at once: the next finds the target's place in the interval.
    var isOutOfPhase = false

    init(name: String, host: String, timing: Timing, generation: UInt32) {
        var hash = StableHash()
        hash.add(name)
        phase = hash.mixed
        self.generation = generation
        self.host = StableHash.of(host)
        (interval, confirm, retry, backoffMax) = (0, 0, 0, 0)
        (nominal, next, start) = (0, 0, .min)
        set(timing)
    }

    mutating func set(_ timing: Timing) {
        interval = max(Nanoseconds(timing.interval), .second)
        confirm = min(max(0, Nanoseconds(timing.confirmInterval)), interval)
        retry = min(max(0, Nanoseconds(timing.retryInterval)), interval)
        backoffMax = timing.backoffMax.map { max(Nanoseconds($0), interval) } ?? interval
    }

    /// The span within which loads that are due at once are spread.
    var pace: Nanoseconds { min(interval, 60 * .second) }

    /// A share of `span` that depends on the name alone.
    func share(of span: Nanoseconds) -> Nanoseconds {
        Nanoseconds(truncatingIfNeeded: phase.multipliedFullWidth(by: UInt64(max(0, span))).high)
    }

    /// At most a tenth of the interval, another one for each regular load.
    var jitter: Nanoseconds {
        var hash = StableHash()
        hash.add(phase)
        hash.add(index)
        let span = UInt64(interval / 10)
        return Nanoseconds(truncatingIfNeeded: hash.mixed.multipliedFullWidth(by: span).high)
    }

    /// From the regular load at ``nominal`` to the next one.
    ///
    /// - Parameter failingLoads: Failed loads since `failing` is told, that one counted.
    func step(failingLoads: Int) -> Nanoseconds {
        if isOutOfPhase {
            // Not at once again, and not later than the interval.
            return interval / 4 + share(of: interval - interval / 4)
        }
        var step = interval
        // Thirty doublings of a second are more than the longest interval.
        for _ in 0..<min(max(0, failingLoads), 30) { step = min(step * 2, backoffMax) }
        return step
    }

    /// Makes ``next`` a start that still can be made, on the beat of the one that was due.
    ///
    /// A start that is late by no more than the jitter may be is not missed: else a load that takes
    /// nearly the whole interval would run into the next one for our own jitter's sake.
    /// - Returns: Whether starts were passed over; the first of them is what ``next`` was.
    mutating func skipMissed(now: Nanoseconds) -> Bool {
        let latest = now - interval / 10
        guard next < latest else { return false }
        next += (latest - next + interval - 1) / interval * interval
        return true
    }
}
