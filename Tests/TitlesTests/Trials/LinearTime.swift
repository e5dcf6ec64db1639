import Glibc

/// Whether reading takes time in proportion to what is read.
///
/// Only the processor's time for this thread counts, the least of several tries: a busy machine
/// makes no fault. What is quick in any case is not looked at further.
enum LinearTime {
    /// Long enough for a stack of open elements to be as deep as it may be: up to there each
    /// element makes the next one dearer.
    private static let shortLength = 128 << 10
    private static let longLength = 8 * shortLength
    /// Reading the long body may always take so long: 0.6 us a byte, which most bodies do not need
    /// even under a sanitizer.
    private static let alwaysAllowed: Duration = .milliseconds(600)
    /// Nothing may take longer, in proportion or not: 20 us a byte.
    private static let mostAllowed: Duration = .milliseconds(20 * longLength / 1000)
    /// Eight times as much may take three times as long as it ought to: far more than noise, and
    /// far less than the 64 times of what is quadratic.
    private static let mostRatio = 24.0
    private static let tries = 5

    /// - Parameter read: Reads the body of a trial once.
    /// - Returns: What is wrong; nil if the time is in proportion.
    static func fault(in trial: Trial, read: (Trial) -> Void) -> String? {
        let short = trial.repeated(to: shortLength)
        let long = trial.repeated(to: longLength)
        var shortTime = Duration.seconds(1000)
        var longTime = shortTime
        for _ in 0..<tries {
            longTime = min(longTime, time { read(long) })
            if longTime <= alwaysAllowed { return nil }
            shortTime = min(shortTime, time { read(short) })
            if longTime <= mostAllowed, longTime / shortTime <= mostRatio { return nil }
        }
        return "\(short.body.count) bytes took \(shortTime), \(long.body.count) took \(longTime)"
    }

    private static func time(_ action: () -> Void) -> Duration {
        let start = processorTime()
        action()
        return processorTime() - start
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
