import CMicrohttpd
import Glibc

/// How a request goes on, step by step.
///
/// Input: the steps of its `Exchange`. Output: requests to the handler, and answers to libmicrohttpd.
extension HTTPServer {
    /// Takes in the head of a request, which gets its time from now on.
    func receiveHead(
        _ handle: OpaquePointer, _ method: UnsafePointer<CChar>?, _ connection: ClientConnection,
        _ exchange: Exchange
    ) -> Exchange.Step {
        connection.expectRequest()
        let headers = Callbacks.headers(handle)
        let refusal = isClosed ? .stopping : isUnix ? nil : LoopbackGuard.refusal(headers)
        return exchange.receive(
            method: method.map { String(cString: $0) } ?? "", headers: headers, refusal: refusal)
    }

    /// Goes on with a request that is whole.
    func proceed(_ connection: ClientConnection, _ exchange: Exchange) -> Exchange.Step {
        let step = exchange.proceed()
        guard step == .ask else { return step }
        connection.stopLimit()
        handler(exchange.request, Responder(exchange))
        return exchange.proceed()
    }

    /// Does what a step says.
    ///
    /// - Returns: Whether the connection goes on.
    func take(
        _ step: Exchange.Step, _ handle: OpaquePointer, _ connection: ClientConnection,
        _ exchange: Exchange
    ) -> Bool {
        switch step {
        case .readOn, .ask: return true
        case .drop: return false
        case .sleep:
            connection.sleep()
            return true
        case .answer:
            connection.stopLimit()
            return exchange.takeAnswer().map { send($0, handle, connection) } ?? false
        }
    }

    private func send(
        _ answer: Answer, _ handle: OpaquePointer, _ connection: ClientConnection
    ) -> Bool {
        let response =
            switch answer.content {
            case .bytes(let bytes): Self.response(bytes)
            case .stream(let stream): Feed(stream, connection).response()
            }
        guard let response else { return false }
        // The connection keeps it until it is sent.
        defer { MHD_destroy_response(response) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(handle, CUnsignedInt(clamping: answer.status), response) == .YES
    }

    private static func response(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            // It copies, so it writes nothing to what only looks writable.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
    }
}

/// What libmicrohttpd asks for the bytes of a stream.
///
/// It belongs to the response, and goes with it.
private final class Feed {
    /// Of libmicrohttpd's buffer for an answer that is not chunked (HTTP/1.0).
    private static let blockBytes = 16 << 10

    private let stream: RunningStream
    private let connection: ClientConnection

    init(_ stream: RunningStream, _ connection: ClientConnection) {
        self.stream = stream
        self.connection = connection
    }

    func response() -> OpaquePointer? {
        // The +1 goes over to the response, which gives it back when it is destroyed.
        let context = Unmanaged.passRetained(self)
        let response = MHD_create_response_from_callback(
            pw_http_unknown_size, Self.blockBytes,
            { context, _, buffer, count in
                guard let context, let buffer else { return pw_http_end }
                return Unmanaged<Feed>.fromOpaque(context).takeUnretainedValue()
                    .fill(UnsafeMutableRawBufferPointer(start: buffer, count: count))
            },
            context.toOpaque(),
            { context in
                if let context { Unmanaged<Feed>.fromOpaque(context).release() }
            })
        if response == nil { context.release() }
        return response
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if stream.needsProgress { connection.expectProgress() }
        switch stream.fill(buffer) {
        case .bytes(let count): return count
        case .end: return pw_http_end
        // To a client that is still there it is an end that was meant. To one that has gone, sending
        // it fails, and that ends the connection; told that a stream is broken, libmicrohttpd 0.9.75
        // closes its side and forgets the connection until another one has something to do.
        case .none where connection.isGone, .later where connection.isGone: return pw_http_end
        case .none:
            connection.sleep()
            return 0
        case .later:
            connection.sleepForATurn()
            return 0
        }
    }
}
