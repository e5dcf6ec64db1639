/// What of our own side can make a page's title another one: who asks, how, and how it is read.
///
/// Numbers instead of the texts: they are stored with a target, and only ask whether something
/// differs from last time.
package struct OwnSide: Equatable, Sendable {
    var url: UInt64
    var headers: UInt64
    var encoding: UInt64
    var userAgent: UInt64
    var rules: UInt64
    var readerVersion: UInt32

    /// - Parameters:
    ///   - url: The configured URL.
    ///   - headers: Names and values as sent, but those that hold secrets.
    ///   - secrets: What else decides which page is shown: credentials, in a fixed order. Of all of
    ///     them only 16 bits are kept, enough to see an edit and of no use to guess them.
    ///   - encoding: The configured one; nil leaves it to the page.
    ///   - titleLimit: Where titles are cut, in UTF-16 units; counts as a rule.
    ///   - ways: What else decides which page is reached, such as whether redirects are followed, in a
    ///     fixed order; counts as rules.
    ///   - readerVersion: Grows with every version that may read a title in another way.
    package init(
        url: String, headers: [(name: String, value: String)] = [], secrets: [String?] = [],
        encoding: String? = nil, userAgent: String? = nil, rules: Rules, titleLimit: Int = 1000,
        ways: [String] = [], readerVersion: UInt32
    ) {
        self.url = StableHash.of(url)
        var headerHash = StableHash()
        for header in headers {
            headerHash.add(header.name)
            headerHash.add(header.value)
        }
        headerHash.add(Self.trace(of: secrets))
        self.headers = headerHash.value
        self.encoding = StableHash.of(encoding)
        self.userAgent = StableHash.of(userAgent)
        var ruleHash = StableHash()
        ruleHash.add(rules.fingerprint)
        ruleHash.add(titleLimit)
        for way in ways { ruleHash.add(way) }
        self.rules = ruleHash.value
        self.readerVersion = readerVersion
    }

    init(
        url: UInt64, headers: UInt64, encoding: UInt64, userAgent: UInt64, rules: UInt64,
        readerVersion: UInt32
    ) {
        self.url = url
        self.headers = headers
        self.encoding = encoding
        self.userAgent = userAgent
        self.rules = rules
        self.readerVersion = readerVersion
    }

    /// Too little to try guesses against: one of 65,536 wrong ones fits, too.
    static func trace(of secrets: [String?]) -> UInt16 {
        var hash = StableHash()
        for secret in secrets { hash.add(secret) }
        return UInt16(truncatingIfNeeded: hash.mixed)
    }

    /// What is different, against what it was.
    func edits(since old: OwnSide) -> Edits {
        var edits: Edits = []
        if url != old.url { edits.insert(.url) }
        if headers != old.headers { edits.insert(.headers) }
        if encoding != old.encoding { edits.insert(.encoding) }
        if userAgent != old.userAgent { edits.insert(.userAgent) }
        if rules != old.rules { edits.insert(.rules) }
        if readerVersion != old.readerVersion { edits.insert(.readerVersion) }
        return edits
    }
}

/// The parts of our own side that were changed since a title was last seen.
struct Edits: OptionSet, Equatable, Sendable {
    let rawValue: UInt8

    static let url = Edits(rawValue: 1)
    static let headers = Edits(rawValue: 2)
    static let encoding = Edits(rawValue: 4)
    static let userAgent = Edits(rawValue: 8)
    static let rules = Edits(rawValue: 16)
    static let readerVersion = Edits(rawValue: 32)

    static let all: Edits = [.url, .headers, .encoding, .userAgent, .rules, .readerVersion]

    /// The words of `rebased`'s `because`, in a fixed order: `url, headers`.
    var words: String {
        let names: [(Edits, String)] = [
            (.url, "url"), (.headers, "headers"), (.encoding, "encoding"),
            (.userAgent, "userAgent"), (.rules, "rules"), (.readerVersion, "readerVersion"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
