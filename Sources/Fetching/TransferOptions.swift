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
    /// Which of a host's addresses are tried.
    /// Files in PEM, and what opens the key.
    package struct ClientCertificate: Sendable {
        package var certificate: String
        /// Nil means that the key is in the certificate's file.
        package var key: String?
        package var password: String?

        package init(certificate: String, key: String?, password: String?) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

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
    /// Who we are, to servers of the configured URL's origin that ask for a certificate.
    package var clientCertificate: ClientCertificate?
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

    private(set) lazy var resolveList = HeaderList(lines: resolve)
    private lazy var configuredLines = headerList(headers, compression: true)
    private lazy var plainLines = headerList([], compression: true)
    private lazy var configuredLoopbackLines = headerList(headers, compression: false)
    private lazy var plainLoopbackLines = headerList([], compression: false)

    /// The header lines of a request to that address, made once for each kind.
    ///
    /// Compression is asked for as browsers do, but not of this machine itself: there it saves no
    /// network, and costs both sides more than the copying (checking a 50 KB page took 0.70 of the
    /// CPU without).
    func headerLines(
        for address: WebAddress, isConfiguredOrigin: Bool, more: [String] = []
    ) -> HeaderList {
        if !more.isEmpty {
            return headerList(
                (isConfiguredOrigin ? headers : []) + more, compression: !address.isLoopback)
        }
        return switch (isConfiguredOrigin, address.isLoopback) {
        case (true, false): configuredLines
        case (false, false): plainLines
        case (true, true): configuredLoopbackLines
        case (false, true): plainLoopbackLines
        }
    }

    /// What a browser sends of its own, unless `configured` has a header of that name, and then
    /// those.
    private func headerList(_ configured: [String], compression: Bool) -> HeaderList {
        let names = configured.map { $0.prefix { $0 != ":" && $0 != ";" }.lowercased() }
        var lines: [String] = []
        if !names.contains("accept") {
            lines.append("Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
        }
        if compression, !names.contains("accept-encoding") {
            lines.append("Accept-Encoding: gzip, deflate, br, zstd")
        }
        return HeaderList(lines: lines + configured)
    }
}
