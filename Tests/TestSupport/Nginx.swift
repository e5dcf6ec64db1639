import CTestLinux
import Glibc
import Reactor

/// An nginx of the test's own: TLS, HTTP/2 and restricted versions, in front of a folder or of
/// another port.
package final class Nginx: Sendable {
    /// One port that it listens on.
    package struct Server: Sendable {
        /// Where the answers come from.
        package enum Source: Sendable {
            case folder(String)
            /// Another server on 127.0.0.1, such as a ``LoopbackSite``.
            case proxy(port: UInt16)
            /// Lines for the configuration, such as `return 301 http://…;`.
            case lines(String)
        }

        package var source: Source
        /// Without TLS if nil.
        package var certificate: Certificates.Kind?
        /// nginx's words: `TLSv1`, `TLSv1.1`, `TLSv1.2`, `TLSv1.3`.
        package var versions = ["TLSv1.2", "TLSv1.3"]
        package var http2 = false
        /// More lines of the `server` block.
        package var lines = ""

        package init(
            _ source: Source, certificate: Certificates.Kind? = .good, http2: Bool = false
        ) {
            self.source = source
            self.certificate = certificate
            self.http2 = http2
        }
    }

    private static let path = "/usr/sbin/nginx"

    /// Whether nginx and openssl are installed.
    package static var isInstalled: Bool {
        access(path, X_OK) == 0 && access("/usr/bin/openssl", X_OK) == 0
    }

    /// Why a test that needs them is skipped.
    package static let skipReason = "needs nginx and openssl"

    package let certificates: Certificates
    /// The ports, in the order of the servers.
    package let ports: [UInt16]
    private let servers: [Server]
    private let folder: TemporaryFolder
    /// Nil once it was told to end.
    private let processID: Locked<pid_t?>

    /// Starts it; it listens when this returns.
    ///
    /// - Throws: ``CommandFailed`` with nginx's words if it does not start.
    package static func start(_ servers: Server...) async throws -> Nginx {
        // Between the choice of the ports and nginx's start another program may get one.
        for _ in 0..<4 {
            if let nginx = try? await Nginx(servers) { return nginx }
        }
        return try await Nginx(servers)
    }

    private init(_ servers: [Server]) async throws {
        self.servers = servers
        certificates = try await Certificates.shared()
        folder = try TemporaryFolder()
        // All are held until all are known, so that no two are the same.
        ports = try servers.map { _ in try ReservedPort() }.map(\.port)
        try folder.write(
            Self.configuration(servers, ports, certificates, folder), to: "nginx.conf")
        // It goes to the background by itself once it listens.
        let program = Program(Self.path, ["-p", folder.path, "-c", folder.file("nginx.conf")])
        let outcome = try await program.run()
        guard outcome.exitCode == 0,
            let text = try? TextFile.read(folder.file("pid")),
            let processID = pid_t(text.prefix { $0.isNumber })
        else { throw CommandFailed("nginx", outcome) }
        self.processID = Locked(processID)
    }

    deinit {
        stop()
    }

    /// Ends it; deinit does too.
    package func stop() {
        processID.withLock { processID in
            if let processID { kill(processID, SIGTERM) }
            processID = nil
        }
    }

    /// The URL of a path on a server.
    package func url(_ path: String = "/", server: Int = 0, host: String = "127.0.0.1") -> String {
        let scheme = servers[server].certificate == nil ? "http" : "https"
        return "\(scheme)://\(host):\(ports[server])\(path)"
    }

    /// What it has logged as errors.
    package func errorLog() throws -> String { try TextFile.read(folder.file("error.log")) }

    private static func configuration(
        _ servers: [Server], _ ports: [UInt16], _ certificates: Certificates,
        _ folder: TemporaryFolder
    ) -> String {
        // Only root's workers could not read the test's folder.
        let user = geteuid() == 0 ? "user root;\n" : ""
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.file($0));" }.joined(separator: "\n")
        let blocks = zip(servers, ports).map { block($0, port: $1, certificates) }
        return """
            \(user)pid \(folder.file("pid"));
            error_log \(folder.file("error.log")) info;
            worker_processes 1;
            events { worker_connections 4096; }
            http {
            access_log off;
            default_type text/html;
            \(places)
            \(blocks.joined(separator: "\n"))
            }

            """
    }

    private static func block(
        _ server: Server, port: UInt16, _ certificates: Certificates
    ) -> String {
        let options = (server.certificate == nil ? "" : " ssl") + (server.http2 ? " http2" : "")
        var lines = "server {\nlisten 127.0.0.1:\(port)\(options);\n"
        if let kind = server.certificate {
            lines += "ssl_certificate \(certificates.certificate(kind));\n"
            lines += "ssl_certificate_key \(certificates.key(kind));\n"
            lines += "ssl_protocols \(server.versions.joined(separator: " "));\n"
            if server.versions.contains(where: { ["TLSv1", "TLSv1.1"].contains($0) }) {
                // OpenSSL 3 speaks the old versions at its lowest level only.
                lines += "ssl_ciphers ALL:@SECLEVEL=0;\n"
            }
        }
        switch server.source {
        case .folder(let path): lines += "root \(path);\n"
        case .lines(let own): lines += own + "\n"
        case .proxy(let port):
            lines += """
                location / {
                proxy_pass http://127.0.0.1:\(port);
                proxy_http_version 1.1;
                proxy_buffering off;
                proxy_set_header Host $http_host;
                }

                """
        }
        return lines + server.lines + "\n}"
    }
}
