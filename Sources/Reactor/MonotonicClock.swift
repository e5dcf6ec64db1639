import Glibc

/// The time of CLOCK_MONOTONIC: never set, never going back, standing still in suspend.
package enum MonotonicClock {
    /// The time since the clock's arbitrary origin.
    package static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Duration {
    /// The whole milliseconds of this duration, rounded up, so that a wait never ends too soon.
    package var millisecondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// This duration in seconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

/// The time of CLOCK_BOOTTIME: as ``MonotonicClock``, but going on in suspend. Schedules use it.
package enum BoottimeClock {
    /// The time since the machine started.
    package static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
