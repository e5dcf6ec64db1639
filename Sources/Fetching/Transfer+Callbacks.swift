import CCurl

/// Where libcurl's C callbacks become calls of a transfer.
///
/// Each is given the transfer's address as its context. That is safe: the pool keeps every
/// transfer for as long as its handle exists, and a handle runs callbacks only while it is in the
/// pool's multi handle.
extension Transfer {
    func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        pw_easy_set_private(easy.raw, context)
        pw_easy_set_header(
            easy.raw,
            { bytes, _, count, context in
                // Any answer but `count` makes libcurl end the hop with CURLE_WRITE_ERROR.
                let line = UnsafeRawBufferPointer(start: bytes, count: count)
                return Transfer.at(context).receive(headerLine: line) ? count : 0
            }, context)
        pw_easy_set_write(
            easy.raw,
            { bytes, _, count, context in
                let body = UnsafeRawBufferPointer(start: bytes, count: count)
                return Transfer.at(context).receive(body: body) ? count : 0
            }, context)
        pw_easy_set_resolver_start(
            easy.raw,
            { _, _, context in
                Transfer.at(context).lookupStarts() ? 0 : 1
            }, context)
        // A socket is made when the address is known; before connect(2).
        pw_easy_set_socket_option(
            easy.raw,
            { context, _, _ in
                Transfer.at(context).enter(.connect)
                return CURL_SOCKOPT_OK
            }, context)
        pw_easy_set_ssl_context(
            easy.raw,
            { _, _, context in
                Transfer.at(context).enter(.tls)
                return CURLE_OK
            }, context)
        // Called just before the request is sent, on a new connection and on a kept one.
        pw_easy_set_prereq(
            easy.raw,
            { context, _, _, _, _ in
                Transfer.at(context).enter(.firstByte)
                return CURL_PREREQFUNC_OK
            }, context)
    }

    /// The transfer that libcurl keeps beside an easy handle.
    static func of(easy: OpaquePointer) -> Transfer? {
        pw_easy_get_private(easy).map { Transfer.at($0) }
    }

    /// The one place where libcurl's context pointer becomes a transfer.
    private static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}
