import TestSupport
import Testing
import WebAddress

@testable import Configuration

@Suite struct `The settings of a target` {
    @Test func `are the documented defaults where nothing is written`() throws {
        let plain = try settings()
        #expect(plain == TargetSettings())
        #expect(plain.interval == .seconds(300))
        #expect(plain.timeout == .seconds(30))
        #expect(plain.confirm == 2)
        #expect(plain.failures == 3)
        #expect(plain.okStatus == [200...399])
        #expect(plain.maxBytes == 64 << 20)
        #expect(plain.isEnabled && plain.followsRedirects && !plain.isInsecure)
    }

    @Test func `take every key`() throws {
        let filled = try settings(
            "enabled: no", "interval: 1h", "backoff_max: 1d", "timeout: 1min", "confirm: 5",
            "confirm_interval: 10s", "failures: 1", "retry_interval: 2min",
            "headers: {Accept-Language: sv, DNT: 1}", "user_agent: me/1",
            "basic_auth: {user: me, password: 'sword:fish'}", "cookies: true", "ca_file: /dev/null",
            "client_certificate: {certificate: /dev/null, key: /dev/null, password: pw}",
            "insecure: on", "proxy: 'socks5h://p:1'", "ip: 6", "follow_redirects: false",
            "max_redirects: 0", "follow_refresh: off", "max_bytes: 1k", "title_limit: 0",
            "encoding: sjis", "tags: [one, two]", "ignore: ['@counter', '\\d+$']",
            "expect_title: ^A", "reject_title: B", "expect_url: C", "ok_status: [200, 401-404]",
            "stall_timeout: 1.5s", "tls_timeout: 250ms", "resolve_timeout: 1s",
            "connect_timeout: 2s", "first_byte_timeout: 3s")
        var expected = TargetSettings()
        expected.isEnabled = false
        expected.interval = .seconds(3600)
        expected.backoffMax = .seconds(86_400)
        expected.timeout = .seconds(60)
        expected.confirm = 5
        expected.writtenConfirmInterval = .seconds(10)
        expected.failures = 1
        expected.writtenRetryInterval = .seconds(120)
        expected.headers = [
            .init(name: "Accept-Language", value: Secret("sv")),
            .init(name: "DNT", value: Secret("1")),
        ]
        expected.userAgent = Secret("me/1")
        expected.basicAuth = .init(user: Secret("me"), password: Secret("sword:fish"))
        expected.keepsCookies = true
        expected.caFile = "/dev/null"
        expected.clientCertificate = .init(
            certificate: "/dev/null", key: "/dev/null", password: Secret("pw"))
        expected.isInsecure = true
        expected.proxy = Secret("socks5h://p:1")
        expected.addressFamily = .ipv6
        expected.followsRedirects = false
        expected.maxRedirects = 0
        expected.followsRefresh = false
        expected.maxBytes = 1024
        expected.titleLimit = 0
        expected.encoding = "sjis"
        expected.tags = ["one", "two"]
        expected.ignore = [.preset(.counter), .pattern("\\d+$")]
        expected.expectTitle = "^A"
        expected.rejectTitle = "B"
        expected.expectURL = "C"
        expected.okStatus = [200...200, 401...404]
        expected.stallTimeout = .milliseconds(1500)
        expected.tlsTimeout = .milliseconds(250)
        expected.resolveTimeout = .seconds(1)
        expected.connectTimeout = .seconds(2)
        expected.firstByteTimeout = .seconds(3)
        #expect(filled == expected)
        #expect(filled.isOK(status: 403) && !filled.isOK(status: 201))
    }

    @Test func `come from the target, then its merges, then the file's and the main defaults`()
        throws
    {
        let folder = try ConfigurationFolder("defaults: {interval: 1h, failures: 9, confirm: 9}")
        try folder.write([
            "a.yaml": """
            x-shop: &shop {confirm: 4, timeout: 40s}
            targets:
              a: {url: "https://a.example/", <<: *shop, timeout: 50s}
            defaults: {failures: 7, confirm: 7}
            """,
            "b.yaml": "targets: {b: {url: \"https://b.example/\"}}",
        ])
        let targets = folder.load().configuration.targets
        try #require(targets.map(\.name) == ["a", "b"])
        let (a, b) = (targets[0].settings, targets[1].settings)
        #expect(a.interval == .seconds(3600))
        #expect((a.failures, a.confirm, a.timeout) == (7, 4, .seconds(50)))
        #expect((b.failures, b.confirm, b.timeout) == (9, 9, .seconds(30)))
    }

