import Events
import PageModel

/// Which events a reader wants: all, or those of some targets and of some kinds.
struct EventFilter {
    /// Names; nil means all, and the service's own events.
    private let targets: Set<String>?
    private let kinds: EventKinds
    /// Whether everything is wanted.
    let isEmpty: Bool
    /// Whether all that is wanted is in the history: then nothing of it can be lost to the ring.
    let isOfHistory: Bool

    /// - Parameters:
    ///   - targets: Names; empty means all.
    ///   - kinds: As ``EventKinds`` reads them; empty means all.
    init(targets: [String], kinds: [String]) {
        self.targets = targets.isEmpty ? nil : Set(targets)
        self.kinds = EventKinds(kinds.isEmpty ? ["all"] : kinds)
        isEmpty = targets.isEmpty && (kinds.isEmpty || kinds.contains("all"))
        let stored = ["durable"] + DurableEvent.Name.allCases.map(\.rawValue)
        isOfHistory = !kinds.isEmpty && kinds.allSatisfy { stored.contains($0) }
    }

    /// Whether an event is wanted. That some were missed always is.
    func includes(_ line: EventLine) -> Bool {
        if case .missed = line.event { return true }
        if let targets {
            // What becomes of the service concerns all of its targets.
            guard let target = line.target else {
                return isServiceEvent(line) && kinds.includes(line.event)
            }
            guard targets.contains(target) else { return false }
        }
        return kinds.includes(line.event)
    }

    private func isServiceEvent(_ line: EventLine) -> Bool {
        guard case .durable(let event) = line.event else { return false }
        switch event {
        case .service, .gap: return true
        default: return false
        }
    }
}
