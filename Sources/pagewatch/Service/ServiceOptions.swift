import Events

/// What a command that asks the service is asked for.
struct ServiceOptions: Sendable {
    /// The target, and what stands behind it.
    var operands: [String] = []
    var socket: String?
    var isJSON = false
    var zone = TimeZoneStyle.local
    /// Whether the answer comes once the load has ended.
    var waits = true
    /// `pause`: for how long; nil means until it is resumed.
    var span: Duration?
    /// `reconfigure`: whether more than half of the targets may go.
    var isForced = false
    /// `reconfigure`: whether it leaves the answer to the service's log.
    var isQuiet = false
    /// `status`: whether it is shown again and again.
    var isWatching = false
    /// `status`: whether the names of the targets are all that is wanted.
    var isOfNames = false

    var target: String { operands.first ?? "" }

    /// How the command asks for its answer.
    var accepted: String { isJSON ? "application/json" : "text/plain" }
}

extension OptionGroup where Options == ServiceOptions {
    private static let socket = Option<ServiceOptions>.text(
        "socket", "PATH", "the service's socket", example: "/run/pagewatch/control.sock"
    ) { $0.socket = $1 }
    private static let json = Option<ServiceOptions>.flag("json", "the answer in JSON") {
        $0.isJSON = true
    }
    private static let utc = Option<ServiceOptions>.flag(
        "utc", "times in UTC instead of the service's zone"
    ) { $0.zone = .utc }

    /// Where the service is, and how it answers.
    static let service = OptionGroup(title: "Service", options: [socket, json, utc])

    static let loads = OptionGroup(
        title: "Load",
        options: [
            .flag("no-wait", "do not wait for the load to end") { $0.waits = false }
        ])

    static let pauses = OptionGroup(
        title: "Pause",
        options: [
            .duration("for", "how long (default until it is resumed)", example: "2h") {
                $0.span = $1
            }
        ])

    static let watching = OptionGroup(
        title: "Status",
        options: [
            .flag("watch", "show it again each second, until q is pressed") {
                $0.isWatching = true
            },
            .flag("names", "the names of the targets alone, one a line") { $0.isOfNames = true },
        ])

    static let force = OptionGroup(
        title: "Configuration",
        options: [
            .flag("force", "also if more than half of the targets, or targets.d, are gone") {
                $0.isForced = true
            },
            .flag("quiet", short: "q", "leave what changed, and mistakes, to the service's log") {
                $0.isQuiet = true
            },
        ])
}
