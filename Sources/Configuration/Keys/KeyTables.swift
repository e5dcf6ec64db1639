/// Every key of the configuration: what reads files, suggests names and is held against the
/// documents.
package enum KeyTables {
    private static let day = Duration.seconds(86_400)
    private static let phase: ClosedRange<Duration> = .milliseconds(1)...day
    private static let interval: ClosedRange<Duration> =
        .seconds(1)...WrittenDuration.widest.upperBound

    /// The keys of each mapping, in the order of the documents. Of the main file itself there are
    /// those that are no mappings.
    package static let sections: [(title: String, keys: [KeyFacts])] = [
        ("Targets and defaults", [url] + target.keys.map(\.facts)),
        ("limits", limits.keys.map(\.facts)), ("log", log.keys.map(\.facts)),
        ("api", api.keys.map(\.facts)), ("retention", retention.keys.map(\.facts)),
        ("The main file", main.keys.map(\.facts)),
    ]

    /// Of a target and of `defaults`; a target has ``url`` beside them.
    static let target = KeyTable(
        owner: "a target", schedule + deadlines + judging + request + connection + reading + rules)

    /// The one key that every target has, and `defaults` has not.
    static let url = KeyFacts(
        name: "url", type: "URL, http or https", defaultText: "",
        example: "https://example.com/", isOfPage: true)

    private static let initial = TargetSettings()

    private static let schedule: [Key<TargetSettings>] = [
        Key("enabled", \.isEnabled, .flag, of: initial, example: "false"),
        Key("interval", \.interval, .duration(interval), of: initial, example: "1min"),
        Key(
            "backoff_max", \.backoffMax, Form<Duration>.duration(interval).optional, of: initial,
            example: "1h"),
    ]

    private static let deadlines: [Key<TargetSettings>] = [
        Key("timeout", \.timeout, .duration(phase), of: initial, example: "1min"),
        Key("resolve_timeout", \.resolveTimeout, .duration(phase), of: initial, example: "5s"),
        Key("connect_timeout", \.connectTimeout, .duration(phase), of: initial, example: "5s"),
        Key("tls_timeout", \.tlsTimeout, .duration(phase), of: initial, example: "5s"),
        Key(
            "first_byte_timeout", \.firstByteTimeout, .duration(phase), of: initial, example: "40s"),
        Key("stall_timeout", \.stallTimeout, .duration(phase), of: initial, example: "5s"),
    ]

    private static let judging: [Key<TargetSettings>] = [
        Key("confirm", \.confirm, .count(1...100), of: initial, example: "3"),
        Key(
            "confirm_interval", \.writtenConfirmInterval,
            Form<Duration>.duration(interval).optional,
            of: initial, example: "10s"),
        Key("failures", \.failures, .count(1...100), of: initial, example: "5"),
        Key(
            "retry_interval", \.writtenRetryInterval, Form<Duration>.duration(interval).optional,
            of: initial,
            example: "20s"),
    ]

    private static let request: [Key<TargetSettings>] = [
        Key(
            "headers", \.headers, .headers, of: initial, example: "{Accept-Language: sv}",
            isOfPage: true),
        Key(
            "user_agent", \.userAgent, Form<Secret>.userAgent.optional, of: initial,
            example: "Mozilla/5.0 (X11; Linux x86_64)", isOfPage: true),
        Key(
            "basic_auth", \.basicAuth, Form<TargetSettings.BasicAuth>.basicAuth.optional,
            of: initial,
            example: "{user: watcher, password: {file: password}}", isOfPage: true),
        Key(
            "bearer", \.bearer, Form<Secret>.secret().optional, of: initial,
            example: "{file: token}",
            isOfPage: true),
        Key("cookies", \.keepsCookies, .flag, of: initial, example: "true", isOfPage: true),
    ]

    private static let connection: [Key<TargetSettings>] = [
        Key(
            "ca_file", \.caFile, Form<String>.readableFile.optional, of: initial,
            example: "ca.pem"),
        Key(
            "client_certificate", \.clientCertificate,
            Form<TargetSettings.ClientCertificate>.clientCertificate.optional,
            of: initial, example: "{certificate: us.pem, key: us.key}", isOfPage: true),
        Key("insecure", \.isInsecure, .flag, of: initial, example: "true"),
        Key(
            "proxy", \.proxy, Form<Secret>.proxy.optional, of: initial,
            example: "http://proxy.example:3128", isOfPage: true),
        Key("ip", \.addressFamily, .addressFamily, of: initial, example: "4", isOfPage: true),
        Key(
            "follow_redirects", \.followsRedirects, .flag, of: initial, example: "false",
            isOfPage: true),
        Key(
            "max_redirects", \.maxRedirects, .count(0...1000), of: initial, example: "5",
            isOfPage: true),
        Key(
            "follow_refresh", \.followsRefresh, .flag, of: initial, example: "false",
            isOfPage: true),
    ]

    private static let reading: [Key<TargetSettings>] = [
        Key("max_bytes", \.maxBytes, .size, of: initial, example: "1MiB"),
        Key(
            "title_limit", \.titleLimit, .count(0...10_000_000), of: initial, example: "0",
            isOfPage: true),
        Key(
            "encoding", \.encoding, Form<String>.encoding.optional, of: initial,
            example: "shift_jis",
            isOfPage: true),
    ]

    private static let rules: [Key<TargetSettings>] = [
        Key(
            "tags", \.tags, Form<String>.tag.list(type: "list of texts", most: 64), of: initial,
            example: "[shop, sweden]"),
        Key(
            "ignore", \.ignore, .rules, of: initial, example: #"["@counter", " - page \\d+$"]"#,
            isOfPage: true),
        Key(
            "expect_title", \.expectTitle, Form<String>.pattern.optional, of: initial,
            example: "^Shop",
            isOfPage: true),
        Key(
            "reject_title", \.rejectTitle, Form<String>.pattern.optional, of: initial,
            example: "(?i)maintenance", isOfPage: true),
        Key(
            "expect_url", \.expectURL, Form<String>.pattern.optional, of: initial,
            example: "^https://shop[.]example/", isOfPage: true),
        Key(
            "ok_status", \.okStatus, .statuses, of: initial, example: "[200, 404]",
            isOfPage: true),
    ]

    private static let whole = Configuration()

    static let limits = KeyTable(
        owner: "limits",
        [
            Key("concurrency", \.concurrency, .count(1...4096), of: whole.limits, example: "64"),
            Key("per_host", \.perHost, .count(1...1000), of: whole.limits, example: "2"),
            Key(
                "connection_age", \.connectionAge, .duration(.seconds(1)...day),
                of: whole.limits, example: "30s"),
        ])

    static let log = KeyTable(
        owner: "log",
        [
            Key(
                "file", \.file, Form<String>.path.optional, of: whole.log,
                example: "/var/log/pagewatch/titles.jsonl"),
            Key("events", \.events, .events, of: whole.log, example: "[titleChanged, failing]"),
        ])

    static let api = KeyTable(
        owner: "api",
        [
            Key(
                "listen", \.listen, Form<String>.listen.optional, of: whole.api,
                example: "127.0.0.1:8125"),
            Key("metrics_only", \.isMetricsOnly, .flag, of: whole.api, example: "false"),
        ])

    static let retention = KeyTable(
        owner: "retention",
        [
            Key("rows", \.rows, .count(1...10_000_000), of: whole.retention, example: "100"),
            Key(
                "age", \.age, .duration(.seconds(1)...(day * 36_600)), of: whole.retention,
                example: "30d"),
            Key("newest", \.newest, .count(1...100_000), of: whole.retention, example: "5"),
            Key("size", \.size, .size, of: whole.retention, example: "200MiB"),
        ])

    /// Of the main file, beside the sections.
    static let main = KeyTable(
        owner: "the configuration",
        [
            Key(
                "state", \.state, Form<String>.path.optional, of: whole,
                example: "/srv/pagewatch")
        ])
}
