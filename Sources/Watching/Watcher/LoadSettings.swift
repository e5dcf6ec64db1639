import Configuration
import Fetching
import PageLoading
import Patterns
import Titles
import WebAddress

/// What targets' settings mean for their loads: how to load, how to judge, how often.
///
/// Shared by the targets whose settings are: a target at rest is to be small.
final class LoadSettings {
    /// Grows with every version of the program that may read a title in another way.
    static let readerVersion: UInt32 = 1

    let load: LoadOptions
    let rules: Rules
    let timing: Timing
    private let userAgent: String

    /// - Parameters:
    ///   - userAgent: What a target without one of its own sends.
    ///   - shelf: Patterns that other targets have compiled already.
    /// - Throws: ``PatternError``; the configuration has checked that its patterns compile, so this
    ///   is a pattern that another version of PCRE2 took.
    init(
        _ settings: TargetSettings, userAgent: String, shelf: PatternShelf
    ) throws(PatternError) {
        rules = Rules(
            confirm: settings.confirm, failures: settings.failures,
            ignore: try Self.patterns(settings.ignore.map(\.source), shelf),
            expectTitle: try Self.pattern(settings.expectTitle, shelf),
            rejectTitle: try Self.pattern(settings.rejectTitle, shelf),
            expectURL: try Self.pattern(settings.expectURL, shelf), okStatus: settings.okStatus)
        timing = Timing(
            interval: settings.interval, confirmInterval: settings.confirmInterval,
            retryInterval: settings.retryInterval, backoffMax: settings.backoffMax)
        self.userAgent = settings.userAgent?.reveal() ?? userAgent
        load = Self.loadOptions(settings, userAgent: self.userAgent)
    }

    /// Our own side of a target that has these settings.
    func ownSide(of definition: TargetDefinition) -> OwnSide {
        let settings = definition.settings
        return OwnSide(
            url: definition.url.text, headers: settings.headers.map { ($0.name, "") },
            secrets: Self.secrets(definition), encoding: settings.encoding, userAgent: userAgent,
            rules: rules, titleLimit: settings.titleLimit, ways: Self.ways(settings),
            readerVersion: Self.readerVersion)
    }

    /// What else decides which page is shown.
    private static func ways(_ settings: TargetSettings) -> [String] {
        [
            "\(settings.followsRedirects) \(settings.maxRedirects) \(settings.followsRefresh)",
            "\(settings.addressFamily.rawValue) \(settings.keepsCookies)",
            settings.clientCertificate.map { "\($0.certificate) \($0.key ?? "")" } ?? "",
        ]
    }

    /// Values of headers count among them: any may be one.
    private static func secrets(_ definition: TargetDefinition) -> [String?] {
        let settings = definition.settings
        return settings.headers.map { $0.value.reveal() } + [
            settings.bearer?.reveal(), settings.basicAuth?.user.reveal(),
            settings.basicAuth?.password.reveal(), definition.url.credentials?.user,
            definition.url.credentials?.password, settings.proxy?.reveal(),
        ]
    }

    private static func pattern(
        _ source: String?, _ shelf: PatternShelf
    ) throws(PatternError) -> Pattern? {
        guard let source else { return nil }
        return try shelf.pattern(source)
    }

    private static func patterns(
        _ sources: [String], _ shelf: PatternShelf
    ) throws(PatternError) -> [Pattern] {
        var patterns: [Pattern] = []
        for source in sources { patterns.append(try shelf.pattern(source)) }
        return patterns
    }

    private static func loadOptions(_ settings: TargetSettings, userAgent: String) -> LoadOptions {
        let options = LoadOptions()
        options.timeout = settings.timeout
        options.maxRedirects = settings.maxRedirects
        options.followsRedirects = settings.followsRedirects
        options.followsRefresh = settings.followsRefresh
        options.keepsTitleBytes = true
        options.keepsCookies = settings.keepsCookies
        options.titleLimit = settings.titleLimit
        options.encoding = settings.encoding.flatMap { Encoding(label: $0) }
        options.transfer = transferOptions(settings, userAgent: userAgent)
        return options
    }

    private static func transferOptions(
        _ settings: TargetSettings, userAgent: String
    ) -> TransferOptions {
        let options = TransferOptions()
        options.userAgent = userAgent
        options.headers = settings.headers.compactMap { header in
            header.value.reveal().map { "\(header.name): \($0)" }
        }
        if let token = settings.bearer?.reveal() {
            options.headers.append("Authorization: Bearer \(token)")
        }
        options.credentials = settings.basicAuth.flatMap { login in
            guard let user = login.user.reveal(), let password = login.password.reveal() else {
                return nil
            }
            return WebAddress.Credentials(user: user, password: password)
        }
        options.clientCertificate = settings.clientCertificate.map { files in
            .init(
                certificate: files.certificate, key: files.key, password: files.password?.reveal())
        }
        options.isInsecure = settings.isInsecure
        options.caFile = settings.caFile
        options.proxy = settings.proxy?.reveal()
        options.addressFamily =
            switch settings.addressFamily {
            case .any: .any
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        options.maxBytes = settings.maxBytes
        options.timeouts.resolve = settings.resolveTimeout
        options.timeouts.connect = settings.connectTimeout
        options.timeouts.tls = settings.tlsTimeout
        options.timeouts.firstByte = settings.firstByteTimeout
        options.timeouts.stall = settings.stallTimeout
        return options
    }
}

/// The load settings of targets, made once for those that share them.
final class LoadSettingsShelf {
    private let userAgent: String
    private let patterns = PatternShelf()
    private var known: [ObjectIdentifier: LoadSettings] = [:]

    /// - Parameter userAgent: What a target without one of its own sends.
    init(userAgent: String) { self.userAgent = userAgent }

    /// - Throws: As ``LoadSettings`` does.
    func settings(of definition: TargetDefinition) throws(PatternError) -> LoadSettings {
        if let settings = known[definition.settingsIdentity] { return settings }
        let settings = try LoadSettings(
            definition.settings, userAgent: userAgent, shelf: patterns)
        known[definition.settingsIdentity] = settings
        return settings
    }
}
