import Events
import Patterns
import Titles

extension Command {
    /// `pagewatch check`.
    static let check = Command(
        name: "check",
        summary: "Loads each page once and tells its title, as a browser would show it.",
        operands: "URL...",
        groups: CheckOptions.groups,
        exclusive: [["json", "events", "plugin"], ["ipv4", "ipv6"], ["quiet", "events"]],
        notes: [
            "DUR is a number with ms, s, sec, m, min, h, d or w, also combined (1min30s); a number"
                + " alone is seconds. SIZE is a number of bytes, or one with k, M, G, KiB, MiB, GiB"
                + " (1024s) or kB, MB, GB (1000s). RE is a PCRE2 pattern that may match anywhere.",
            "A list for --from has one URL a line; blank lines and what stands behind a # at a"
                + " line's beginning or behind a blank are skipped. A list without a URL is bad"
                + " input, and so is a line that is none; the other lines are loaded.",
            "Of several exit codes the first of 130 or 143, 2, 3, 1 counts.",
        ],
        exitCodes: [
            (.fine, "every page is fine"),
            (.titleNotAsExpected, "a title is not as expected, or changed"),
            (.pageFailed, "a page failed; an HTTP status of 400 or more counts"),
            (.unusable, "bad usage or input, or the output can't be written"),
            (.interrupted, "interrupted by Ctrl-C"),
            (.terminated, "ended by SIGTERM"),
        ],
        examples: [
            Example(text: "Watch a page load", call: "pagewatch check https://www.swift.org/"),
            Example(
                text: "Tell which titles changed since the last run",
                call: "pagewatch check -q --changed titles.txt --from urls.txt"),
            Example(
                text: "For a monitoring system",
                call: "pagewatch check --plugin --expect-title '^Shop' -m 10 https://example.com/"),
            Example(
                text: "Try a configured target out", call: "pagewatch check --target blog"),
            Example(
                text: "All titles of a list as JSON",
                call: "pagewatch check --json --from urls.txt | jq -r .title"),
        ],
        initial: CheckOptions(),
        operand: { options, operand throws(UsageError) in
            options.urls.append(withoutOuterBlanks(operand))
        },
        finish: { options throws(UsageError) in
            if options.target != nil { return try options.checkAlone() }
            guard options.config == nil, options.state == nil else {
                throw UsageError("--config and --state are for --target NAME alone")
            }
            guard options.urls.isEmpty, options.from == nil else { return }
            throw UsageError("no URL given (write \"pagewatch check https://example.com/\")")
        },
        run: CheckCommand.run)
}

extension CheckOptions {
    /// The table of the options of `check`.
    static let groups = [input, target, output, titles, limits, request, connection]

    private static let target = OptionGroup<CheckOptions>(
        title: "Configured target",
        options: [
            .text(
                "target", "NAME",
                "load this target of the configuration as the service would, and tell what would be"
                    + " told of it; nothing is kept", example: "blog"
            ) { $0.target = $1 },
            .text("config", "FILE", "the main file", example: "pagewatch.yaml") {
                $0.config = $1
            },
            .text("state", "DIR", "the state folder to go on from", example: "state") {
                $0.state = $1
            },
        ])

    /// A target has all that matters from its configuration.
    fileprivate func checkAlone() throws(UsageError) {
        var rest = self
        (rest.target, rest.config, rest.state) = (nil, nil, nil)
        rest.showsProgress = true
        if rest.form == .json { rest.form = .text }
        guard rest == CheckOptions() else {
            throw UsageError(
                "--target goes with --config, --state, --json and --no-progress alone: the rest is"
                    + " as the configuration says")
        }
    }

    private static let input = OptionGroup<CheckOptions>(
        title: "Pages",
        options: [
            .text("from", "FILE", "more URLs, one a line; - is standard input", example: "urls.txt")
            { $0.from = $1 },
            .flag("no-refresh", "do not follow a page's own refresh") { $0.followsRefresh = false },
        ])

