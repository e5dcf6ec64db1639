import PageModel
import Reactor

/// What there is to count of loads since the start of the service; for its metrics.
package struct LoadCounts: Sendable {
    /// Upper bounds of the classes of a histogram, in seconds, as Prometheus' users expect them.
    package static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    /// How long something took.
    package struct Histogram: Sendable {
        /// How many took at most each of ``LoadCounts/bounds``, those of the bounds before counted.
        package private(set) var classes = [Int64](repeating: 0, count: bounds.count)
        package private(set) var count: Int64 = 0
        /// Of all, in seconds.
        package private(set) var sum = 0.0

        mutating func add(_ seconds: Double) {
            count += 1
            sum += seconds
            for (index, bound) in bounds.enumerated() where seconds <= bound { classes[index] += 1 }
        }
    }

    /// Checks that ended, by whether they were good.
    package private(set) var good: Int64 = 0
    package private(set) var failed: Int64 = 0
    /// Bytes of bodies, on the wire.
    package private(set) var bytes: Int64 = 0
    /// The lengths of the phases that checks had, and of the whole.
    package private(set) var phases: [(name: StaticString, times: Histogram)] = [
        ("resolve", Histogram()), ("connect", Histogram()), ("tls", Histogram()),
        ("firstByte", Histogram()), ("total", Histogram()),
    ]
    /// How long checks waited for room behind the moment at which they were due.
    package private(set) var lateness = Histogram()

    mutating func add(_ result: LoadResult, isGood: Bool) {
        if isGood { good += 1 } else { failed += 1 }
        bytes += result.bytes ?? 0
        guard let timings = result.timings else { return }
        let seconds = [
            timings.resolve, timings.connect, timings.tls, timings.firstByte, timings.total,
        ]
        // A kept connection needs no name, no connect and no handshake: such a phase is not counted.
        for (index, length) in seconds.enumerated() where length > 0 {
            phases[index].times.add(length)
        }
    }

    mutating func add(lateness span: Duration) { lateness.add(max(0, span.inSeconds)) }
}
