import WebAddress

/// How long each phase of a hop may take before it fails with `timedOut` (`stalled` in the body).
package struct PhaseTimeouts: Sendable {
    package var resolve: Duration = .seconds(10)
    package var connect: Duration = .seconds(10)
    package var tls: Duration = .seconds(10)
    /// From the request sent to the end of the answer's head.
    package var firstByte: Duration = .seconds(20)
    /// Between two blocks of the body.
    package var stall: Duration = .seconds(20)

    package init() {}
}

/// How the hops of a load are made; the same for many loads.
///
/// A class, so that a pooled handle can tell by identity that it is set up for these already.
/// Immutable once the first transfer has started with it.
package final class TransferOptions {
    package enum AddressFamily: Sendable {
        case any, ipv4, ipv6
    }

    package var userAgent = "pagewatch"
    /// Header lines as curl's `-H` takes them; sent to the configured URL's origin only.
    package var headers: [String] = []
    /// Sent by Basic authentication to the configured URL's origin only; the URL's own win.
    package var credentials: WebAddress.Credentials?
    /// Whether any certificate will do.
    package var isInsecure = false
    /// A file of trusted certificates in PEM; nil means the system's.
    package var caFile: String?
    /// `HOST:PORT:ADDRESS` lines that stand in for look-ups, as curl's `--resolve` takes them.
    package var resolve: [String] = []
    package var addressFamily = AddressFamily.any
    /// Nil means as curl reads it from the environment.
    package var proxy: String?
    /// HTTP/2 in clear text without asking first.
    package var usesHTTP2PriorKnowledge = false
    package var timeouts = PhaseTimeouts()
    /// The most bytes of a body, on the wire and decoded alike.
    package var maxBytes: Int64 = 64 << 20

    package init() {}

    /// The header lines of a request to the configured origin, made once.
    private(set) lazy var fullHeaders = HeaderList(
        lines: Self.defaultHeaders(besides: headers) + headers)
    /// The header lines of a request to any other origin, made once.
    private(set) lazy var plainHeaders = HeaderList(lines: Self.defaultHeaders(besides: []))
    private(set) lazy var resolveList = HeaderList(lines: resolve)

    /// What a browser sends of its own, unless the configuration has a header of that name.
    private static func defaultHeaders(besides configured: [String]) -> [String] {
        let names = configured.map { $0.prefix { $0 != ":" && $0 != ";" }.lowercased() }
        return [
            ("accept", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            ("accept-encoding", "Accept-Encoding: gzip, deflate, br, zstd"),
        ].filter { !names.contains($0.0) }.map(\.1)
    }
}
