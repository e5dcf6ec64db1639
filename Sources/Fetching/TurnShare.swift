import Reactor

/// How long the loop may read bodies in one of its turns, all transfers together.
///
/// Others wait and deadlines pass meanwhile, and a byte can cost a hundred times what another
/// does: only the clock tells.
final class TurnShare {
    private static let whole = Duration.milliseconds(5)

    private var spent = Duration.zero

    /// Whether whoever has had something in this turn must wait for the next.
    var isUsedUp: Bool { spent >= Self.whole }

    /// Counts what was read since `start`.
    ///
    /// - Returns: Now.
    func count(since start: Duration) -> Duration {
        let now = MonotonicClock.now()
        spent += now - start
        return now
    }

    /// A new turn begins.
    func renew() { spent = .zero }
}
