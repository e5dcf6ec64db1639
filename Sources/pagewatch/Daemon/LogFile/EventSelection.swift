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

    /// Whether an event that the history keeps is wanted.
    func includes(_ event: DurableEvent) -> Bool {
        hasDurable || kinds.contains(event.name.rawValue)
    }

    /// Whether a step of a load is wanted.
    func includes(_ event: PageEvent) -> Bool {
        hasAll || kinds.contains(event.name.rawValue)
    }
}
