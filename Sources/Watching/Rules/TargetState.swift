import PageModel

/// All of a target that must outlive a restart: what was told, and what is on its way to be told.
///
/// ``ChangeRule`` makes the next one of it with every load; it is stored before the next load
/// begins. At rest most of it is empty.
package struct TargetState: Equatable, Sendable {
    /// The title that was last told, and the loads that showed it.
    var told: ToldTitle?
    /// The last good loads in a row that showed the same title.
    var run: TitleRun?
    /// The last failed loads in a row.
    var failures: FailureRun?
    /// The last changes that were told, at most three, within ``ChangeRule/window`` good loads.
    var switches: [TitleSwitch] = []
    /// The titles that the page goes to and fro among, once that is told.
    var oscillation: [String?]?
    /// Good loads since a title was last confirmed.
    var unconfirmed = 0
    /// The last different titles since then, at most four.
    var unconfirmedTitles: [String?] = []
    var isUnstableTold = false
    /// Good loads ever.
    var goodLoads: UInt64 = 0
    /// A title, not null, was told once.
    var hasHadTitle = false
    /// Our own side at the last load.
    var ownSide: OwnSide?
    /// What was changed of it since a title was last seen.
    var edits: Edits = []
    /// The target was retired and is back: its next title is a first one again.
    var isBack = false
    /// The answer that a 304 would repeat.
    var validated: ValidatedAnswer?
    /// What the next load is for.
    package internal(set) var nextCheck = NextCheck.regular
    /// When the last load began.
    package var lastStart: Timestamp?
    package var pause: Pause?

    /// The state of a target that was never loaded.
    package init() {}

    /// The title that was last told, if any was.
    package var title: SeenTitle? {
        told.map { SeenTitle(title: $0.title, time: $0.lastSeen) }
    }

    /// Whether `failing` was told and no good load came since.
    package var isFailing: Bool { failures?.isTold ?? false }

    /// Why and since when the target fails, as it was told; nil unless it was.
    package var toldFailure: (error: LoadError, since: Timestamp)? {
        failures.flatMap { $0.isTold ? ($0.error, $0.first) : nil }
    }

    /// Whether it was told that no title stays long enough, and none has since.
    package var isUnstable: Bool { isUnstableTold }

    /// How many loads in a row failed until now.
    package var failedLoads: Int { failures?.count ?? 0 }

    /// How many loads failed since `failing` is told, that one counted: what `backoff_max` goes by.
    package func failingLoads(_ rules: Rules) -> Int {
        isFailing ? max(1, failedLoads - rules.failures + 1) : 0
    }

    /// Whether the page is known to go to and fro among a few titles.
    package var isOscillating: Bool { oscillation != nil }

    /// What the next load may ask with: nothing after a failure or an edit, or when confirming.
    package func validators(for ownSide: OwnSide) -> Validators? {
        guard nextCheck == .regular, failures == nil, unconfirmed == 0, self.ownSide == ownSide
        else { return nil }
        return validated?.validators
    }

    /// Takes the target in again after it was retired: its next title is a first one.
    package mutating func comeBack() {
        isBack = told != nil
        startOver()
        failures = nil
        nextCheck = .regular
    }

    /// Takes back failures that were counted before the watcher knew that it was cut off itself.
    ///
    /// - Parameter start: When that began. What was told stays told.
    package mutating func forgetFailures(since start: Timestamp) {
        guard let failures, !failures.isTold, failures.first >= start else { return }
        self.failures = nil
        if nextCheck == .retry { nextCheck = .regular }
    }

    /// Drops all that loads before have gathered but not told.
    mutating func startOver() {
        run = nil
        switches = []
        unconfirmed = 0
        unconfirmedTitles = []
        isUnstableTold = false
        validated = nil
        if isBack { oscillation = nil }
    }
}

/// A title that was told, and what the loads that showed it had.
struct ToldTitle: Equatable, Sendable {
    /// As it was told; a load may have shown another since that is the same by the rules.
    var title: String?
    /// Of the last load that showed it, as is the rest.
    var url: String
    var lastSeen: Timestamp
    var encoding: String?
    var bytes: TitleBytes?
}

/// Good loads in a row that showed the same title.
struct TitleRun: Equatable, Sendable {
    /// As the last of them showed it.
    var title: String?
    var count: Int
    var first: Timestamp
}

/// Failed loads in a row.
struct FailureRun: Equatable, Sendable {
    var count: Int
    /// When the first of them ended.
    var first: Timestamp
    /// Of the last of them; once told, as told.
    var error: LoadError
    var status: Int?
    var isTold: Bool
}

/// A change that was told.
struct TitleSwitch: Equatable, Sendable {
    var from: String?
    /// The number of the good load that confirmed it.
    var load: UInt64
}

/// The good answer whose validators the next load may send: what a 304 repeats.
struct ValidatedAnswer: Equatable, Sendable {
    var validators: Validators
    var title: String?
    var url: String
    var encoding: String?
    var bytes: TitleBytes?
}

/// What a target's next load is for, which decides how soon it comes.
package enum NextCheck: UInt8, Sendable {
    /// After the interval.
    case regular
    /// To see a new title again, after `confirm_interval`.
    case confirm
    /// To see whether it fails again, after `retry_interval`.
    case retry
}

/// For how long a target is not loaded on schedule.
package enum Pause: Equatable, Sendable {
    case untilResumed
    case until(Timestamp)
}
