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
    /// Of ``state``, for those who look at all targets.
    var isFailing: Bool { condition == .failing }
    private var pageAtRest = PageAtRest()
    /// Its place in the schedule; nil while it is not enabled.
    var place: Schedule.ID?
    /// ``state`` in a word: all are counted at each request for the service's status.
    private(set) var condition: TargetView.State
    /// Whether the schedule has handed it out while a user's load ran: its check comes after that.
    var isCheckDue = false
    /// Whether a user has gone elsewhere with its page, and no check has come since.
    var isBrowsed = false
    /// The number of the last configuration that had it.
    var reading: UInt32 = 0
    /// The number of its next load.
    var nextLoad: Int64
    var load: RunningLoad?
    /// That were told since the start.
    var titleChanges: Int32 = 0
    /// When the last good check ended.
    var lastGood: Timestamp?
    /// How long the service was up by then, in seconds of a clock that nobody sets; 0 if no check of
    /// this run was good.
    var lastGoodAge: Int32 = 0
    /// Why its last title was or was not told: one sentence.
    var explanation = ""
    private var rare: RareFacts?

    /// What few targets have, and those only now and then.
    private final class RareFacts {
        var waiters: [(LoadResult?) -> Void] = []
        var cookies: [String] = []
        var costlyPatterns: [String] = []
        var isEmpty: Bool { waiters.isEmpty && cookies.isEmpty && costlyPatterns.isEmpty }
    }

    /// Who waits for its load to end; told how it did, with nil if it never began.
    var waiters: [(LoadResult?) -> Void] {
        get { rare?.waiters ?? [] }
        set { set(newValue.isEmpty) { $0.waiters = newValue } }
    }

    /// Of the loads so far, if they are kept; not over a restart.
    var cookies: [String] {
        get { rare?.cookies ?? [] }
        set { set(newValue.isEmpty) { $0.cookies = newValue } }
    }

    /// Patterns that reached their limit on its titles, which is told once.
    var costlyPatterns: [String] {
        get { rare?.costlyPatterns ?? [] }
        set { set(newValue.isEmpty) { $0.costlyPatterns = newValue } }
    }

    private func set(_ isEmpty: Bool, _ body: (RareFacts) -> Void) {
        if isEmpty, rare == nil { return }
        let facts = rare ?? RareFacts()
        body(facts)
        rare = facts.isEmpty ? nil : facts
    }

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
        condition = state.condition
        if let list { pageAtRest = PageAtRest(showing: list) }
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
        lastGoodAge = 0
        isBrowsed = false
    }

    /// Read from its bytes, and written to them, at each use.
    var state: TargetState {
        get { (try? TargetState(decoding: stateBytes)) ?? TargetState() }
        set {
            stateBytes = newValue.encoded()
            condition = newValue.condition
        }
    }

    /// Likewise kept smaller between two loads. To be set when a load has ended; its events are not
    /// kept.
    var page: Page {
        get { Page(pageAtRest) }
        set { pageAtRest = newValue.atRest }
    }

    /// Its page, also in the middle of a load.
    var pageNow: Page { load?.load?.page ?? load?.superseded?.page ?? page }

    /// Whether what is shown is the answer that the validators are of: after a restart it may be a
    /// page that a user had gone to.
    var showsValidatedAnswer: Bool {
        guard let answer = state.validated, let shown = page.backForwardList.currentItem else {
            return false
        }
        return isSame(answer.url, shown.url) && isSame(answer.title, shown.title)
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
///
/// A class, so that a target without one has no room for it.
final class RunningLoad {
    let number: Int64
    let purpose: LoadPurpose
    /// Where it counts in the queue, whatever becomes of the target's URL.
    let host: String
    /// When it was due, on the schedule's clock.
    let due: Duration
    /// The load that it began over, if one ran.
    let superseded: SupersededLoad?
    /// What it began with, which it is judged by.
    var definition: TargetDefinition
    var settings: LoadSettings
    var started: Timestamp
    /// Nil while it waits.
    var load: PageLoad?
    /// What the request asked with.
    var sentValidators: Validators?

    init(
        number: Int64, purpose: LoadPurpose, host: String, due: Duration,
        superseded: SupersededLoad?, definition: TargetDefinition, settings: LoadSettings,
        started: Timestamp
    ) {
        self.number = number
        self.purpose = purpose
        self.host = host
        self.due = due
        self.superseded = superseded
        self.definition = definition
        self.settings = settings
        self.started = started
    }
}

/// A load that another one began over.
struct SupersededLoad {
    let number: Int64
    /// How far it had come.
    let phase: LoadError.Phase
    /// In the middle of it.
    let page: Page
}
