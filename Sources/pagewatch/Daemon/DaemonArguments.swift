/// What `pagewatch daemon` was asked to do.
struct DaemonOptions: Equatable, Sendable {
    /// The main file; nil leaves it to the environment and the usual places.
    var config: String?
    /// The state folder; likewise, and the configuration may name it.
    var state: String?
    /// The path of the API's socket; nil leaves it to systemd, the environment and the usual places.
    var socket: String?
    var showsProgress = true
    /// Whether the targets of a drop-in folder that is missing are retired.
    var isForced = false

    /// The table of the options of `daemon`.
    static let groups = [
        OptionGroup<DaemonOptions>(
            title: "Service",
            options: [
                .text(
                    "config", "FILE",
                    "the main file; targets.d/*.yaml beside it are read too (default"
                        + " $PAGEWATCH_CONFIG, or else /etc/pagewatch/pagewatch.yaml)",
                    example: "pagewatch.yaml"
                ) { $0.config = $1 },
                .text(
                    "state", "DIR",
                    "the folder of the history (default $PAGEWATCH_STATE, $STATE_DIRECTORY, or"
                        + " else /var/lib/pagewatch)", example: "state"
                ) { $0.state = $1 },
                .text(
                    "socket", "PATH",
                    "the socket where the service is asked (default $PAGEWATCH_SOCKET, or else"
                        + " /run/pagewatch/control.sock or"
                        + " $XDG_RUNTIME_DIR/pagewatch/control.sock)", example: "control.sock"
                ) { $0.socket = $1 },
                .flag("force", "retire the targets of targets.d though that is missing") {
                    $0.isForced = true
                },
                .flag("no-progress", "no progress bars, even on a terminal") {
                    $0.showsProgress = false
                },
            ])
    ]
}

extension Command {
    /// `pagewatch daemon`.
    static let daemon = Command(
        name: "daemon",
        summary: "Watches the targets of the configuration, in the foreground, and tells their"
            + " title changes.",
        operands: "",
        groups: DaemonOptions.groups,
        notes: [
            "Each event is a line on standard output, once it is in the history. SIGTERM and SIGINT"
                + " end it: what runs is cancelled, the history is written. SIGUSR1 opens the log file"
                + " of the configuration anew; SIGHUP does, too, and has the configuration read"
                + " again.",
            "A reader of standard output that is slow loses lines, which are counted; one that goes"
                + " away does not end the service.",
        ],
        exitCodes: [
            (.fine, "ended as it was asked to"),
            (.unusable, "bad usage, or not all of the history could be written at the end"),
            (
                .notNow,
                "can't start now: another one holds the state folder or the socket, the disk is full"
                    + " or fails, or the system has no room; to be tried again"
            ),
            (
                .misconfigured,
                "a mistake in the configuration, a state folder that may not be used, or one of a"
                    + " later version; to be mended first"
            ),
        ],
        examples: [
            Example(
                text: "Try a configuration out",
                call: "pagewatch daemon --config pagewatch.yaml --state state")
        ],
        initial: DaemonOptions(),
        operand: { options, operand throws(UsageError) in
            throw UsageError("takes no operand (write \"pagewatch daemon --config FILE\")")
        },
        finish: { _ in },
        run: DaemonCommand.run)
}
