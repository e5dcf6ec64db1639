import CCurl
import Glibc
import Reactor

/// How a hop that libcurl ended, or that ran out of time, is told.
extension Transfer {
    /// The error of a phase that took longer than it may.
    func timeoutError(after timeout: Duration) -> TransferError {
        let seconds = Self.seconds(timeout)
        return switch phase {
        case .request: failed(.timedOut, "no connection began within \(seconds)")
        case .resolve: failed(.timedOut, "no answer from the name's resolver within \(seconds)")
        case .connect: failed(.timedOut, "no connection within \(seconds)")
        case .tls: failed(.timedOut, "the TLS handshake did not end within \(seconds)")
        case .firstByte: failed(.timedOut, "no complete head of an answer within \(seconds)")
        case .body: failed(.stalled, "nothing more of the body came for \(seconds)")
        }
    }

    /// The error of a whole load that took longer than it may, in this hop.
    package func loadTimeoutError(after timeout: Duration) -> TransferError {
        let doing =
            switch phase {
            case .request: "before a connection began"
            case .resolve: "while the name was being looked up"
            case .connect: "while connecting"
            case .tls: "during the TLS handshake"
            case .firstByte: "while waiting for an answer"
            case .body: "while the body was coming (\(bodyBytes) bytes so far)"
            }
        return failed(.timedOut, "the load was not over after \(Self.seconds(timeout)), \(doing)")
    }

    /// What a code of libcurl's means for a hop that had come so far; nil for success.
    func transferError(of code: CURLcode) -> TransferError? {
        switch code {
        case CURLE_OK: nil
        case CURLE_COULDNT_RESOLVE_HOST: resolveError("the host")
        case CURLE_COULDNT_RESOLVE_PROXY: resolveError("the proxy")
        case CURLE_COULDNT_CONNECT: connectError()
        case CURLE_OPERATION_TIMEDOUT: timedOutByCurl()
        case CURLE_PEER_FAILED_VERIFICATION: certificateError()
        case CURLE_SSL_CONNECT_ERROR: handshakeError()
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
            TransferError(phase: .tls, code: .badTrustFile, message: detail)
        case CURLE_UNSUPPORTED_PROTOCOL where phase == .firstByte,
            CURLE_WEIRD_SERVER_REPLY where phase == .firstByte:
            failed(.notHTTP, "the answer is no HTTP")
        case CURLE_GOT_NOTHING where phase == .firstByte:
            failed(.connectionClosed, "closed without an answer")
        case CURLE_PARTIAL_FILE where phase == .body:
            failed(.bodyCutShort, "the body ended early (\(detail))")
        case CURLE_OUT_OF_MEMORY: headLineError()
        default: streamError(code)
        }
    }

    /// libcurl says the same of a name that does not exist and of a resolver that fails.
    private func resolveError(_ what: String) -> TransferError {
        let family =
            switch options.addressFamily {
            case .ipv4: "IPv4 address"
            case .ipv6: "IPv6 address"
            case .any: "address"
            }
        let words = easy.lastErrorText.isEmpty ? "" : " (\(easy.lastErrorText))"
        return TransferError(
            phase: .resolve, code: .notFound, message: "\(what) has no \(family)\(words)")
    }

    private func connectError() -> TransferError {
        // An address, and of the family that is not to be used: libcurl has no word for that.
        if options.addressFamily != .any, easy.lastErrorText.isEmpty {
            return resolveError("the host")
        }
        let number = CInt(easy.integer(CURLINFO_OS_ERRNO))
        let code: TransferError.Code =
            switch number {
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT: .unreachable
            case ETIMEDOUT: .timedOut
            case ECONNRESET: .connectionReset
            default: .failed
            }
        let reason = number == 0 ? detail : SystemError.reason(of: number)
        return TransferError(phase: .connect, code: code, message: "no connection: \(reason)")
    }

    /// libcurl's own limits stand just behind ours and should not be met; if one is, the phase is
    /// still right.
    private func timedOutByCurl() -> TransferError {
        failed(.timedOut, detail)
    }

    private func certificateError() -> TransferError {
        // The numbers of OpenSSL's X509_V_ERR constants, which libcurl passes on.
        let (code, what): (TransferError.Code, String) =
            switch easy.integer(CURLINFO_SSL_VERIFYRESULT) {
            case 9: (.certificateNotYetValid, "the server's certificate is not yet valid")
            case 10: (.certificateExpired, "the server's certificate has expired")
            case 18: (.selfSigned, "the server's certificate is self-signed")
            case 19: (.untrusted, "the server's certificate ends in an unknown self-signed root")
            case 20, 21: (.untrusted, "the issuer of the server's certificate is unknown")
            case 23: (.certificateRevoked, "the server's certificate is revoked")
            // The chain was not found wanting: libcurl looks at the name before it asks for the
            // result, which is still the 1 (unspecified) that it began with.
            case 0, 1: (.hostMismatch, "the server's certificate is for another host")
            default: (.untrusted, "the server's certificate is not trusted (\(detail))")
            }
        return TransferError(phase: .tls, code: code, message: what)
    }

    private func handshakeError() -> TransferError {
        let text = detail
        let isVersion = ["protocol version", "unsupported protocol", "no protocols available"]
            .contains { text.contains($0) }
        return TransferError(
            phase: .tls, code: isVersion ? .protocolVersion : .handshakeFailed,
            message: isVersion
                ? "no TLS version in common with the server" : "the TLS handshake failed (\(text))")
    }

    /// libcurl has no memory for a header line over 100 KiB, by its own bound.
    private func headLineError() -> TransferError {
        phase == .firstByte
            ? failed(.tooLarge, "a line of the answer's head is over 100 KiB")
            : failed(.outOfMemory, detail)
    }

    /// A connection that broke, or an answer that broke the rules, wherever the hop was.
    private func streamError(_ code: CURLcode) -> TransferError {
        // CURLINFO_OS_ERRNO would keep the number of an earlier hop on this handle.
        let text = detail
        let wasReset = text.contains("reset by peer") || text.contains("errno \(ECONNRESET)")
        return switch phase {
        case .body where wasReset:
            failed(.connectionReset, "the connection was reset in the middle of the body")
        case .body
        where code == CURLE_RECV_ERROR || code == CURLE_HTTP2_STREAM
            || code == CURLE_HTTP2:
            failed(.bodyCutShort, "the body ended early (\(detail))")
        case .firstByte where wasReset:
            failed(.connectionReset, "the connection was reset before an answer")
        case .firstByte
        where code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_HTTP2_STREAM
            || code == CURLE_HTTP2:
            failed(.connectionClosed, "closed without an answer (\(detail))")
        case .connect
        where code == CURLE_RECV_ERROR || code == CURLE_PROXY || code == CURLE_GOT_NOTHING
            || code == CURLE_WEIRD_SERVER_REPLY:
            failed(.proxyRefused, "the proxy gave no connection (\(detail))")
        case .tls:
            failed(.handshakeFailed, "the TLS handshake failed (\(detail))")
        default: failed(.failed, detail)
        }
    }

    private func failed(_ code: TransferError.Code, _ message: String) -> TransferError {
        TransferError(phase: phase, code: code, message: message)
    }

    /// libcurl's words for what happened; parts of them may be the server's.
    private var detail: String {
        let text = easy.lastErrorText
        return text.isEmpty ? "no detail" : text
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.millisecondsRoundedUp
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(Double(milliseconds) / 1000) s"
    }
}
