import Configuration
import History
import PageLoading
import PageModel
import WebAddress

/// A target as it is watched: what it is to be, and where it stands.
final class WatchedTarget {
    let definition: TargetDefinition
    let settings: LoadSettings
    /// ``state`` as it is stored: at rest a fifth of the size.
    private(set) var stateBytes: [UInt8]
    private var pageAtRest = PageAtRest()
    /// Its place in the schedule; nil while it is not enabled.
    var place: Schedule.ID?
    /// The number of its next load.
    var nextLoad: Int64
    var load: RunningLoad?
    /// Of the loads so far, if they are kept; not over a restart.
    var cookies: [String] = []
    /// Why its last title was or was not told: one sentence.
    var explanation = ""

    init(
        _ definition: TargetDefinition, settings: LoadSettings, state: TargetState, nextLoad: Int64
    ) {
        self.definition = definition
        self.settings = settings
        stateBytes = state.encoded()
        self.nextLoad = nextLoad
    }

    /// Read from its bytes, and written to them, at each use.
    var state: TargetState {
        get { (try? TargetState(decoding: stateBytes)) ?? TargetState() }
        set { stateBytes = newValue.encoded() }
    }

    /// Likewise kept smaller between two loads. To be set when a load has ended; its events are not
    /// kept.
    var page: Page {
        get { Page(pageAtRest) }
        set { pageAtRest = newValue.atRest }
    }

    var name: String { definition.name }
    /// What limits go by: `host:port`.
    var host: String { definition.url.authority }
}

/// A load of a target that is under way, or waits for its turn.
///
/// A class, so that a target without one has no room for it.
final class RunningLoad {
    let number: Int64
    /// Nil while it waits.
    let load: PageLoad?
    let started: Timestamp
    /// What the request asked with.
    let sentValidators: Validators?

    init(
        number: Int64, load: PageLoad?, started: Timestamp, sentValidators: Validators? = nil
    ) {
        self.number = number
        self.load = load
        self.started = started
        self.sentValidators = sentValidators
    }
}
