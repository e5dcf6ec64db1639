import Events
import PageModel

/// Which events are wanted: the words of `log: events:`.
struct EventSelection {
    private let hasAll: Bool
    private let hasDurable: Bool
    private let kinds: Set<String>

    /// - Parameter words: `all`, `durable`, and kinds by the names of the events' `event` key.
    init(_ words: [String]) {
        hasAll = words.contains("all")
        hasDurable = hasAll || words.contains("durable")
        kinds = Set(words)
    }

    /// Whether an event is wanted.
    func includes(_ event: EventLine.Event) -> Bool {
        switch event {
        case .durable(let event): hasDurable || kinds.contains(event.name.rawValue)
        case .page(let event): hasAll || kinds.contains(event.name.rawValue)
        }
    }
}