    private static let output = OptionGroup<CheckOptions>(
        title: "Output",
        options: [
            .flag("json", "one JSON object a page, as it completes") { $0.form = .json },
            .flag("events", "every change while pages load, as JSON lines") { $0.form = .events },
            .flag("plugin", "one line with figures for a monitoring system") {
                $0.form = .plugin
            },
            .flag("quiet", short: "q", "tell only what is not fine; --plugin does so anyway") {
                $0.isQuiet = true
            },
            .flag("no-progress", "no progress bar, even on a terminal") {
                $0.showsProgress = false
            },
        ])

    private static let titles = OptionGroup<CheckOptions>(
        title: "Titles",
        options: [
            .text(
                "expect-title", "RE", "a title without a match of RE is exit code 1",
                example: "'^Shop'", check: checkPattern
            ) { $0.expectedTitle = $1 },
            .text(
                "changed", "FILE",
                "compare with the titles kept in FILE, and keep the new ones; a change is exit"
                    + " code 1", example: "titles.txt"
            ) { $0.titleFile = $1 },
            .count(
                "title-limit", "cut titles behind N UTF-16 units; 0 keeps them whole",
                in: 0...10_000_000, default: "1000"
            ) { $0.titleLimit = $1 },
            .text(
                "encoding", "LABEL", "read pages in this encoding, whatever they say",
                example: "windows-1251", check: checkEncoding
            ) { $0.encoding = $1 },
        ])

    private static let limits = OptionGroup<CheckOptions>(
        title: "Limits",
        options: [
            .duration("timeout", short: "m", "the whole load of a page", default: "30s") {
                $0.timeouts.load = $1
            },
            .duration("resolve-timeout", "looking up a host's name", default: "10s") {
                $0.timeouts.resolve = $1
            },
            .duration("connect-timeout", "opening a connection", default: "10s") {
                $0.timeouts.connect = $1
            },
            .duration("tls-timeout", "the TLS handshake", default: "10s") { $0.timeouts.tls = $1 },
            .duration(
                "first-byte-timeout", "from the request to the end of the answer's head",
                default: "20s"
            ) { $0.timeouts.firstByte = $1 },
            .duration("stall-timeout", "without a byte within a body", default: "20s") {
                $0.timeouts.stall = $1
            },
            .count("concurrency", "pages loading at a time", in: 1...1000, default: "64") {
                $0.concurrency = $1
            },
            .count("per-host", "of these, from one host and port", in: 1...1000, default: "6") {
                $0.perHost = $1
            },
            .count("max-redirects", "redirects to follow", in: 0...1000, default: "20") {
                $0.maxRedirects = $1
            },
            .size("max-bytes", "the most that a body may have", default: "64MiB") {
                $0.maxBytes = $1
            },
        ])

    private static let request = OptionGroup<CheckOptions>(
        title: "Request",
        options: [
            .text(
                "header", short: "H", "LINE",
                "send this header line, to the given URL's origin only",
                example: "\"Accept-Language: sv\"", isRepeatable: true, check: checkHeader
            ) { $0.headers.append($1) },
            .text(
                "user-agent", short: "A", "TEXT", "send this as User-Agent",
                example: "\"Mozilla/5.0 (X11; Linux x86_64)\"", check: checkLine
            ) { $0.userAgent = $1 },
            .text(
                "user", short: "u", "NAME:PASSWORD",
                "log in with these, at the given URL's origin only",
                example: "NAME:PASSWORD", check: checkCredentials
            ) { $0.credentials = $1 },
        ])

