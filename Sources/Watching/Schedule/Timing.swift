/// How often a target is loaded.
package struct Timing: Equatable, Sendable {
    /// Between the starts of two loads.
    package var interval: Duration
    /// Until a new title is looked at again; never more than the interval.
    package var confirmInterval: Duration
    /// Until a failed load is tried again; never more than the interval.
    package var retryInterval: Duration
    /// What the interval may grow to while the target is failing; nil keeps it as it is.
    package var backoffMax: Duration?

    /// - Parameters:
    ///   - confirmInterval: 30 s unless given.
    ///   - retryInterval: 1 min unless given.
    package init(
        interval: Duration, confirmInterval: Duration? = nil, retryInterval: Duration? = nil,
        backoffMax: Duration? = nil
    ) {
        self.interval = interval
        self.confirmInterval = min(confirmInterval ?? .seconds(30), interval)
        self.retryInterval = min(retryInterval ?? .seconds(60), interval)
        self.backoffMax = backoffMax
    }
}

/// Moments and spans of the schedule in nanoseconds: half the size of a `Duration`.
typealias Nanoseconds = Int64

extension Nanoseconds {
    static let second: Nanoseconds = 1_000_000_000
    /// Ten years, so that sums of a few never overflow.
    static let longest = second * 86400 * 3653

    /// Cuts off what is below a nanosecond and beyond ten years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard abs(seconds) < Self.longest / Self.second else {
            self = seconds < 0 ? -Self.longest : Self.longest
            return
        }
        self = seconds * Self.second + attoseconds / 1_000_000_000
    }

    var duration: Duration { .nanoseconds(self) }
}

/// Tells that the machine was asleep: the clock that goes on in sleep ran ahead of the other.
package struct SleepDetector {
    /// Reading two clocks takes a moment, and a sleep this short delays nothing.
    private static let shortest = Duration.seconds(1)

    private var ahead: Duration

    /// - Parameters:
    ///   - boottime: CLOCK_BOOTTIME.
    ///   - monotonic: CLOCK_MONOTONIC, which stands still in sleep.
    package init(boottime: Duration, monotonic: Duration) { ahead = boottime - monotonic }

    /// How long the machine slept since the last call; nil if it did not.
    package mutating func slept(boottime: Duration, monotonic: Duration) -> Duration? {
        let slept = boottime - monotonic - ahead
        guard slept >= Self.shortest else { return nil }
        ahead += slept
        return slept
    }
}
