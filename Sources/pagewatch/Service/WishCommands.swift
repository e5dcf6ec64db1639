import Control
import Events

/// The commands that wish for something of a target: WebKit's loads, pauses, and the configuration.
enum WishCommand {
    /// Sends a wish about a target and prints what the target is then.
    ///
    /// - Parameter query: Parameters of the request, escaped, without `wait`.
    static func run(
        _ name: String, _ options: ServiceOptions, query: [String] = [], isLoad: Bool = false
    ) -> ExitCode {
        let output = StandardOutput()
        var query = query
        if isLoad, options.waits { query.append("wait=1") }
        if options.zone == .utc { query.append("utc=1") }
        let target =
            "/v1/targets/\(ServiceClient.escaped(options.target))/\(name)"
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        do throws(NoService) {
            let call = try ServiceCall(name, socket: options.socket)
            let reply = call.send(
                "POST", target, accept: options.accepted,
                timeout: isLoad && options.waits ? nil : .seconds(30), to: output)
            guard let reply, reply.status < 400 else {
                return output.finish().combined(with: .unusable)
            }
            let load = reply.header("Pagewatch-Load")
            guard load == "failed" || load == "cancelled" else { return output.finish() }
            output.flush()
            let problem = reply.header("Pagewatch-Error").map { ": " + escaped($0) } ?? ""
            let what = load == "failed" ? "the page failed" : "the page was not loaded"
            StandardError.write("pagewatch \(name): \(what)\(problem)\n")
            return output.finish().combined(with: .pageFailed)
        } catch {
            return output.finish().combined(with: refuse(error, name))
        }
    }

    /// Says on standard error why there is nobody to ask.
    static func refuse(_ error: NoService, _ command: String) -> ExitCode {
        StandardError.write("pagewatch \(command): \(error)\n")
        return .unusable
    }

    /// Has the configuration read again.
    static func reconfigure(_ options: ServiceOptions) -> ExitCode {
        let output = StandardOutput()
        do throws(NoService) {
            let call = try ServiceCall("reconfigure", socket: options.socket)
            let reply = call.send(
                "POST", "/v1/reconfigure" + (options.isForced ? "?force=1" : ""),
                accept: options.accepted, timeout: nil, to: options.isQuiet ? nil : output)
            guard let reply, reply.status < 400 else {
                return output.finish().combined(with: .unusable)
            }
            return output.finish()
        } catch {
            return output.finish().combined(with: refuse(error, "reconfigure"))
        }
    }
}

extension Command {
    static let places =
        "The service is looked for at --socket, $PAGEWATCH_SOCKET, /run/pagewatch/control.sock and"
        + " $XDG_RUNTIME_DIR/pagewatch/control.sock."

    private static let wishCodes: [(code: ExitCode, meaning: String)] = [
        (.fine, "done"),
        (.unusable, "bad usage, no service, or it can't be done"),
    ]
    private static let loadCodes: [(code: ExitCode, meaning: String)] = [
        (.fine, "loaded"), (.pageFailed, "the page failed, or its load was stopped"),
        (.unusable, "bad usage, no service, or it can't be done"),
    ]

    /// A command about one target.
    private static func wish(
        _ name: String, _ summary: String, operands: String = "TARGET", most: Int = 1,
        least: Int = 1, groups: [OptionGroup<ServiceOptions>] = [.service], notes: [String] = [],
        isLoad: Bool = false, missing: String? = nil, example: Example,
        query: @escaping @Sendable (ServiceOptions) -> [String] = { _ in [] },
        check: @escaping @Sendable (ServiceOptions) throws(UsageError) -> Void = {
            _ throws(UsageError) in
        }
    ) -> Command {
        Command(
            name: name, summary: summary, operands: operands, groups: groups,
            notes: notes + [places], exitCodes: isLoad ? loadCodes : wishCodes,
            examples: [example], initial: ServiceOptions(),
            operand: { options, operand throws(UsageError) in
                guard options.operands.count < most else {
                    throw UsageError("\(quoted(operand)) is one operand too many")
                }
                options.operands.append(operand)
            },
            finish: { options throws(UsageError) in
                guard options.operands.count >= least else {
                    throw UsageError(
                        missing ?? "\(operands) is wanted (write \"\(example.call)\")")
                }
                try check(options)
            },
            run: { WishCommand.run(name, $0, query: query($0), isLoad: isLoad) })
    }

