import PageModel

/// Which kinds of events are wanted: the words of `log: events:`, and of a reader's `event=`.
package struct EventKinds: Sendable {
    private let hasAll: Bool
    private let hasDurable: Bool
    private let kinds: Set<String>

    /// The words that are understood, beside `all` and `durable`.
    package static let names =
        DurableEvent.Name.allCases.map(\.rawValue) + PageEvent.Name.allCases.map(\.rawValue)

    /// - Parameter words: `all`, `durable`, and kinds by the names of the events' `event` key.
    package init(_ words: [String]) {
        hasAll = words.contains("all")
        hasDurable = hasAll || words.contains("durable")
        kinds = Set(words)
    }

    /// Whether an event is wanted.
    package func includes(_ event: EventLine.Event) -> Bool {
        switch event {
        case .durable(let event): hasDurable || kinds.contains(event.name.rawValue)
        case .page(let event): hasAll || kinds.contains(event.name.rawValue)
        case .missed: true
        }
    }
}
