import PageModel

/// What a finished load of a target showed: all that ``ChangeRule`` goes by.
package struct Observation: Equatable, Sendable {
    /// When the load ended.
    package var time: Timestamp
    package var initialURL: String
    /// The last URL that was tried; ``initialURL`` if none could be.
    package var url: String
    /// As a browser tells it, cut at the configured limit, and nothing else done to it.
    package var title: String?
    package var status: Int?
    /// Why the load failed; nil if it finished.
    package var error: LoadError?
    /// Whether the body was read as HTML or XML.
    package var isPage: Bool
    package var isBodyEmpty: Bool
    /// The encoding's name; nil for what is no page.
    package var encoding: String?
    /// The title's bytes before decoding, in short; nil if they are not known.
    package var titleBytes: TitleBytes?
    /// The answer is a puzzle for people: see ``isChallenge(headers:)``.
    package var isChallenged: Bool
    /// What was sent to ask whether the page is still the same; nil if nothing was.
    package var sentValidators: Validators?
    /// What the answer gave for the next load to ask with.
    package var validators: Validators?
    /// Our own side as it was when the load began.
    package var ownSide: OwnSide
    /// Whether the watcher itself seems to be cut off (``OfflineJudge``): failures do not count.
    package var isOffline: Bool

    package init(
        time: Timestamp, initialURL: String, url: String? = nil, title: String?, status: Int?,
        error: LoadError? = nil, isPage: Bool = true, isBodyEmpty: Bool = false,
        encoding: String? = nil, titleBytes: TitleBytes? = nil, isChallenged: Bool = false,
        sentValidators: Validators? = nil, validators: Validators? = nil, ownSide: OwnSide,
        isOffline: Bool = false
    ) {
        self.time = time
        self.initialURL = initialURL
        self.url = url ?? initialURL
        self.title = title
        self.status = status
        self.error = error
        self.isPage = isPage
        self.isBodyEmpty = isBodyEmpty
        self.encoding = encoding
        self.titleBytes = titleBytes
        self.isChallenged = isChallenged
        self.sentValidators = sentValidators
        self.validators = validators
        self.ownSide = ownSide
        self.isOffline = isOffline
    }

    /// The observation of a load from its result, and from what a result does not tell.
    package init(
        _ result: LoadResult, time: Timestamp, isPage: Bool, isBodyEmpty: Bool,
        titleBytes: TitleBytes? = nil, isChallenged: Bool = false,
        sentValidators: Validators? = nil, validators: Validators? = nil, ownSide: OwnSide,
        isOffline: Bool = false
    ) {
        self.init(
            time: time, initialURL: result.initialURL, url: result.url, title: result.title,
            status: result.status, error: result.error, isPage: isPage, isBodyEmpty: isBodyEmpty,
            encoding: result.encoding, titleBytes: titleBytes, isChallenged: isChallenged,
            sentValidators: sentValidators, validators: validators, ownSide: ownSide,
            isOffline: isOffline)
    }

    /// Whether the answer is a 304: "what you have is still right".
    var isNotModified: Bool { status == 304 }

    /// Whether a header of an answer says that it is a challenge in place of the page.
    ///
    /// - Parameters:
    ///   - name: In any case.
    ///   - value: Without white space around it.
    package static func isChallenge(header name: String, value: String) -> Bool {
        let value = value.lowercased()
        return switch name.lowercased() {
        case "cf-mitigated": value == "challenge"
        case "x-amzn-waf-action": value == "challenge" || value == "captcha"
        default: false
        }
    }
}

/// What tells a server which answer we have.
package struct Validators: Equatable, Sendable {
    /// `ETag` as sent, quotes and all.
    package var entityTag: String?
    /// `Last-Modified` as sent.
    package var lastModified: String?

    /// Bytes of one that is worth keeping; a server could make it as long as a whole head.
    private static let longest = 1024

    /// - Returns: nil if both are missing, or too long to be kept.
    package init?(entityTag: String?, lastModified: String?) {
        let entityTag = entityTag.flatMap { $0.utf8.count <= Self.longest ? $0 : nil }
        let lastModified = lastModified.flatMap { $0.utf8.count <= Self.longest ? $0 : nil }
        guard entityTag != nil || lastModified != nil else { return nil }
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    package static func == (one: Validators, other: Validators) -> Bool {
        isSame(one.entityTag, other.entityTag) && isSame(one.lastModified, other.lastModified)
    }
}

/// A title's bytes as they came, before decoding, in short: their number and a hash.
package struct TitleBytes: Equatable, Sendable {
    var count: UInt32
    var hash: UInt64

    package init(_ bytes: some Collection<UInt8>) {
        count = UInt32(clamping: bytes.count)
        var hash = StableHash()
        hash.add(bytes)
        self.hash = hash.value
    }

    init(count: UInt32, hash: UInt64) {
        self.count = count
        self.hash = hash
    }
}
