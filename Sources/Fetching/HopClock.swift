import Reactor

/// When a hop entered each of its phases.
package struct HopClock {
    /// How long each phase took; zero for one that did not happen.
    package struct Durations: Sendable {
        package var resolve: Duration = .zero
        package var connect: Duration = .zero
        package var tls: Duration = .zero
        package var firstByte: Duration = .zero
    }

    let start: Duration
    private(set) var phase = TransferError.Phase.request
    private(set) var phaseStart: Duration
    private var stopped: Duration?
    private var durations = Durations()

    init(at now: Duration) {
        start = now
        phaseStart = now
    }

    /// Enters a phase that comes after the present one; false, and nothing changes, otherwise.
    mutating func enter(_ next: TransferError.Phase, at now: Duration) -> Bool {
        guard Self.rank(next) > Self.rank(phase) else { return false }
        durations = durations(at: now)
        phase = next
        phaseStart = now
        return true
    }

    /// The hop is over.
    mutating func stop(at now: Duration) {
        stopped = stopped ?? now
    }

    /// The durations as of now, the present phase's so far in them.
    func durations(at now: Duration) -> Durations {
        var result = durations
        let spent = (stopped ?? now) - phaseStart
        switch phase {
        case .resolve: result.resolve += spent
        case .connect: result.connect += spent
        case .tls: result.tls += spent
        case .firstByte: result.firstByte += spent
        // Neither libcurl's own start nor the body is a phase of the timings.
        case .request, .body: break
        }
        return result
    }

    private static func rank(_ phase: TransferError.Phase) -> Int {
        switch phase {
        case .request: 0
        case .resolve: 1
        case .connect: 2
        case .tls: 3
        case .firstByte: 4
        case .body: 5
        }
    }
}
