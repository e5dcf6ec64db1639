import Control
import Glibc
import Reactor
import TestSupport

/// An HTTP server on a loop of its own, which answers as the tests ask it to.
///
/// `/echo` answers with the request, `/later` when ``release()`` is called, `/stream` streams what
/// ``push(_:)`` is given, `/flood` streams for ever, `/big?n` answers with so many bytes,
/// `/forget` never answers.
actor Service: LoopActor {
    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    let loop: EventLoop
    private(set) var isDone = false
    /// Turns of the loop since ``resetTurns()``.
    private(set) var turns = 0
    /// Requests that reached the handler.
    private(set) var handled = 0
    /// Streams that were told of their end.
    var ended: Int { streams.reduce(endedBefore) { $0 + $1.ends } }
    /// Bytes that the sources of endless streams were asked for.
    var flooded: Int { streams.reduce(0) { $0 + $1.flooded } }

    nonisolated let folder: TemporaryFolder
    nonisolated var path: String { folder.file("socket") }
    private(set) var port: UInt16?
    private var server: HTTPServer?
    private var waiting: [Responder] = []
    private var streams: [TestStream] = []
    private var endedBefore = 0
    private var waiters: [(isSo: (isolated Service) -> Bool, tell: () -> Void)] = []

    init() throws {
        executor = try LoopExecutor()
        loop = try EventLoop(executor: executor)
        folder = try TemporaryFolder()
    }

    /// A running one on a Unix socket in a folder of its own, or on a port of loopback.
    static func start(
        limits: HTTPServer.Limits = HTTPServer.Limits(), onPort: Bool = false
    ) async throws -> Service {
        let service = try Service()
        try LoopThread.start(service)
        try await service.serve(limits, onPort: onPort)
        return service
    }

    private func serve(_ limits: HTTPServer.Limits, onPort: Bool) throws {
        let socket =
            onPort
            ? try ListeningSocket(host: "127.0.0.1", port: 0) : try ListeningSocket(path: path)
        port = socket.port
        loop.atTurnEnd {
            self.turns += 1
            self.tellWaiters()
        }
        server = try HTTPServer(loop: loop, socket: socket, limits: limits) { request, responder in
            self.handle(request, responder)
        }
    }

    private func handle(_ request: Request, _ responder: Responder) {
        handled += 1
        switch request.path.first {
        case "later": waiting.append(responder)
        case "stream", "flood":
            let stream = TestStream(isEndless: request.path.first == "flood")
            streams.append(stream)
            stream.handle = responder.stream(contentType: "text/plain", source: stream)
        case "big":
            let count = request.query.first.flatMap { Int($0.name) } ?? 0
            responder.respond(
                contentType: "text/plain", body: [UInt8](repeating: UInt8(ascii: "b"), count: count)
            )
        case "forget": break
        case "close":
            close()
            responder.respond(contentType: "text/plain", body: [])
        default: responder.respond(contentType: "text/plain", body: Array(echo(request).utf8))
        }
    }

    private func echo(_ request: Request) -> String {
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        return "\(request.method) \(request.path.joined(separator: "|")) ?\(query)"
            + " \(request.headers["x-test"] ?? "-") \(String(decoding: request.body, as: UTF8.self))\n"
    }

    /// Waits until something is so at a turn's end; the test's time limit ends a wait in vain.
    func wait(until isSo: @escaping @Sendable (isolated Service) -> Bool) async {
        if isSo(self) { return }
        await withCheckedContinuation { continuation in
            waiters.append((isSo, { continuation.resume() }))
        }
    }

    private func tellWaiters() {
        let all = waiters
        waiters = []
        for waiter in all {
            if waiter.isSo(self) { waiter.tell() } else { waiters.append(waiter) }
        }
    }

    // MARK: What tests ask of it

    var connections: Int { server?.connections ?? 0 }
    var waitingRequests: Int { waiting.count }

    func resetTurns() { turns = 0 }

    /// Answers all `/later` requests.
    func release() {
        let all = waiting
        waiting = []
        for responder in all {
            responder.respond(
                status: 202, contentType: "text/plain", body: Array("later\n".utf8),
                headers: [("X-Answer", "late")])
        }
    }

    /// Whether the first `/later` request still wants an answer.
    var firstIsOpen: Bool? { waiting.first?.isOpen }

    /// Forgets `/later` requests and streams that are over.
    func forget() {
        waiting = []
        endedBefore = ended
        streams = []
    }

    /// Gives all streams something, or their end.
    func push(_ text: String?) {
        for stream in streams { stream.push(text) }
    }

    func close() { server?.close() }

    func stop() {
        server?.close()
        isDone = true
    }
}

/// The other end of a `/stream` request.
private final class TestStream: StreamSource {
    var handle: StreamHandle?
    private(set) var ends = 0
    private(set) var flooded = 0
    private let isEndless: Bool
    private var chunks: [StreamChunk] = []

    init(isEndless: Bool) { self.isEndless = isEndless }

    func push(_ text: String?) {
        chunks.append(text.map { .bytes(Array($0.utf8)) } ?? .end)
        handle?.resume()
    }

    func nextBytes(atMost count: Int) -> StreamChunk {
        if isEndless {
            flooded += count
            return .bytes([UInt8](repeating: UInt8(ascii: "f"), count: count))
        }
        return chunks.isEmpty ? .none : chunks.removeFirst()
    }

    let needsProgress = false
    func streamEnded() { ends += 1 }
}

/// Runs curl against a service's socket.
func curl(_ service: Service, _ path: String, _ arguments: String...) async throws
    -> Program.Outcome
{
    try await Program(
        "curl",
        ["-sS", "--max-time", "20", "--unix-socket", service.path] + arguments
            + ["http://localhost\(path)"]
    ).run()
}
