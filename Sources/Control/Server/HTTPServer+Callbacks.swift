import CMicrohttpd
import Glibc

/// What libmicrohttpd calls, all of it within `MHD_run`, `MHD_add_connection` and
/// `MHD_stop_daemon`: on the loop's thread.
///
/// Input: pieces of requests. Output: to the `Exchange` of the connection, which says what is to be
/// done; an answer goes on to `HTTPServer+Answers`.
enum Callbacks {
    /// Starts libmicrohttpd for a server, which stops it before it goes: it is there in every call.
    static func start(for server: HTTPServer, connections: Int, memory: Int) -> OpaquePointer? {
        pw_http_start(
            CUnsignedInt(clamping: connections), memory,
            { context, handle, _, method, _, bytes, count, _ in
                guard let server = Callbacks.server(context), let handle,
                    let connection = Callbacks.connection(handle),
                    let exchange = connection.exchange, let count
                else { return .NO }
                let step: Exchange.Step
                if exchange.awaitsHead {
                    step = server.receiveHead(handle, method, connection, exchange)
                } else if count.pointee > 0 {
                    // Valid during the call; all of it is taken.
                    step = exchange.receive(
                        UnsafeRawBufferPointer(start: bytes, count: count.pointee))
                    count.pointee = 0
                } else {
                    step = server.proceed(connection, exchange)
                }
                return server.take(step, handle, connection, exchange) ? .YES : .NO
            },
            { context, target, handle in
                guard let server = Callbacks.server(context), let handle,
                    let connection = Callbacks.connection(handle), let target
                else { return nil }
                // It ends with a NUL.
                let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
                connection.begin(
                    Exchange(
                        target: Array(bytes), limit: server.limits.requestBytes,
                        connection: connection))
                return nil
            },
            { _, handle, _, _ in handle.flatMap(Callbacks.connection)?.finishExchange() },
            { context, handle, place, what in
                guard let handle, let place, let server = Callbacks.server(context) else { return }
                if what == .CONNECTION_NOTIFY_STARTED {
                    // The server keeps it until the notification of its end.
                    place.pointee = server.connectionStarted(handle).map {
                        Unmanaged.passUnretained($0).toOpaque()
                    }
                } else if let connection = Callbacks.connection(place.pointee) {
                    place.pointee = nil
                    server.connectionEnded(connection)
                }
            },
            Unmanaged.passUnretained(server).toOpaque())
    }

    /// The lines of a head, by name in lower case.
    static func headers(_ handle: OpaquePointer) -> [String: String] {
        var headers: [String: String] = [:]
        _ = withUnsafeMutablePointer(to: &headers) { headers in
            // The pointer is used during the call only.
            MHD_get_connection_values(
                handle, .HEADER_KIND,
                { context, _, name, value in
                    guard let headers = context?.assumingMemoryBound(to: [String: String].self),
                        let name
                    else { return .YES }
                    let key = String(cString: name).lowercased()
                    let value = value.map { String(cString: $0) } ?? ""
                    headers.pointee[key] = headers.pointee[key].map { "\($0), \(value)" } ?? value
                    return .YES
                }, headers)
        }
        return headers
    }

    // MARK: Pointers that become objects

    private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
        context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func connection(_ handle: OpaquePointer) -> ClientConnection? {
        connection(pw_http_context(handle))
    }

    private static func connection(_ context: UnsafeMutableRawPointer?) -> ClientConnection? {
        context.map { Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
