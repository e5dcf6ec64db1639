/// How a target is loaded and judged: all of its keys but the URL, defaults applied.
package struct TargetSettings: Equatable, Sendable {
    /// A family of addresses.
    package enum AddressFamily: String, CaseIterable, Sendable {
        case any
        case ipv4 = "4"
        case ipv6 = "6"
    }

    /// A header that is sent to the configured URL's origin only.
    package struct Header: Equatable, Sendable {
        package var name: String
        package var value: Secret

        package init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// What Basic authentication sends.
    package struct BasicAuth: Equatable, Sendable {
        package var user: Secret
        package var password: Secret

        package init(user: Secret, password: Secret) {
            self.user = user
            self.password = password
        }
    }

    /// Files in PEM that say who we are.
    package struct ClientCertificate: Equatable, Sendable {
        package var certificate: String
        /// Nil means that the key is in the certificate's file.
        package var key: String?
        /// Of the key.
        package var password: Secret?

        package init(certificate: String, key: String? = nil, password: Secret? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

    // When.
    package var isEnabled = true
    /// Between the starts of two loads.
    package var interval = Duration.seconds(300)
    /// The most that the interval grows to while a target fails; nil means that it does not grow.
    package var backoffMax: Duration?

    // How long each phase may take.
    package var timeout = Duration.seconds(30)
    package var resolveTimeout = Duration.seconds(10)
    package var connectTimeout = Duration.seconds(10)
    package var tlsTimeout = Duration.seconds(10)
    package var firstByteTimeout = Duration.seconds(20)
    package var stallTimeout = Duration.seconds(20)

    // What makes a change or a failure.
    /// Good loads in a row that must show a new title.
    package var confirm = 2
    /// As written; ``confirmInterval`` is what holds.
    package var writtenConfirmInterval: Duration?
    /// Failed loads in a row before the target counts as failing.
    package var failures = 3
    /// As written; ``retryInterval`` is what holds.
    package var writtenRetryInterval: Duration?

    // What is sent.
    package var headers: [Header] = []
    /// Nil means the program's own.
    package var userAgent: Secret?
    package var basicAuth: BasicAuth?
    /// The token behind `Authorization: Bearer`.
    package var bearer: Secret?
    /// Whether cookies are kept from one load to the next.
    package var keepsCookies = false

    // Whom to trust, and which way to go.
    /// PEM; nil means the system's authorities.
    package var caFile: String?
    package var clientCertificate: ClientCertificate?
    /// Whether any certificate will do.
    package var isInsecure = false
    /// A URL; nil means as curl reads it from the environment.
    package var proxy: Secret?
    package var addressFamily = AddressFamily.any
    package var followsRedirects = true
    package var maxRedirects = 20
    /// Whether a refresh of 0 or 1 s is followed as part of the load.
    package var followsRefresh = true

    // How the answer is read.
    /// Of a body, on the wire and decoded alike.
    package var maxBytes: Int64 = 64 << 20
    /// UTF-16 units of a title; 0 keeps it whole.
    package var titleLimit = 1000
    /// A label of the Encoding standard; nil leaves it to the page.
    package var encoding: String?

    // How it is judged.
    package var tags: [String] = []
    /// What is taken out of a title before it is compared.
    package var ignore: [IgnoreRule] = []
    /// Patterns; a good load's title matches the first and not the second, its final URL the third.
    package var expectTitle: String?
    package var rejectTitle: String?
    package var expectURL: String?
    /// Statuses of a good load.
    package var okStatus = [200...399]

    /// The built-in defaults.
    package init() {}

    /// Between loads that are to confirm a new title: as configured, or 30 s or the interval,
    /// whichever is smaller.
    package var confirmInterval: Duration {
        writtenConfirmInterval ?? min(.seconds(30), interval)
    }

    /// Between loads after a failed one: as configured, or 1 min or the interval, whichever is
    /// smaller.
    package var retryInterval: Duration {
        writtenRetryInterval ?? min(.seconds(60), interval)
    }

    /// Whether a status is one of a good load.
    package func isOK(status: Int) -> Bool { okStatus.contains { $0.contains(status) } }
}

/// What is taken out of a title before it is compared.
package enum IgnoreRule: Equatable, Sendable {
    /// A PCRE2 pattern that compiles; every match is taken out.
    case pattern(String)
    case preset(Preset)

    /// Patterns that have a name.
    package enum Preset: String, CaseIterable, Sendable {
        /// A number in brackets: "(3) Inbox", "Inbox (99+) - Mail", "[2K] Feed".
        case counter = "@counter"
        /// Any number, with its sign, its marks between digits and a per cent sign.
        case number = "@number"
        /// A time of day, perhaps with a date before it and a zone behind it.
        case time = "@time"
    }

    /// The PCRE2 pattern whose every match is taken out.
    package var source: String {
        switch self {
        case .pattern(let source): source
        case .preset(.counter):
            #"[(\[{]\s*\d[\d.,\x{A0}\x{202F}]*\s*[kKmM]?\+?\s*[)\]}]"#
        case .preset(.number): #"[-+]?\d+(?:[.,:'\x{2019}\x{A0}\x{202F}]\d+)*(?:\s?%)?"#
        case .preset(.time):
            #"(?:\b\d{4}-\d\d-\d\d(?:T|\s+))?(?<![\d.:])(?:[01]?\d|2[0-4])[:h][0-5]\d"#
                + #"(?::[0-6]\d(?:[.,]\d+)?)?(?![\d:])(?:\s?[AaPp]\.?[Mm]\b\.?)?"#
                + #"(?:\s?(?:Z|UTC|GMT)\b)?(?:[+-]\d\d:?\d\d\b)?"#
        }
    }
}