    private static let connection = OptionGroup<CheckOptions>(
        title: "Connection",
        options: [
            .text(
                "proxy", short: "x", "URL", "go through this proxy",
                example: "http://proxy.example:3128",
                check: checkProxy
            ) { $0.proxy = $1 },
            .flag("insecure", short: "k", "do not verify certificates and their names") {
                $0.isInsecure = true
            },
            .text(
                "cacert", "FILE", "trust the authorities in this PEM file, not the system's",
                example: "ca.pem"
            ) { $0.caFile = $1 },
            .text(
                "resolve", "HOST:PORT:ADDR", "connect to ADDR for HOST and PORT",
                example: "example.com:443:127.0.0.1", isRepeatable: true, check: checkResolve
            ) { $0.resolve.append($1) },
            .flag("ipv4", short: "4", "use IPv4 addresses only") { $0.addressFamily = .ipv4 },
            .flag("ipv6", short: "6", "use IPv6 addresses only") { $0.addressFamily = .ipv6 },
            .flag("http2-prior-knowledge", "HTTP/2 without TLS, unasked") {
                $0.usesHTTP2PriorKnowledge = true
            },
        ])
}

// Values that may hold secrets (header lines, credentials, proxies) are not quoted in errors.

@Sendable private func checkPattern(_ value: String) throws(UsageError) {
    do {
        _ = try Pattern(value)
    } catch {
        throw UsageError("\(quoted(value)) is not a pattern, \(error)")
    }
}

@Sendable private func checkEncoding(_ value: String) throws(UsageError) {
    guard Encoding(label: value) != nil else {
        throw UsageError(
            "\(quoted(value)) is no encoding's label (write one of the Encoding standard's, such as"
                + " \"shift_jis\")")
    }
}

/// What goes out as a line must not be able to end it.
@Sendable private func checkLine(_ value: String) throws(UsageError) {
    guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
        throw UsageError("holds a line break or another control character (leave it out)")
    }
}

@Sendable private func checkHeader(_ value: String) throws(UsageError) {
    try checkLine(value)
    guard let colon = value.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw UsageError("has no colon (write \"Name: value\")")
    }
    let name = value.utf8[..<colon]
    guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
        throw UsageError("has a name that is none (write \"Name: value\")")
    }
}

/// RFC 9110's tchar.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

@Sendable private func checkCredentials(_ value: String) throws(UsageError) {
    try checkLine(value)
    guard value.utf8.contains(UInt8(ascii: ":")) else {
        throw UsageError("has no colon (write NAME:PASSWORD)")
    }
}

/// curl takes `[SCHEME://][NAME[:PASSWORD]@]HOST[:PORT]`, and tells what is wrong only in each load.
@Sendable private func checkProxy(_ value: String) throws(UsageError) {
    try checkLine(value)
    let wrong = UsageError("is no proxy's URL (write http://proxy.example:3128)")
    var rest = Substring(value)
    if let scheme = rest.firstRange(of: "://") {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        guard schemes.contains(rest[..<scheme.lowerBound].lowercased()) else {
            throw UsageError(
                "has a scheme that is none of a proxy's (write http://proxy.example:3128)")
        }
        rest = rest[scheme.upperBound...]
    }
    if let path = rest.firstIndex(of: "/") { rest = rest[..<path] }
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    if rest.first == "[" {
        guard let end = rest.firstIndex(of: "]"), rest[..<end].contains(":") else { throw wrong }
        rest = "v6" + rest[rest.index(after: end)...]
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty, parts.count <= 2,
        host.utf8.allSatisfy({ $0 > 0x20 && !"?#\"<>\\^`{|}[]".utf8.contains($0) })
    else { throw wrong }
    guard parts.count == 1 || (UInt16(parts[1]) ?? 0) > 0 else {
        throw UsageError("has a port that is none (write http://proxy.example:3128)")
    }
}

/// As a browser's address bar takes what is pasted.
private func withoutOuterBlanks(_ text: String) -> String {
    let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
    var rest = text[...].drop { blanks.contains($0) }
    while let last = rest.last, blanks.contains(last) { rest.removeLast() }
    return String(rest)
}

/// curl takes `HOST:PORT:ADDRESS[,ADDRESS]`, where an IPv6 address may stand in brackets.
@Sendable private func checkResolve(_ value: String) throws(UsageError) {
    let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty, let port = UInt16(parts[1]),
        port > 0, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
        throw UsageError(
            "\(quoted(value)) is not HOST:PORT:ADDR (write example.com:443:127.0.0.1)")
    }
}
