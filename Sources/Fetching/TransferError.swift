/// Why a hop failed: how far it had come, a symbolic word, a sentence for people.
///
/// A value, not an exception: a page that cannot be loaded is this program's daily bread.
package struct TransferError: Error, Equatable, Sendable {
    /// How far the hop had come. The words are those of the events' `error.phase`.
    package enum Phase: String, Sendable, CaseIterable {
        case request, resolve, connect, tls, firstByte, body
    }

    /// What went wrong. The words are those of the events' `error.code`, and `docs/EVENTS.md` says
    /// what each means.
    package enum Code: String, Sendable, CaseIterable {
        case badContentEncoding, badTrustFile, bodyCutShort, certificateExpired
        case certificateNotYetValid, certificateRevoked, connectionClosed, connectionReset, failed
        case handshakeFailed, hostMismatch, notFound, notHTTP, outOfMemory, protocolVersion
        case proxyRefused, refused, selfSigned, stalled, timedOut, tooLarge, unreachable, untrusted

        /// The phases in which it can come.
        package var phases: [Phase] {
            switch self {
            case .timedOut, .failed: Phase.allCases
            // A head that finds no memory is too large for libcurl.
            case .outOfMemory: Phase.allCases.filter { $0 != .firstByte }
            case .notFound: [.resolve]
            case .refused, .unreachable, .proxyRefused: [.connect]
            case .badTrustFile, .certificateExpired, .certificateNotYetValid,
                .certificateRevoked, .handshakeFailed, .hostMismatch, .protocolVersion,
                .selfSigned, .untrusted:
                [.tls]
            case .connectionReset: [.connect, .firstByte, .body]
            case .connectionClosed, .notHTTP: [.firstByte]
            case .tooLarge: [.firstByte, .body]
            case .badContentEncoding, .bodyCutShort, .stalled: [.body]
            }
        }
    }

    package let phase: Phase
    package let code: Code
    package let message: String

    package init(phase: Phase, code: Code, message: String) {
        self.phase = phase
        self.code = code
        self.message = message
    }
}
