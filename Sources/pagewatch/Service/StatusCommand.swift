import Control
import Events
import Glibc

/// `pagewatch status`: how the service and its targets are.
enum StatusCommand {
    /// For an answer. Names are for a shell that completes a line: somebody waits for that.
    private static let patience = (answer: Duration.seconds(30), names: Duration.seconds(2))

    /// Prints it once, or again and again.
    static func run(_ options: ServiceOptions) -> ExitCode {
        do {
            let call = try ServiceCall("status", socket: options.socket)
            guard options.isWatching else { return once(call, options) }
            return try StatusScreen(call, request: { request(options, columns: $0) }).run()
        } catch let error as NoService {
            return WishCommand.refuse(error, "status")
        } catch {
            StandardError.write("pagewatch status: \(error)\n")
            return .unusable
        }
    }

    private static func once(_ call: ServiceCall, _ options: ServiceOptions) -> ExitCode {
        let output = StandardOutput()
        let columns = isatty(STDOUT_FILENO) == 1 ? TerminalSize.of(STDOUT_FILENO)?.columns : nil
        let reply = call.send(
            "GET", request(options, columns: columns), accept: options.accepted,
            timeout: options.isOfNames ? patience.names : patience.answer, to: output)
        guard let reply, reply.status < 400 else {
            return output.finish().combined(with: .unusable)
        }
        let isSick = reply.header("Pagewatch-Healthy") == "no"
        return output.finish().combined(with: isSick ? .pageFailed : .fine)
    }

    private static func request(_ options: ServiceOptions, columns: Int?) -> String {
        if options.isOfNames { return "/v1/targets" }
        var query: [String] = []
        if options.zone == .utc { query.append("utc=1") }
        guard options.operands.isEmpty else {
            return "/v1/targets/\(ServiceClient.escaped(options.target))"
                + (query.isEmpty ? "" : "?" + query[0])
        }
        if let columns { query.append("width=\(max(20, columns))") }
        let path = options.isJSON ? "/v1/targets" : "/v1/status"
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

extension Command {
    /// `pagewatch status`.
    static let status = Command(
        name: "status",
        summary: "Tells how the running service and its targets are, or all about one target.",
        operands: "[TARGET]",
        groups: [.service, .watching],
        exclusive: [["json", "watch", "names"]],
        notes: [
            "With --json and no target, an array of all targets. With --watch, q ends it.",
            places,
        ],
        exitCodes: [
            (.fine, "told"),
            (
                .pageFailed,
                "of one target: it is failing or retired, or its last good load is older than two"
                    + " intervals"
            ),
            (.unusable, "bad usage, no service, or no such target"),
        ],
        examples: [
            Example(text: "All targets", call: "pagewatch status"),
            Example(
                text: "One, for a script that relies on its title",
                call: "pagewatch status blog --json | jq -r .title"),
        ],
        initial: ServiceOptions(),
        operand: { options, operand throws(UsageError) in
            guard options.operands.isEmpty else {
                throw UsageError("\(quoted(operand)) is one target too many (write one, or none)")
            }
            guard !operand.isEmpty else {
                throw UsageError("the target is empty (write its name, or none for all)")
            }
            options.operands = [operand]
        },
        finish: { options throws(UsageError) in
            guard !options.isOfNames || options.operands.isEmpty else {
                throw UsageError("--names is about all targets (leave the target out)")
            }
            guard !options.isWatching || isatty(STDOUT_FILENO) == 1 else {
                throw UsageError("--watch needs a terminal (leave it out)")
            }
        },
        run: StatusCommand.run)
}
