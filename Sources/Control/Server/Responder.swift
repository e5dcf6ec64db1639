/// The way to answer one request: once, at once or in a later turn of the loop.
///
/// Input: the handler's answer. Output: to its `Exchange`. A request whose responder goes without
/// an answer is answered with an error, so no client waits for ever.
package final class Responder {
    private let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        refuse(.unanswered)
    }

    /// Whether the client still waits for an answer; without one, it has not gone as far as known.
    package var isOpen: Bool { exchange.awaitsAnswer }

    /// Answers with a body of known length. Nothing if there was an answer, or the client has gone.
    package func respond(
        status: Int = 200, contentType: String, body: [UInt8], headers: [(String, String)] = []
    ) {
        exchange.answer(
            Answer(
                status: status, headers: [("Content-Type", contentType)] + headers,
                content: .bytes(body)))
    }

    /// Answers with an error, as JSON.
    package func refuse(_ refusal: Refusal) {
        exchange.answer(Answer(refusal))
    }

    /// Answers with a stream that goes on until its source ends it or the client goes.
    ///
    /// The source is told of the end also if the client has gone by now.
    /// - Returns: What the source says by that it has more.
    @discardableResult
    package func stream(
        contentType: String, headers: [(String, String)] = [], source: any StreamSource
    ) -> StreamHandle {
        let stream = RunningStream(source: source) { [weak exchange] in exchange?.wake() }
        let isTaken = exchange.answer(
            Answer(
                status: 200, headers: [("Content-Type", contentType)] + headers,
                content: .stream(stream)))
        if !isTaken { stream.finish() }
        return StreamHandle(stream: stream)
    }
}

/// An answer that waits for libmicrohttpd to take it.
struct Answer {
    enum Content {
        case bytes([UInt8])
        case stream(RunningStream)
    }

    var status: Int
    var headers: [(String, String)]
    var content: Content
}

extension Answer {
    init(_ refusal: Refusal) {
        status = refusal.status
        headers = [("Content-Type", "application/json")]
        content = .bytes(refusal.body)
    }
}
