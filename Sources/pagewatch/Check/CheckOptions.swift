/// What `pagewatch check` was asked to do: the values of its arguments, each already plausible.
struct CheckOptions: Equatable, Sendable {
    /// What is printed for a page.
    enum Form: String, Sendable {
        /// One line of text for people.
        case text
        /// One result object as the page completes.
        case json
        /// The event lines and no results.
        case events
        /// One line for a monitoring system, at the end.
        case plugin
    }

    /// The family of addresses that connections may use.
    enum AddressFamily: String, Sendable {
        case any, ipv4, ipv6
    }

    /// How long a load and each of its phases may take.
    struct Timeouts: Equatable, Sendable {
        /// The whole load.
        var load: Duration = .seconds(30)
        var resolve: Duration = .seconds(10)
        var connect: Duration = .seconds(10)
        var tls: Duration = .seconds(10)
        var firstByte: Duration = .seconds(20)
        /// Without a byte in the body.
        var stall: Duration = .seconds(20)
    }

    /// The pages, as given; whether they are URLs is for `check` to say.
    var urls: [String] = []
    /// The configured target to load instead, by its own settings and rules.
    var target: String?
    /// For that: the main file of the configuration, and the state folder.
    var config: String?
    var state: String?
    /// A file with more pages, one a line; `-` is standard input.
    var from: String?

    var form = Form.text
    /// Only what is not fine is told.
    var isQuiet = false
    var showsProgress = true

    /// A PCRE2 pattern that compiles; a title must contain a match.
    var expectedTitle: String?
    /// The file of the titles to compare with.
    var titleFile: String?
    /// UTF-16 units; 0 keeps titles whole.
    var titleLimit = 1000
    /// The label of the encoding to read every page in, whatever it says.
    var encoding: String?

    var timeouts = Timeouts()
    /// Loads under way at a time, over all and to one host and port.
    var concurrency = 64
    var perHost = 6
    var maxRedirects = 20
    /// The most that a body may have, on the wire and decoded.
    var maxBytes: Int64 = 64 << 20
    var followsRefresh = true

    /// Header lines `Name: value`, without line breaks, in the order given.
    var headers: [String] = []
    var userAgent: String?
    /// `NAME:PASSWORD`, or `NAME` alone.
    var credentials: String?
    var proxy: String?
    /// Certificates and host names are not verified.
    var isInsecure = false
    /// A PEM file of the certificate authorities to trust in place of the system's.
    var caFile: String?
    /// Entries `HOST:PORT:ADDRESS` in place of look-ups.
    var resolve: [String] = []
    var addressFamily = AddressFamily.any
    /// Plain-text HTTP/2 without an upgrade.
    var usesHTTP2PriorKnowledge = false
}
