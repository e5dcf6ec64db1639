/// One request and its answer.
///
/// Input: the pieces of the request, from `HTTPServer`'s callbacks. Output: the whole request to the
/// handler, and the answer to libmicrohttpd.
final class Exchange {
    /// What is to be done with the connection now.
    enum Step: Equatable {
        /// Give control back to libmicrohttpd, which calls again.
        case readOn
        /// The request is whole: ask the handler.
        case ask
        case answer
        case sleep
        /// The connection is of no use any more.
        case drop
    }

    private enum Stage {
        case head, body, waiting, answered
        case over
    }

    /// A body that is too large is read (not kept) up to this many times its limit: a client that is
    /// cut off while it sends may never see the answer.
    private static let patience = 16

    private let target: [UInt8]
    private let limit: Int
    /// Nil once the connection has gone.
    private weak var connection: ClientConnection?
    private var stage = Stage.head
    private var method = ""
    private var headers: [String: String] = [:]
    private var parsed: RequestTarget?
    private var body: [UInt8] = []
    private var bytesReceived = 0
    private var waiting: Answer?
    /// Whether libmicrohttpd has noted that there is nothing to read until the answer comes. It does
    /// when it is neither answered nor put to sleep in a call; put to sleep at once, it would read when
    /// it wakes, and give up the connection of a client that has ended its sending.
    private var isSettled = false
    private(set) var stream: RunningStream?

    /// - Parameters:
    ///   - target: Of the request line, as it was sent.
    ///   - limit: Of the body, in bytes.
    init(target: [UInt8], limit: Int, connection: ClientConnection) {
        self.target = target
        self.limit = limit
        self.connection = connection
    }

    // MARK: The request

    /// Whether the head is still to be taken in.
    var awaitsHead: Bool { stage == .head }

    /// Takes in the head; an answer that is known by now comes before any of the body is read.
    func receive(
        method: String, headers: [String: String], refusal: Refusal?
    ) -> Step {
        self.method = method == "HEAD" ? "GET" : method
        self.headers = headers
        stage = .body
        do throws(Refusal) {
            if let refusal { throw refusal }
            parsed = try RequestTarget(target)
            let size = headers["content-length"].flatMap { Int($0) } ?? 0
            // One that asks before it sends can be told at once.
            if size > limit, headers["expect"] != nil || size > limit * Self.patience {
                throw tooLarge
            }
        } catch {
            return refuse(error)
        }
        return .readOn
    }

    /// Takes in a piece of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        bytesReceived += bytes.count
        if bytesReceived > limit {
            body = []
            return bytesReceived > limit * Self.patience ? .drop : .readOn
        }
        body.append(contentsOf: bytes)
        return .readOn
    }

    /// The request is whole, or the connection goes on after a sleep.
    func proceed() -> Step {
        switch stage {
        case .body where bytesReceived > limit: return refuse(tooLarge)
        case .body:
            stage = .waiting
            return .ask
        case .waiting where waiting != nil: return .answer
        case .waiting where connection?.isGone != false: return .drop
        case .waiting where !isSettled:
            isSettled = true
            return .readOn
        case .waiting: return .sleep
        case .head, .answered, .over: return .drop
        }
    }

    /// The request, for the handler.
    var request: Request {
        Request(
            method: method, path: parsed?.path ?? [],
            query: parsed?.query.map { ($0.name, $0.value) } ?? [], headers: headers, body: body)
    }

    private var tooLarge: Refusal {
        Refusal(
            .tooLarge, "tooLarge", "the request's body is larger than \(limit) bytes")
    }

    private func refuse(_ refusal: Refusal) -> Step {
        stage = .waiting
        waiting = Answer(refusal)
        return .answer
    }

    // MARK: The answer

    /// Whether an answer would still be sent.
    var awaitsAnswer: Bool {
        stage == .waiting && waiting == nil && connection?.isGone == false
    }

    /// Keeps the answer until libmicrohttpd takes it.
    ///
    /// - Returns: False if there was one, or the client has gone.
    @discardableResult
    func answer(_ answer: Answer) -> Bool {
        guard awaitsAnswer else { return false }
        waiting = answer
        if case .stream(let stream) = answer.content { self.stream = stream }
        body = []
        wake()
        return true
    }

    /// Hands the answer out, once.
    func takeAnswer() -> Answer? {
        defer { waiting = nil }
        if waiting != nil { stage = .answered }
        return waiting
    }

    /// Has libmicrohttpd look at the connection again, if it sleeps.
    func wake() { connection?.wake() }

    /// The answer was sent, or never will be.
    func finish() {
        stage = .over
        waiting = nil
        body = []
        let ended = stream
        stream = nil
        ended?.finish()
    }
}
