import PageModel

/// A durable event with its envelope, as it goes into the store and comes out of it.
package struct StoredEvent: Equatable, Sendable {
    /// This, never the time, is the order. 0 for an event on its way to the disk: it gets its number
    /// from the transaction that writes it.
    package var seq: Int64
    package var time: Timestamp
    /// The target's name; nil for the service.
    package var target: String?
    /// The number of the load among those of its target; nil when about none.
    package var load: Int64?
    package var event: DurableEvent

    package init(
        seq: Int64 = 0, time: Timestamp, target: String?, load: Int64?, event: DurableEvent
    ) {
        self.seq = seq
        self.time = time
        self.target = target
        self.load = load
        self.event = event
    }
}

/// What one load of a target showed, told or not.
package struct Observation: Equatable, Sendable {
    /// What there was to see.
    package enum Outcome: Equatable, Sendable {
        /// A good load with this title.
        case title(String?)
        /// A failed load: it neither adds to a run of a title nor ends one.
        case failed
    }

    package var load: Int64
    package var started: Timestamp
    package var ended: Timestamp
    package var outcome: Outcome
    /// Whether this title is the confirmed one by now.
    package var isTold: Bool

    package init(
        load: Int64, started: Timestamp, ended: Timestamp, outcome: Outcome, isTold: Bool
    ) {
        self.load = load
        self.started = started
        self.ended = ended
        self.outcome = outcome
        self.isTold = isTold
    }
}

/// Loads in a row that showed one title.
package struct TitleRun: Equatable, Sendable {
    package var title: String?
    /// When the first and the last load of the run ended.
    package var first: Timestamp
    package var last: Timestamp
    package var count: Int64
    /// Whether the title was a confirmed one.
    package var isTold: Bool

    package init(title: String?, first: Timestamp, last: Timestamp, count: Int64, isTold: Bool) {
        self.title = title
        self.first = first
        self.last = last
        self.count = count
        self.isTold = isTold
    }
}

/// The facts of a load that are kept until the next of its kind.
package struct LoadRecord: Equatable, Sendable {
    package var load: Int64
    package var started: Timestamp
    package var ended: Timestamp
    /// The last URL that was tried, without user information.
    package var url: String
    package var status: Int?
    package var title: String?
    package var bytes: Int64?
    /// Nil for a good load.
    package var error: LoadError?

    package init(
        load: Int64, started: Timestamp, ended: Timestamp, url: String, status: Int?,
        title: String?, bytes: Int64?, error: LoadError?
    ) {
        self.load = load
        self.started = started
        self.ended = ended
        self.url = url
        self.status = status
        self.title = title
        self.bytes = bytes
        self.error = error
    }
}

/// A value of the owner's that the store keeps and does not look into.
package struct VersionedBytes: Equatable, Sendable {
    package var version: Int
    package var bytes: [UInt8]

    package init(version: Int, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }
}

/// A target's checks stand still.
package struct Pause: Equatable, Sendable {
    package var since: Timestamp
    /// Nil: until it is resumed.
    package var until: Timestamp?

    package init(since: Timestamp, until: Timestamp?) {
        self.since = since
        self.until = until
    }
}

/// All that is kept of a target beside its events and titles: what a start goes on from.
package struct StoredTarget: Equatable, Sendable {
    package var name: String
    /// The number of the target's next load: higher than any that was ever given to one, also to
    /// one that a crash cut off.
    package var nextLoad: Int64
    /// When the last load began, as far as is stored: the next is due an interval later.
    package var lastStart: Timestamp?
    package var retired: Timestamp?
    package var pause: Pause?
    /// The last good definition.
    package var definition: VersionedBytes?
    /// What the change rules go on from.
    package var state: VersionedBytes?
    package var backForwardList: BackForwardList?
    package var lastGood: LoadRecord?
    package var lastFailed: LoadRecord?
    /// Events and titles of this target that retention has dropped.
    package var dropped: Int64

    package init(name: String, nextLoad: Int64) {
        self.name = name
        self.nextLoad = nextLoad
        dropped = 0
    }
}