    @Test func `can take back what the defaults set`() throws {
        let target = try configuration(
            """
            defaults: {proxy: "http://p:1", bearer: swordfish, encoding: sjis, headers: {A: b}}
            targets:
              a: {url: "https://a.example/", proxy: null, encoding: ~, headers: {}}
              b: {url: "https://a.example/", basic_auth: {user: u, password: p}}
            """
        ).targets
        #expect(target[0].settings.proxy == nil && target[0].settings.encoding == nil)
        #expect(target[0].settings.headers.isEmpty && target[0].settings.bearer != nil)
        #expect(target[1].settings.bearer == nil && target[1].settings.basicAuth != nil)
    }

    @Test(arguments: [("5min", 30, 60), ("10s", 10, 10), ("45s", 30, 45)])
    func `confirm and retry within the interval`(interval: String, confirm: Int, retry: Int) throws
    {
        let target = try settings("interval: \(interval)")
        #expect(target.confirmInterval == .seconds(confirm))
        #expect(target.retryInterval == .seconds(retry))
    }

    @Test func `resolve paths from the folder of the file`() throws {
        let folder = try ConfigurationFolder("defaults: {ca_file: ca.pem, bearer: {file: token}}")
        try folder.folder.write("PEM", to: "ca.pem")
        try folder.folder.write("swordfish\n", to: "token")
        let defaults = folder.load().configuration.defaults
        #expect(defaults.caFile == folder.folder.file("ca.pem"))
        #expect(defaults.bearer?.reveal() == "swordfish")
        #expect(defaults.bearer?.origin == .file(folder.folder.file("token")))
    }

    @Test func `are shared among targets that have the same`() throws {
        let targets = try configuration(
            """
            x-shop: &shop {confirm: 4}
            targets:
              a: {url: "https://a.example/", <<: *shop}
              b: {url: "https://b.example/", <<: *shop}
              c: {url: "https://c.example/"}
              d: {url: "https://d.example/"}
            """
        ).targets
        #expect(targets[0].shared === targets[1].shared)
        #expect(targets[2].shared === targets[3].shared)
        #expect(targets[1].shared !== targets[2].shared)
    }
}

@Suite struct `A secret` {
    @Test func `is never shown`() throws {
        let target = try configuration(
            """
            targets:
              a:
                url: https://u:swordfish@a.example/
                bearer: swordfish
                headers: {X-Api-Key: swordfish, Cookie: swordfish}
                proxy: http://u:swordfish@p.example:1
                client_certificate: {certificate: /dev/null, password: swordfish}
            """
        ).targets[0]
        var dumped = ""
        dump(target.settings, to: &dumped)
        #expect(!dumped.contains("swordfish"))
        #expect(!"\(target.settings)".contains("swordfish"))
        #expect(!String(reflecting: target.settings).contains("swordfish"))
        #expect(!String(decoding: target.encoded(), as: UTF8.self).contains("swordfish"))
        #expect(target.settings.bearer?.reveal() == "swordfish")
        #expect(target.url.credentials?.password == "swordfish")
    }

    @Test(arguments: [
        "bearer: [swordfish]", "bearer: {literal: swordfish}", "proxy: 'swordfish://x'",
        "headers: {A: \"swordfish\\n\"}", "basic_auth: swordfish",
        "basic_auth: {user: 'a:swordfish', password: x}", "url: https://u:swordfish@/",
        "url: gopher://u:swordfish@h/",
    ])
    func `is not shown by mistakes either`(line: String) throws {
        let folder = try ConfigurationFolder("targets:\n  a:\n    \(line)\n")
        let mistakes = folder.mistakes(folder.load())
        #expect(!mistakes.isEmpty)
        #expect(!mistakes.contains { $0.contains(":swordfish") || $0.contains("\"swordfish") })
    }

    @Test func `is read anew when its file has changed, which is an edit of the target`() throws {
        let folder = try ConfigurationFolder(
            "targets: {a: {url: \"https://a.example/\", bearer: {file: token}}}")
        try folder.folder.write("one\n", to: "token")
        let one = folder.load().configuration.targets[0]
        let again = folder.load().configuration.targets[0]
        try folder.folder.write("two\n", to: "token")
        let two = folder.load().configuration.targets[0]
        #expect(one == again && one.fingerprint == again.fingerprint)
        #expect(one != two && !one.isSame(as: two))
        #expect(one.fingerprint != two.fingerprint)
    }
}
