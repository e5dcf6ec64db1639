/// Something that happened to a target over many loads, or to the service: kept in the history.
///
/// Where a ``PageEvent`` tells of one load as it runs, this is what a watcher concludes. The names
/// are the words of the events' `event` key.
package enum DurableEvent: Equatable, Sendable {
    /// The target's first confirmed title, or its first again after it came back.
    case firstSeen(title: String?, url: String, previous: SeenTitle?)
    case titleChanged(TitleChange)
    /// So many loads failed in a row; `since` is when the first of them did.
    case failing(error: LoadError, status: Int?, since: Timestamp)
    /// A good load after `failing`, whose facts are told again.
    case recovered(error: LoadError, status: Int?, since: Timestamp)
    /// The title goes to and fro among these, the oldest first.
    case oscillating(titles: [String?])
    case settled(titles: [String?])
    /// No title was ever shown often enough; the last four values.
    case unstable(titles: [String?])
    /// The title differs on the first load after our own side changed: no change of the page's.
    case rebased(from: String?, to: String?, because: String)
    /// The same bytes are read in another encoding.
    case encodingChanged(title: String?, encoding: String, previousEncoding: String)
    /// Checks that were due and did not run; `targets` counts them when it is for the whole service.
    case gap(since: Timestamp, until: Timestamp, reason: GapReason, targets: Int?)
    case service(ServiceEvent)

    /// The words of the events' `event` key.
    package enum Name: String, Sendable, CaseIterable {
        case firstSeen, titleChanged, failing, recovered, oscillating, settled, unstable, rebased,
            encodingChanged, gap, service
    }

    /// The word of this event.
    package var name: Name {
        switch self {
        case .firstSeen: .firstSeen
        case .titleChanged: .titleChanged
        case .failing: .failing
        case .recovered: .recovered
        case .oscillating: .oscillating
        case .settled: .settled
        case .unstable: .unstable
        case .rebased: .rebased
        case .encodingChanged: .encodingChanged
        case .gap: .gap
        case .service: .service
        }
    }
}

/// A moment of the wall clock, in milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }
}

/// A title and when a load last showed it.
package struct SeenTitle: Equatable, Sendable {
    package var title: String?
    package var time: Timestamp

    package init(title: String?, time: Timestamp) {
        self.title = title
        self.time = time
    }
}

/// A confirmed change of a target's title: the product's headline.
package struct TitleChange: Equatable, Sendable {
    package var from: String?
    package var to: String?
    /// The final URL of the load that showed `to`.
    package var url: String
    package var initialURL: String
    /// The last load that showed `from`.
    package var lastSeen: Timestamp
    /// The first load that showed `to`.
    package var firstShown: Timestamp
    /// The final URL before, if it changed too.
    package var fromURL: String?

    package init(
        from: String?, to: String?, url: String, initialURL: String, lastSeen: Timestamp,
        firstShown: Timestamp, fromURL: String?
    ) {
        self.from = from
        self.to = to
        self.url = url
        self.initialURL = initialURL
        self.lastSeen = lastSeen
        self.firstShown = firstShown
        self.fromURL = fromURL
    }
}

/// Why checks that were due did not run.
package enum GapReason: String, Sendable, CaseIterable {
    case stopped, overloaded, overrun, offline, asleep
}

/// Something that happened to the service itself.
package struct ServiceEvent: Equatable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        case started, stopping, reconfigured, refused, storeTrouble, offline, online, paused
        case resumed
    }

    package var state: State
    package var version: String
    /// Names of targets.
    package var added: [String]
    package var removed: [String]
    package var changed: [String]
    package var message: String?

    package init(
        state: State, version: String, added: [String] = [], removed: [String] = [],
        changed: [String] = [], message: String? = nil
    ) {
        self.state = state
        self.version = version
        self.added = added
        self.removed = removed
        self.changed = changed
        self.message = message
    }
}
