import PageModel

/// What a finished load of a target means.
package struct Decision: Equatable, Sendable {
    /// To be stored before the target's next load begins.
    package var state: TargetState
    /// What is to be told, in this order.
    package var events: [DurableEvent]
    package var verdict: Verdict
    package var nextCheck: NextCheck
    /// One sentence for people: why something was told, or why not. It has no text of the page's.
    package var explanation: String
    /// Patterns that reached their bound on this title and counted as not found.
    package var exceededPatterns: [String] = []
}

/// Whether a load counts.
package enum Verdict: Equatable, Sendable {
    case good(title: String?)
    case failed(LoadError)
}