    /// All commands that wish for something.
    static let wishes: [Command] = [
        wish(
            "reload", "Checks a target now; a page that a user has gone to is only shown anew.",
            groups: [.service, .loads], isLoad: true,
            missing: "no target given (write \"pagewatch reload blog\"; to read the configuration"
                + " again, \"pagewatch reconfigure\")",
            example: Example(text: "Check a target now", call: "pagewatch reload blog")),
        wish(
            "stop", "Stops what a target loads; a check that is stopped does not count.",
            missing: "no target given (write \"pagewatch stop blog\"; to stop the service,"
                + " \"systemctl stop pagewatch\")",
            example: Example(text: "Stop a load", call: "pagewatch stop blog")),
        wish(
            "load", "Shows another page in a target; the next check loads its own again.",
            operands: "TARGET [URL]", most: 2, groups: [.service, .loads],
            notes: [
                "It moves the page and its back-forward list, and no title is told of it. Without a"
                    + " URL the target's own page is shown."
            ], isLoad: true,
            example: Example(
                text: "Look at another page", call: "pagewatch load blog https://example.com/"),
            query: { options in
                options.operands.count > 1
                    ? ["url=" + ServiceClient.escaped(options.operands[1])] : []
            }),
        wish(
            "back", "Shows the page before the current one in a target's back-forward list.",
            groups: [.service, .loads], isLoad: true,
            example: Example(text: "Go back", call: "pagewatch back blog")),
        wish(
            "forward", "Shows the page after the current one in a target's back-forward list.",
            groups: [.service, .loads], isLoad: true,
            example: Example(text: "Go forward", call: "pagewatch forward blog")),
        wish(
            "go", "Shows the page so many places away in a target's back-forward list.",
            operands: "TARGET INDEX", most: 2, least: 2, groups: [.service, .loads],
            notes: ["-1 is the page before the current one, 1 the one after it."], isLoad: true,
            example: Example(text: "Go two pages back", call: "pagewatch go blog -2"),
            query: { ["index=" + ServiceClient.escaped($0.operands.last ?? "")] },
            check: { options throws(UsageError) in
                guard let index = Int(options.operands[1]), (-100...100).contains(index) else {
                    throw UsageError(
                        "\(quoted(options.operands[1])) is not an index (write -1 for the page"
                            + " before, 1 for the one after)")
                }
            }),
        wish(
            "pause", "Stops checking a target, until it is resumed or for a while.",
            groups: [.service, .pauses],
            example: Example(text: "Over the maintenance", call: "pagewatch pause blog --for 2h"),
            query: { options in
                options.span.map { ["seconds=\(max(1, $0.components.seconds))"] } ?? []
            }),
        wish(
            "resume", "Checks a paused target again.",
            example: Example(text: "Go on", call: "pagewatch resume blog")),
    ]

    /// `pagewatch reconfigure`.
    static let reconfigure = Command(
        name: "reconfigure",
        summary: "Has the service read its configuration again; returns when that is in force.",
        operands: "",
        groups: [.service, .force],
        notes: [
            "Each file is in force whole or not at all: the targets of one with a mistake stay as"
                + " they were. \"systemctl reload pagewatch\" and SIGHUP do the same, and tell in the"
                + " log.", places,
        ],
        exitCodes: [
            (.fine, "all that the files say is in force"),
            (.unusable, "mistakes, which are printed; bad usage, or no service"),
        ],
        examples: [Example(text: "After an edit", call: "pagewatch reconfigure")],
        initial: ServiceOptions(),
        operand: { _, _ throws(UsageError) in
            throw UsageError("takes no operand (write \"pagewatch reconfigure\")")
        },
        finish: { _ in },
        run: WishCommand.reconfigure)
}
