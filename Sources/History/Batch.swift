import PageModel

/// What becomes durable together: all of it, or nothing.
package struct Batch: Sendable {
    /// One thing to be kept.
    package enum Item: Sendable {
        case event(StoredEvent)
        case observation(target: String, Observation)
        /// The number of a load that gives no observation, such as one that a user began.
        case loadNumber(target: String, Int64)
        /// What the change rules are to go on from after a restart.
        case state(target: String, VersionedBytes)
        case backForwardList(target: String, BackForwardList)
        case lastGood(target: String, LoadRecord)
        case lastFailed(target: String, LoadRecord)
        /// Submit this before the target's first load: from then on its load numbers are safe.
        case definition(target: String, VersionedBytes)
        case retire(target: String, Timestamp)
        case unretire(target: String)
        /// Nil ends the pause.
        case pause(target: String, Pause?)
        /// Removes all that is known of the target, and overwrites it in the file. A target that
        /// comes back goes on behind its last load, which the owner may know better than the store.
        case forget(target: String, lastLoad: Int64 = 0)
    }

    package private(set) var items: [Item] = []
    /// The durable events among the items, in their order.
    package private(set) var events: [StoredEvent] = []
    /// About how much memory the items need.
    private(set) var bytes = 0

    package init() {}

    package init(_ items: [Item]) {
        for item in items { append(item) }
    }

    package var isEmpty: Bool { items.isEmpty }

    package mutating func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes
        if case .event(let event) = item { events.append(event) }
    }

    /// How many events have no number yet.
    var unnumbered: Int { events.count { $0.seq == 0 } }

    /// The same with numbers for its events, counted on from `next`.
    func numbered(from next: inout Int64) -> Batch {
        guard unnumbered > 0 else { return self }
        var numbered = self
        numbered.events = []
        for index in items.indices {
            guard case .event(var event) = items[index] else { continue }
            if event.seq == 0 {
                event.seq = next
                next += 1
                numbered.items[index] = .event(event)
            }
            numbered.events.append(event)
        }
        return numbered
    }
}

extension Batch.Item {
    /// What an item needs beside its strings: a guess on the high side.
    private static let overhead = 256

    /// About how much memory it needs.
    var bytes: Int {
        switch self {
        case .event(let event): Self.overhead + event.event.approximateBytes
        case .observation(_, let observation):
            if case .title(let title?) = observation.outcome {
                Self.overhead + title.utf8.count
            } else {
                Self.overhead
            }
        case .state(_, let value), .definition(_, let value): Self.overhead + value.bytes.count
        case .backForwardList(_, let list): Self.overhead + Encoded.list(list).count
        case .lastGood(_, let record), .lastFailed(_, let record):
            Self.overhead + record.url.utf8.count + (record.title?.utf8.count ?? 0)
        case .loadNumber, .retire, .unretire, .pause, .forget: Self.overhead
        }
    }
}

/// A batch is on the disk.
package struct Receipt: Equatable, Sendable {
    /// What ``HistoryStore/submit(_:)`` answered for it.
    package var ticket: Int64
    /// What may be announced now, in order.
    package var events: [StoredEvent]
}
