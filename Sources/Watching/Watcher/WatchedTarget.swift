import Configuration
import History
import PageLoading
import PageModel
import WebAddress

/// A target as it is watched: what it is to be, and where it stands.
final class WatchedTarget {
    private(set) var definition: TargetDefinition
    private(set) var settings: LoadSettings
    /// ``state`` as it is stored: at rest a fifth of the size.
    private(set) var stateBytes: [UInt8]
    var page = Page()
    /// Its place in the schedule; nil while it is not enabled.
    var place: Schedule.ID?
    /// The number of its next load.
    var nextLoad: Int64
    var load: RunningLoad?
    /// Whether the schedule has handed it out while a user's load ran: its check comes after that.
    var isCheckDue = false
    /// Whether a user has gone elsewhere with its page, and no check has come since.
    var isBrowsed = false
    /// Who waits for its load to end.
    var waiters: [() -> Void] = []
    /// Of the loads so far, if they are kept; not over a restart.
    var cookies: [String] = []
    /// Why its last title was or was not told: one sentence.
    var explanation = ""
    /// When the last good check ended.
    var lastGood: Timestamp?
    /// That were told since the start.
    var titleChanges: Int64 = 0
    /// Patterns that reached their limit on its titles, which is told once.
    var costlyPatterns: [String] = []

    /// - Parameters:
    ///   - list: Of the page that was shown last; nil if none was.
    ///   - nextLoad: As the store says.
    init(
        _ definition: TargetDefinition, settings: LoadSettings, state: TargetState,
        list: BackForwardList?, nextLoad: Int64
    ) {
        self.definition = definition
        self.settings = settings
        stateBytes = state.encoded()
        if let list { page = Page(restoring: list) }
        self.nextLoad = nextLoad
    }

    /// Takes over what the configuration says now. A load that runs goes on as it began.
    func become(_ definition: TargetDefinition, settings: LoadSettings) {
        self.definition = definition
        self.settings = settings
        if !definition.settings.keepsCookies { cookies = [] }
    }

    /// Forgets all that was seen of it.
    func startOver() {
        state = TargetState()
        page = Page()
        cookies = []
        costlyPatterns = []
        explanation = ""
        lastGood = nil
        isBrowsed = false
    }

    /// Read from its bytes, and written to them, at each use.
    var state: TargetState {
        get { (try? TargetState(decoding: stateBytes)) ?? TargetState() }
        set { stateBytes = newValue.encoded() }
    }

    var name: String { definition.name }
    /// Whether it is to be loaded: it is enabled, and all that it has to send is known.
    var isLoaded: Bool { definition.settings.isEnabled && definition.missingSecrets.isEmpty }
    /// What limits go by: `host:port`.
    var host: String { definition.url.authority }
}

/// What a load of a target is for.
enum LoadPurpose {
    /// Due by the schedule: its result counts.
    case check(Schedule.ID)
    /// Wished for by a user: it moves the page and its list, and nothing else.
    case browse(Page.LoadKind, WebAddress)
}

/// A load of a target that is under way, or waits for its turn.
struct RunningLoad {
    let number: Int64
    let purpose: LoadPurpose
    /// Where it counts in the queue, whatever becomes of the target's URL.
    let host: String
    /// The load that it began over, if one ran.
    var superseded: SupersededLoad?
    /// What it began with, which it is judged by.
    var definition: TargetDefinition
    var settings: LoadSettings
    /// Nil while it waits.
    var load: PageLoad?
    var started: Timestamp
    /// When it was due, on the schedule's clock.
    let due: Duration
    /// What the request asked with.
    var sentValidators: Validators?
}

/// A load that another one began over.
struct SupersededLoad {
    let number: Int64
    /// How far it had come.
    let phase: LoadError.Phase
}
