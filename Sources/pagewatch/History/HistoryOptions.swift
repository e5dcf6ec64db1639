import Events
import History
import PageModel

/// What `history` is asked for.
struct HistoryOptions: Sendable {
    /// Nil: the service's own events.
    var target: String?
    var limit: Int?
    /// As it was written.
    var since: String?
    /// Likewise.
    var time: String?
    var isJSON = false
    var state: String?
    var zone = TimeZoneStyle.local
}

/// What `forget` and `backup` are asked for.
struct StoreOptions: Sendable {
    /// The target, or the file.
    var operand: String?
    var state: String?
    /// `forget`: of the service that holds the state.
    var socket: String?
}

extension Command {
    private static let statePlaces =
        "Without --state, the state is looked for in $PAGEWATCH_STATE, $STATE_DIRECTORY,"
        + " /var/lib/pagewatch, and pagewatch within $XDG_STATE_HOME or ~/.local/state."

    /// `pagewatch history`.
    static let history = Command(
        name: "history",
        summary: "Prints what became of a target, oldest first, from the store in a state folder.",
        operands: "[TARGET]",
        groups: HistoryOptions.groups,
        exclusive: [["limit", "at"], ["since", "at"]],
        notes: [
            "Without a target, the service's own events are printed. The service may run or not.",
            "TIME is 2026-05-28T20:26:40Z, 2026-05-28 (with a time of day or not; local unless it"
                + " says otherwise), 2h or -2h (that long ago), today, yesterday or @ and seconds since"
                + " 1970.",
            statePlaces,
        ],
        exitCodes: [
            (.fine, "printed"),
            (.unusable, "bad usage, no store, or a target never seen"),
        ],
        examples: [
            Example(
                text: "The last ten events of a target", call: "pagewatch history blog --limit 10"),
            Example(
                text: "What happened since yesterday",
                call: "pagewatch history blog --since yesterday"
            ),
            Example(
                text: "Its title two days ago, and whether anybody was watching",
                call: "pagewatch history blog --at -2d"),
            Example(
                text: "All changes of a target's title",
                call: "pagewatch history blog --json | jq 'select(.event == \"titleChanged\")'"),
        ],
        initial: HistoryOptions(),
        operand: { options, operand throws(UsageError) in
            guard options.target == nil else {
                throw UsageError(
                    "\(quoted(operand)) is one target too many (write one, or none)")
            }
            options.target = operand
        },
        finish: { options throws(UsageError) in
            guard options.time == nil || options.target != nil else {
                throw UsageError("--at needs a target (write \"pagewatch history blog --at -2d\")")
            }
        },
        run: HistoryCommand.run)

    /// `pagewatch forget`.
    static let forget = Command(
        name: "forget",
        summary: "Removes all that is known of a target, and overwrites it in the file.",
        operands: "TARGET",
        groups: StoreOptions.groups + StoreOptions.serviceGroups,
        notes: [
            "If the service runs, it does it, and begins anew with a target that is still defined."
                + " Copies (backups, and those kept beside the store) are not touched.",
            statePlaces,
            places,
        ],
        exitCodes: [
            (.fine, "forgotten"),
            (.unusable, "bad usage, no store, or a target never seen"),
        ],
        examples: [
            Example(
                text: "Forget a target", call: "pagewatch forget blog --state /var/lib/pagewatch")
        ],
        initial: StoreOptions(),
        operand: { options, operand throws(UsageError) in try options.take(operand, "target") },
        finish: { options throws(UsageError) in
            try options.check("no target given (write \"pagewatch forget blog\")")
        },
        run: ForgetCommand.run)

    /// `pagewatch backup`.
    static let backup = Command(
        name: "backup",
        summary: "Copies the store to a new file, as it is at one moment.",
        operands: "FILE",
        groups: StoreOptions.groups,
        notes: [
            "The service may run. To put a copy back, stop the service, move history.db and the"
                + " files beside it whose names begin so away, and move the copy there.",
            statePlaces,
        ],
        exitCodes: [
            (.fine, "copied, and on the disk"),
            (.unusable, "bad usage, no store, or FILE is there or can't be written"),
        ],
        examples: [
            Example(
                text: "A copy a day", call: "pagewatch backup \"pagewatch-$(date +%F).db\"")
        ],
        initial: StoreOptions(),
        operand: { options, operand throws(UsageError) in try options.take(operand, "file") },
        finish: { options throws(UsageError) in
            try options.check("no file given (write \"pagewatch backup pagewatch.db\")")
        },
        run: BackupCommand.run)
}

extension HistoryOptions {
    static let groups = [
        OptionGroup<HistoryOptions>(
            title: "Events",
            options: [
                .count("limit", "only the newest N", in: 0...1_000_000_000, default: "all") {
                    $0.limit = $1
                },
                .text(
                    "since", "TIME", "only those since then", example: "-2h",
                    check: { text throws(UsageError) in
                        _ = try parsedTime(text, now: HistoryStore.systemTime())
                    }
                ) { $0.since = $1 },
                .text(
                    "at", "TIME", "instead, the title at that time and the loads around it",
                    example: "-2h",
                    check: { text throws(UsageError) in
                        _ = try parsedTime(text, now: HistoryStore.systemTime())
                    }
                ) { $0.time = $1 },
            ]),
        OptionGroup<HistoryOptions>(
            title: "Output",
            options: [
                .flag("json", "one JSON object a line") { $0.isJSON = true },
                .flag("utc", "times in UTC instead of the local zone") { $0.zone = .utc },
            ]),
        OptionGroup<HistoryOptions>(
            title: "State",
            options: [
                .text("state", "DIR", "the state folder", example: "/var/lib/pagewatch") {
                    $0.state = $1
                }
            ]),
    ]
}

extension StoreOptions {
    static let groups = [
        OptionGroup<StoreOptions>(
            title: "State",
            options: [
                .text("state", "DIR", "the state folder", example: "/var/lib/pagewatch") {
                    $0.state = $1
                }
            ])
    ]

    static let serviceGroups = [
        OptionGroup<StoreOptions>(
            title: "Service",
            options: [
                .text(
                    "socket", "PATH", "the service's socket",
                    example: "/run/pagewatch/control.sock"
                ) { $0.socket = $1 }
            ])
    ]

    /// Takes the one operand.
    fileprivate mutating func take(_ operand: String, _ kind: String) throws(UsageError) {
        guard self.operand == nil else {
            throw UsageError("\(quoted(operand)) is one \(kind) too many (write one)")
        }
        self.operand = operand
    }

    fileprivate func check(_ problem: String) throws(UsageError) {
        guard operand != nil else { throw UsageError(problem) }
    }
}
