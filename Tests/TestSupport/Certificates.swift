import Reactor

/// Certificates for 127.0.0.1 and localhost, made anew for a run of the tests.
package final class Certificates: Sendable {
    /// What is right or wrong with a server's certificate.
    package enum Kind: String, Sendable, CaseIterable {
        case good
        /// Ended in February 2020.
        case expired
        /// Begins in 2090.
        case notYetValid
        /// For elsewhere.example.
        case wrongHost
        /// Signed by itself, and not known to anybody.
        case selfSigned
    }

    private let folder: TemporaryFolder

    /// The certificate of the authority that signed the others.
    package var authority: String { folder.file("authority.pem") }

    /// The file of a certificate.
    package func certificate(_ kind: Kind) -> String { folder.file("\(kind).pem") }

    /// The file of its key.
    package func key(_ kind: Kind) -> String { folder.file("\(kind).key") }

    /// Those of this run, made when they are first asked for.
    package static func shared() async throws -> Certificates { try await made.value }

    private static let made = Task { try await Certificates() }

    private init() async throws {
        folder = try TemporaryFolder()
        try folder.write(Self.settings, to: "settings")
        try folder.write("", to: "index")
        try folder.write("01\n", to: "serial")
        try await newKey("authority", subject: "Tests of pagewatch", selfSigned: "authority")
        for kind in Kind.allCases {
            let host = kind == .wrongHost ? "elsewhere" : "loopback"
            let isSelfSigned = kind == .selfSigned
            try await newKey("\(kind)", subject: host, selfSigned: isSelfSigned ? host : nil)
            guard !isSelfSigned else { continue }
            let (start, end) =
                switch kind {
                case .expired: ("20200101000000Z", "20200201000000Z")
                case .notYetValid: ("20900101000000Z", "20900201000000Z")
                default: ("20200101000000Z", "20991231000000Z")
                }
            try await openssl(
                "ca", "-batch", "-notext", "-config", "settings", "-cert", "authority.pem",
                "-keyfile", "authority.key", "-in", "\(kind).request", "-out", "\(kind).pem",
                "-startdate", start, "-enddate", end, "-extensions", host)
        }
    }

    /// A key with a certificate signed by itself, or with a request for one.
    private func newKey(_ name: String, subject: String, selfSigned: String?) async throws {
        let kind =
            selfSigned.map { ["-x509", "-days", "3000", "-extensions", $0, "-out", "\(name).pem"] }
            ?? ["-out", "\(name).request"]
        try await openssl(
            [
                "req", "-config", "settings", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key", "-subj",
                "/CN=\(subject)",
            ] + kind)
    }

    private func openssl(_ arguments: String...) async throws {
        try await openssl(arguments)
    }

    private func openssl(_ arguments: [String]) async throws {
        var program = Program("openssl", arguments)
        program.folder = folder.path
        let outcome = try await program.run()
        guard outcome.exitCode == 0 else { throw CommandFailed("openssl", outcome) }
    }

    private static let settings = """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = name
        [ca]
        default_ca = tests
        [tests]
        database = index
        serial = serial
        new_certs_dir = .
        default_md = sha256
        policy = any
        unique_subject = no
        [any]
        commonName = supplied
        [authority]
        basicConstraints = critical,CA:true
        [loopback]
        subjectAltName = IP:127.0.0.1,IP:::1,DNS:localhost
        [elsewhere]
        subjectAltName = DNS:elsewhere.example

        """
}

/// A program of the test's surroundings that did not do its work.
package struct CommandFailed: Error, CustomStringConvertible {
    package let description: String

    init(_ name: String, _ outcome: Program.Outcome) {
        description = "\(name): \(outcome.ending): \(outcome.errorText)"
    }
}
