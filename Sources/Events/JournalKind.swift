import PageModel

/// How much a message matters, in the numbers of syslog(3).
package enum Priority: Int, Sendable {
    /// The service's own trouble: somebody should do something.
    case error = 3
    case warning
    case notice
    case info
}

/// A kind of message that the journal is given: its identifier for ever, and how much it matters.
///
/// `systemd/pagewatch.catalog` explains each to `journalctl -x`, and `docs/SERVICE.md` lists them.
package struct JournalKind: Equatable, Sendable {
    /// The word of the events' `event` key, for the service's own of their `state` key.
    package let name: String
    /// `MESSAGE_ID`: 128 bits, drawn once.
    package let id: String
    package let priority: Priority

    private init(_ name: String, _ id: String, _ priority: Priority = .info) {
        self.name = name
        self.id = id
        self.priority = priority
    }

    static let firstSeen = JournalKind("firstSeen", "888794a640124cb2ac781f1faf5309ba")
    static let titleChanged = JournalKind(
        "titleChanged", "41ebb886fb0d4496b10f5edf961f0ca3", .notice)
    static let failing = JournalKind("failing", "4c68f9b3217b4680bc95102341d14f6d", .warning)
    static let recovered = JournalKind("recovered", "cd0e6f713cfc469ba5828f7c12f04051")
    static let oscillating = JournalKind("oscillating", "f97c505a17d54493bbef8dea3d5a14ec", .notice)
    static let settled = JournalKind("settled", "cfcc2b7c5f994541ba5dbc462cf1f8e0")
    static let unstable = JournalKind("unstable", "97f2e7be74e147cd8ef3ee747f2f4c22", .notice)
    static let rebased = JournalKind("rebased", "84a4019a4a224a7f97af0c292cd8dd2d")
    static let encodingChanged = JournalKind("encodingChanged", "d15798ee79894beeb07c341d2298acb1")
    /// Checks that did not run though the service did: somebody should make room for them.
    static let overload = JournalKind("gap", gap.id, .warning)
    static let gap = JournalKind("gap", "bc387d1cd55246349b87bdd7c896b234")
    static let started = JournalKind("started", "f23e7b656b9f45d28e29004ef5bf8098")
    static let stopping = JournalKind("stopping", "4af82565f770494183e2029559c1b8d6")
    static let reconfigured = JournalKind("reconfigured", "9fb3ce6e3c2348e08a46108223de2755")
    package static let refused = JournalKind("refused", "5e6d8a2b0c5b427b844675bfbc1187bd", .error)
    static let storeTrouble = JournalKind(
        "storeTrouble", "91b20839ca6a4e16a316c834a7d3acca", .error)
    static let offline = JournalKind("offline", "94dbdd0eb1c64828a01e6dcc09e89181", .warning)
    static let online = JournalKind("online", "b95c7bdd56ea43fb8cefd45c99264d9e")
    static let paused = JournalKind("paused", "197e52e870824f218958097a26d00619")
    static let resumed = JournalKind("resumed", "17c7ea196fca443da67992d73bc44550")
    /// No event: there is no history to keep it in.
    package static let startFailed = JournalKind(
        "startFailed", "ea65c8d4085a4572bdcaa130edcf9cc4", .error)
    /// No event: a word to the operator, which says itself how much it matters.
    package static let remark = JournalKind("remark", "4fa6e58d102e4021af333c7e3839ff17")

    /// All of them.
    package static let all = [
        firstSeen, titleChanged, failing, recovered, oscillating, settled, unstable, rebased,
        encodingChanged, gap, started, stopping, reconfigured, refused, storeTrouble, offline,
        online, paused, resumed, startFailed, remark,
    ]
}

extension DurableEvent {
    /// What the journal takes it for.
    var journalKind: JournalKind {
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
        case .gap(_, _, .overloaded, _), .gap(_, _, .overrun, _): .overload
        case .gap: .gap
        case .service(let event): event.state.journalKind
        }
    }
}

extension ServiceEvent.State {
    fileprivate var journalKind: JournalKind {
        switch self {
        case .started: .started
        case .stopping: .stopping
        case .reconfigured: .reconfigured
        case .refused: .refused
        case .storeTrouble: .storeTrouble
        case .offline: .offline
        case .online: .online
        case .paused: .paused
        case .resumed: .resumed
        }
    }
}
