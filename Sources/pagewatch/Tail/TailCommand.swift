import Control
import Events
import Glibc

/// `pagewatch tail`: finds the service and where to begin, then follows.
enum TailCommand {
    /// For an answer before the events begin.
    private static let patience = Duration.seconds(30)

    /// Follows until it is ended, or says why it can't.
    static func run(_ options: TailOptions) -> ExitCode {
        do {
            let file = try options.cursorFile.map { path throws(UsageError) in
                try CursorFile(path: path)
            }
            let known = try file?.read()
            let paths = ServiceSearch.candidates(named: options.socket) { name in
                getenv(name).map { String(cString: $0) }
            }
            let path = try ServiceSearch.served(paths)
            let client = ServiceClient(path: path)
            // The stream itself takes any name: a target may come later. Whoever types one means
            // one that is there.
            for name in options.targets {
                _ = try answer(of: client, "/v1/targets/\(ServiceClient.escaped(name))")
            }
            let start = try start(options, known: known, client)
            return try Tail(options, path: path, start: start, cursorFile: file).run()
        } catch {
            let problem = (error as? UsageError)?.message ?? escaped("\(error)")
            StandardError.write("pagewatch tail: \(problem)\n")
            return .unusable
        }
    }

    /// Behind what is known to be handled; else where the user wants to begin; else now, as a
    /// number, which holds however often the connection is lost before the first event.
    private static func start(
        _ options: TailOptions, known: Int64?, _ client: ServiceClient
    ) throws -> TailStart {
        if let known { return TailStart(behind: known) }
        if let since = options.since { return try TailStart(since: since) }
        let fields = JSONFields(try answer(of: client, "/v1/status")[...])
        guard let next = fields?.number("nextEvent") else {
            throw UsageError("the service does not tell its last event (is it of another version?)")
        }
        return TailStart(behind: max(0, next - 1))
    }

    private static func answer(of client: ServiceClient, _ target: String) throws -> [UInt8] {
        var body: [UInt8] = []
        let reply = try client.send("GET", target, timeout: patience) {
            body += $0
            return true
        }
        guard reply.status < 400 else { throw UsageError(message(ofRefusal: reply.errorBody)) }
        return body
    }

    /// The word for programs in the body of an answer that is an error.
    static func code(ofRefusal body: [UInt8]) -> String? {
        JSONFields(body[...])?.fields("error")?.string("code")
    }

    /// What the service says in the body of an answer that is an error.
    static func message(ofRefusal body: [UInt8]) -> String {
        let error = JSONFields(body[...])?.fields("error")
        return escaped(error?.string("message") ?? "the service's answer is an error without words")
    }
}
