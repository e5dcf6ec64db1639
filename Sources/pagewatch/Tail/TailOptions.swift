import Control
import Events
import History
import PageModel

/// What `tail` is asked for.
struct TailOptions: Sendable {
    /// Names; empty means all.
    var targets: [String] = []
    /// As it was written.
    var since: String?
    var kinds: [String] = []
    var isJSON = false
    var zone = TimeZoneStyle.local
    var showsProgress = true
    var cursorFile: String?
    var command: String?
    var socket: String?
}

extension Command {
    /// `pagewatch tail`.
    static let tail = Command(
        name: "tail",
        summary: "Follows what the running service tells, for ever, over its restarts too.",
        operands: "[TARGET...]",
        groups: TailOptions.groups,
        notes: [
            "Without targets, the events of all are told, and the service's own. As text, those that"
                + " the history keeps; with --json or --exec, all. On a terminal, what is loading"
                + " has bars below the lines.",
            "T is 2026-05-28T20:26:40Z, 2026-05-28 (with a time of day or not; local unless it says"
                + " otherwise), -2h, today, yesterday, @ and seconds since 1970, or seq:N: behind"
                + " the event with that number. Without it, what comes from now on is told.",
            "A cursor file has the number of the last event that was handled. Where it has one, tail"
                + " goes on behind it, and --since is ignored; it may be missing or empty at first.",
            "CMD runs for one event after the other, by /bin/sh. It has the event as JSON on"
                + " standard input and in PAGEWATCH_JSON, and its parts in PAGEWATCH_EVENT, _TARGET,"
                + " _SEQ, _TIME, _LOAD, _TITLE, _OLD_TITLE, _URL, _ERROR and _EVENT_STATE. While it"
                + " fails it is run again with the same event, at first after a second, in the end"
                + " every minute; the cursor moves when it ended with 0. docs/EVENTS.md has more.",
            "Without --socket, the service is looked for at $PAGEWATCH_SOCKET,"
                + " /run/pagewatch/control.sock and $XDG_RUNTIME_DIR/pagewatch/control.sock.",
        ],
        exitCodes: [
            (.unusable, "bad usage, no service, or output or cursor file can't be written"),
            (.interrupted, "Ctrl-C"),
            (.terminated, "SIGTERM"),
        ],
        examples: [
            Example(text: "Watch what happens", call: "pagewatch tail"),
            Example(
                text: "Each title that changed since yesterday",
                call: "pagewatch tail --since yesterday --event titleChanged --json | jq .to"),
            Example(
                text: "Mail each change, none left out",
                call: "pagewatch tail --event titleChanged --cursor-file cursor --exec"
                    + " 'mail -s \"$PAGEWATCH_TITLE\" me'"),
        ],
        initial: TailOptions(),
        operand: { options, operand throws(UsageError) in
            guard !operand.isEmpty else {
                throw UsageError("a target is empty (write its name, or none for all)")
            }
            options.targets.append(operand)
        },
        finish: { _ throws(UsageError) in },
        run: TailCommand.run)
}

extension TailOptions {
    static let groups = [
        OptionGroup<TailOptions>(
            title: "Events",
            options: [
                .text(
                    "since", "T", "begin with the events since then", example: "-2h",
                    check: { text throws(UsageError) in _ = try TailStart(since: text) }
                ) { $0.since = $1 },
                .text(
                    "event", "KIND", "events of that kind (docs/EVENTS.md lists them)",
                    example: "titleChanged", isRepeatable: true
                ) { $0.kinds.append($1) },
                .flag("durable", "those that the history keeps") { $0.kinds.append("durable") },
            ]),
        OptionGroup<TailOptions>(
            title: "Output",
            options: [
                .flag("json", "one JSON object a line") { $0.isJSON = true },
                .flag("utc", "times in UTC instead of the service's zone") { $0.zone = .utc },
                .flag("no-progress", "no bars on a terminal") { $0.showsProgress = false },
            ]),
        OptionGroup<TailOptions>(
            title: "Acting on events",
            options: [
                .text(
                    "exec", "CMD", "run CMD for each event instead of printing it",
                    example: "'cat >> changes'"
                ) { $0.command = $1 },
                .text(
                    "cursor-file", "FILE", "where it is kept how far events are handled",
                    example: "cursor"
                ) { $0.cursorFile = $1 },
            ]),
        OptionGroup<TailOptions>(
            title: "Service",
            options: [
                .text(
                    "socket", "PATH", "the service's socket",
                    example: "/run/pagewatch/control.sock"
                ) { $0.socket = $1 }
            ]),
    ]
}

/// Where a reader begins, in the words of the API's `since`.
struct TailStart: Equatable, Sendable {
    /// `seq:N`, or `@` and seconds.
    let since: String
    /// The number in it.
    let seq: Int64?

    private init(since: String, seq: Int64?) {
        self.since = since
        self.seq = seq
    }

    /// Behind an event.
    init(behind seq: Int64) {
        self.init(since: "seq:\(seq)", seq: seq)
    }

    /// What a person wrote: the number of an event, or a time, which stays the same moment from now
    /// on.
    init(since text: String) throws(UsageError) {
        if text.hasPrefix("seq:") {
            guard let seq = Int64(text.dropFirst(4)), (0..<Int64.max).contains(seq) else {
                throw UsageError(
                    "\(quoted(text)) is not the number of an event (write \"seq:120\")")
            }
            self.init(behind: seq)
            return
        }
        let time = try parsedTime(text, now: HistoryStore.systemTime())
        self.init(since: "@\(Double(time.milliseconds) / 1000)", seq: nil)
    }
}
