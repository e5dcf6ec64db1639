import Testing

@testable import pagewatch

/// What `pagewatch ARGUMENTS` answers without doing anything, as one text.
private func answer(_ arguments: String...) -> String { answer(arguments) }

private func answer(_ arguments: [String]) -> String {
    switch Program().request(for: arguments) {
    case .run: "run"
    case .tell(let text): "tell " + text
    case .report(let text): "report " + text
    case .refuse(let text): "refuse " + text
    }
}

/// The options that `pagewatch check ARGUMENTS` comes to.
private func options(_ arguments: String...) throws -> CheckOptions {
    let parser = ArgumentParser(
        CheckOptions.groups, exclusive: [["json", "events", "plugin"], ["ipv4", "ipv6"]])
    let outcome = try parser.parse(arguments, into: CheckOptions()) {
        (options, operand) throws(UsageError) in options.urls.append(operand)
    }
    guard case .run(let options) = outcome else { throw UsageError("not a run") }
    return options
}

@Suite struct `Arguments of check` {
    @Test func `have the documented defaults`() throws {
        var expected = CheckOptions()
        expected.urls = ["https://a/"]
        #expect(try options("https://a/") == expected)
        #expect(expected.form == .text)
        #expect(expected.timeouts.load == .seconds(30))
        #expect(expected.maxBytes == 67_108_864)
    }

    @Test func `fill in every option`() throws {
        let filled = try options(
            "a", "--from", "list", "--json", "-q", "--expect-title", "^A", "--changed=kept",
            "-m", "1min30s", "--resolve-timeout", "1", "--connect-timeout=2s", "--tls-timeout",
            "500ms", "--first-byte-timeout", "1.5", "--stall-timeout", "1h", "--concurrency", "7",
            "--per-host", "2", "--title-limit", "0", "--no-refresh", "--no-progress", "-H", "A: b",
            "--header=C:d", "-A", "agent", "-k", "--cacert", "ca.pem", "--resolve", "h:80:::1",
            "-6", "--max-redirects", "0", "--max-bytes", "1k", "-x", "http://p", "-u", "n:p:q",
            "--http2-prior-knowledge", "--encoding", "sjis", "b")
        var expected = CheckOptions()
        expected.urls = ["a", "b"]
        expected.from = "list"
        expected.form = .json
        expected.isQuiet = true
        expected.expectedTitle = "^A"
        expected.titleFile = "kept"
        expected.timeouts.load = .seconds(90)
        expected.timeouts.resolve = .seconds(1)
        expected.timeouts.connect = .seconds(2)
        expected.timeouts.tls = .milliseconds(500)
        expected.timeouts.firstByte = .milliseconds(1500)
        expected.timeouts.stall = .seconds(3600)
        expected.concurrency = 7
        expected.perHost = 2
        expected.titleLimit = 0
        expected.followsRefresh = false
        expected.showsProgress = false
        expected.headers = ["A: b", "C:d"]
        expected.userAgent = "agent"
        expected.isInsecure = true
        expected.caFile = "ca.pem"
        expected.resolve = ["h:80:::1"]
        expected.addressFamily = .ipv6
        expected.maxRedirects = 0
        expected.maxBytes = 1024
        expected.proxy = "http://p"
        expected.credentials = "n:p:q"
        expected.usesHTTP2PriorKnowledge = true
        expected.encoding = "sjis"
        #expect(filled == expected)
    }

    @Test func `bundle short options, the last with its value`() throws {
        let filled = try options("-kqm10", "-4", "-Aagent", "a")
        #expect(filled.isInsecure && filled.isQuiet)
        #expect(filled.timeouts.load == .seconds(10))
        #expect(filled.addressFamily == .ipv4)
        #expect(filled.userAgent == "agent")
    }

    @Test func `take what follows two dashes as it is`() throws {
        #expect(try options("-q", "--", "-k", "--json", "--").urls == ["-k", "--json", "--"])
        #expect(try options("-", "a").urls == ["-", "a"])
    }

    @Test func `take a value that looks like an option when it is attached`() throws {
        #expect(try options("--expect-title=--json", "a").expectedTitle == "--json")
        #expect(try options("--expect-title", "--x", "a").expectedTitle == "--x")
        #expect(try options("--expect-title=a=b", "a").expectedTitle == "a=b")
    }

    @Test func `count an option given twice as last given`() throws {
        #expect(try options("-m", "1", "-m", "2", "--json", "--json").timeouts.load == .seconds(2))
    }

    @Test(arguments: [
        "http://p:3128", "p", "p:3128", "socks5h://n:p@[::1]:1080", "https://p/", "HTTP://p",
    ])
    func `take a proxy as curl does`(proxy: String) throws {
        #expect(try options("-x", proxy, "a").proxy == proxy)
    }

    @Test func `say the same as the defaults in the help`() throws {
        for option in CheckOptions.groups.flatMap(\.options) {
            guard let value = option.facts.defaultValue else { continue }
            var filled = CheckOptions()
            try option.apply(&filled, value)
            #expect(filled == CheckOptions(), "--\(option.facts.long)")
        }
    }

    @Test func `have examples that are right, and names that are unique`() throws {
        var names: Set<String> = ["-h", "--help", "-V", "--version"]
        for option in CheckOptions.groups.flatMap(\.options) {
            for name in option.facts.names { #expect(names.insert(name).inserted, "\(name)") }
            guard option.facts.placeholder != nil else { continue }
            var filled = CheckOptions()
            // Quotes in an example are the shell's.
            let example = option.facts.example.filter { $0 != "'" && $0 != "\"" }
            try option.apply(&filled, example)
        }
    }
}

@Suite struct `Usage errors` {
    @Test(arguments: [
        (["--jsn", "a"], "--jsn is not an option (did you mean --json?)"),
        (["--tiemout=5", "a"], "--tiemout is not an option (did you mean --timeout?)"),
        (["--time", "5", "a"], "--time is not an option (did you mean --timeout?)"),
        (["--zzzzzzzz", "a"], "--zzzzzzzz is not an option (--help lists them)"),
        (["--json=1", "a"], "--json takes no value (write --json alone)"),
        (["-j", "a"], "-j is not an option (--help lists them)"),
        (["-qj", "a"], "-j in -qj is not an option (--help lists them)"),
        (["-Q", "a"], "-Q is not an option (did you mean -q, --quiet?)"),
        (["-json", "a"], "-json is not an option (write --json)"),
        (["-proxy=Secret", "a"], "-proxy is not an option (write --proxy)"),
        (["-Ume:secret", "a"], "-U is not an option (did you mean -u, --user?)"),
        (["-kE", "secret", "a"], "-E in -kE is not an option (--help lists them)"),
        (["-kEsecret", "a"], "-E in -kE is not an option (--help lists them)"),
        (["-sSL", "a"], "-s is not an option (leave it out, or write --no-progress)"),
        (["-kL", "a"], "-L in -kL is not an option (leave it out: redirects are followed)"),
        (["-o", "f", "a"], #"-o is not an option (write "> FILE" behind the command)"#),
        (["-v", "a"], "-v is not an option (write --events)"),
        (["--max-time=5", "a"], "--max-time is not an option (write --timeout)"),
        (["-q", "--events", "a"], "--quiet and --events exclude each other (write only one)"),
        (["-x", "me:secret@", "a"], "-x is no proxy's URL (write http://proxy.example:3128)"),
        (["-x", "http://", "a"], "-x is no proxy's URL (write http://proxy.example:3128)"),
        (["-x", "a b", "a"], "-x is no proxy's URL (write http://proxy.example:3128)"),
        (
            ["-x", "ftp://h", "a"],
            "-x has a scheme that is none of a proxy's (write http://proxy.example:3128)"
        ),
        (
            ["-x", "h:99999", "a"], "-x has a port that is none (write http://proxy.example:3128)"
        ),
        (["a", "--timeout"], "--timeout needs a value (write --timeout 30s)"),
        (["a", "-m"], "-m needs a value (write -m 30s)"),
        (["--from", "--json"], "--from needs a value, but --json follows (write --from urls.txt)"),
        (["--from=", "a"], "--from is empty (write --from urls.txt)"),
        (["-m", "5x", "a"], #"-m "5x" is not a duration (write "5s" or "2min")"#),
        (["--timeout", "-5s", "a"], #"--timeout "-5s" is negative (write "5s" or "2min")"#),
        (["-m0", "a"], #"-m "0" must be more than zero (write "5s" or "2min")"#),
        (["--per-host=x", "a"], #"--per-host "x" is not a whole number (write "1" to "1000")"#),
        (["--concurrency=0", "a"], #"--concurrency "0" is out of range (write "1" to "1000")"#),
        (["--max-bytes=2x", "a"], #"--max-bytes "2x" is not a size (write "500k" or "64MiB")"#),
        (["--json", "--events", "a"], "--json and --events exclude each other (write only one)"),
        (["-46", "a"], "--ipv4 and --ipv6 exclude each other (write only one)"),
        (["-H", "secret", "a"], #"-H has no colon (write "Name: value")"#),
        (
            ["-H", "A: b\r\nC: d", "a"],
            "-H holds a line break or another control character (leave it out)"
        ),
        (["-H", ": b", "a"], #"-H has a name that is none (write "Name: value")"#),
        (["-H", "A b: c", "a"], #"-H has a name that is none (write "Name: value")"#),
        (["-A", "a\nb", "a"], "-A holds a line break or another control character (leave it out)"),
        (["-u", "secret", "a"], "-u has no colon (write NAME:PASSWORD)"),
        (
            ["--resolve", "h:0:::1", "a"],
            #"--resolve "h:0:::1" is not HOST:PORT:ADDR (write example.com:443:127.0.0.1)"#
        ),
        (
            ["--expect-title", "a(b", "a"],
            #"--expect-title "a(b" is not a pattern, at its end: missing closing parenthesis "#
                + #"(write "\(" for the character itself)"#
        ),
        ([], #"no URL given (write "pagewatch check https://example.com/")"#),
        (["--x\u{1B}[2J\ny", "a"], #"--x\u001B[2J\u000Ay is not an option (--help lists them)"#),
    ])
    func `say in one line what is wrong and what would be right`(
        arguments: [String], message: String
    ) {
        let request = Program().request(for: ["check"] + arguments)
        guard case .refuse(let text) = request else {
            Issue.record("not refused")
            return
        }
        #expect(text == "pagewatch check: \(message)\n")
    }

    @Test func `go to standard output for a monitoring system`() {
        #expect(
            answer("check", "--plugin", "--jsn")
                == "report UNKNOWN - --jsn is not an option (did you mean --json?)\n")
    }

    @Test(arguments: [
        (["check", "--limit", "3"], #"--limit is an option of "history", not of "check""#),
        (
            ["check", "--force"],
            #"--force is an option of "daemon" and "reconfigure", not of "check""#
        ),
        (
            ["reload", "--config=x"],
            #"--config is an option of "check", "daemon" and "verify","#
                + #" not of "reload""#
        ),
        (["verify", "--json"], #"--json is an option of other commands, not of "verify""#),
    ])
    func `name the commands that an option belongs to`(arguments: [String], message: String) {
        let command = arguments[0]
        #expect(
            answer(arguments)
                == "refuse pagewatch \(command): \(message) (\"pagewatch help \(command)\" lists its own)\n"
        )
    }

    @Test(arguments: [
        (["--json"], #"--json belongs behind a command (write "pagewatch COMMAND --json")"#),
        (["--limit=3"], #"--limit belongs behind a command (write "pagewatch history --limit")"#),
        (
            ["--socket", "/run/s", "status"],
            #"--socket belongs behind a command (write "pagewatch status --socket")"#
        ),
        (["--nothing"], #"--nothing is not an option ("pagewatch --help" lists all)"#),
    ])
    func `put an option behind its command`(arguments: [String], message: String) {
        #expect(answer(arguments) == "refuse pagewatch: \(message)\n")
    }

    @Test(arguments: [
        ("start", "systemctl start pagewatch"), ("start", "pagewatch daemon"),
        ("run", "pagewatch daemon"), ("restart", "systemctl restart pagewatch"),
        ("list", "pagewatch status"), ("ls", "pagewatch status"), ("watch", "pagewatch tail"),
        ("watch", "pagewatch status --watch"), ("log", "pagewatch tail"),
        ("follow", "pagewatch tail"), ("logs", "pagewatch history"), ("test", "pagewatch verify"),
        ("add", "pagewatch reconfigure"), ("Delete", "pagewatch reconfigure"),
        ("disable", "pagewatch pause TARGET"), ("restore", "pagewatch help backup"),
    ])
    func `tell what does what other programs call so`(word: String, way: String) {
        let text = answer(word)
        #expect(text.hasPrefix("refuse pagewatch: \"\(word)\" is not a command ("))
        #expect(text.contains("\"\(way)\""), "\(text)")
    }

    @Test(arguments: [
        ("chek", #""chek" is not a command (did you mean "check"?)"#),
        ("https://a/", #""https://a/" is not a command (write "pagewatch check https://a/")"#),
        (
            "https://me:secret@a/",
            #""https://a/" is not a command (write "pagewatch check https://a/")"#
        ),
        ("version", #""version" is not a command (write "pagewatch --version")"#),
        ("wxyz", #""wxyz" is not a command ("pagewatch --help" lists all)"#),
        ("", #""" is not a command ("pagewatch --help" lists all)"#),
    ])
    func `name the command that was meant`(word: String, message: String) {
        #expect(answer(word) == "refuse pagewatch: \(message)\n")
    }
}

/// Numbers that look random and are the same in every run.
private struct SteadyNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // The low bits of such a sequence repeat early.
        return state ^ state >> 32
    }
}

@Suite struct `Any arguments` {
    /// Words that are near to what the parser knows.
    private static let words = [
        "check", "help", "--", "-", "", "--json", "--json=", "--from", "--from=-", "-m", "-m5",
        "-qk",
        "-kH", "--timeout", "1h", "-h", "--max-bytes=1k", "https://a/", "-é", "--é", "\u{1B}[2J",
        "\n",
        "--resolve", "a:1:b", "-u", "a:b", "--expect-title", "(", "=", "--=", "-=", "-46",
        "\u{301}",
    ]

    @Test func `are run, answered or refused in one line, and never fail`() {
        var generator = SteadyNumbers(state: 1)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...6, using: &generator)
            let arguments = (0..<count).compactMap { _ in
                Self.words.randomElement(using: &generator)
            }
            switch Program().request(for: arguments) {
            case .run, .tell: break
            case .report(let text), .refuse(let text):
                guard text.utf8.filter({ $0 < 0x20 }) == [10], text.utf8.last == 10 else {
                    Issue.record("\(arguments) was refused with \(text)")
                    return
                }
            }
        }
    }
}

@Suite struct `Help` {
    @Test func `is told when asked for, and refused with when nothing is`() {
        let help = answer("--help")
        #expect(help.hasPrefix("tell usage: pagewatch COMMAND"))
        #expect(answer("-h") == help)
        #expect(answer("help") == help)
        #expect(answer() == "refuse" + help.dropFirst(4))
    }

    @Test func `of a command is told in three ways, whatever follows`() {
        let help = answer("help", "check")
        #expect(help.hasPrefix("tell usage: pagewatch check [OPTION...] URL...\n"))
        #expect(answer("check", "--help", "--bogus") == help)
        #expect(answer("check", "-qh") == help)
        #expect(answer("help", "chek").hasPrefix("refuse pagewatch help: "))
    }

    @Test func `lists every option, default, exit code and example within 80 columns`() {
        let help = HelpText.of(.check)
        for option in CheckOptions.groups.flatMap(\.options) {
            for name in option.facts.names { #expect(help.contains(name), "\(name)") }
            if let value = option.facts.defaultValue {
                #expect(help.contains("(default \(value))"), "\(value)")
            }
        }
        for code in [0, 1, 2, 3, 130, 143] { #expect(help.contains("  \(code)  ")) }
        for line in (help + HelpText.of(Program.commands)).split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
            #expect(line.last != " ")
        }
    }

    @Test func `lists the keys of the configuration, or tells one`() {
        let all = answer("help", "keys")
        #expect(all.contains("\n  confirm             number, 1 to 100 (default 2), such as 3\n"))
        #expect(all.split(separator: "\n").allSatisfy { $0.count <= 85 })
        let one = answer("help", "keys", "per_host")
        #expect(
            one.hasSuffix(
                "\nlimits\n  per_host            number, 1 to 1000 (default 6), such as 2\n"))
        #expect(
            answer("help", "keys", "intervall")
                == "refuse pagewatch help: \"intervall\" is not a key"
                + " of the configuration (did you mean \"interval\"?)\n")
    }

    @Test func `has examples that the program takes`() {
        for example in Command.check.examples {
            let call = example.call.split(separator: "|")[0]
            let words = call.split(separator: " ").dropFirst(2)
                .map { String($0.filter { $0 != "'" }) }
            guard case .run = Program().request(for: ["check"] + words) else {
                Issue.record("refused: \(example.call)")
                continue
            }
        }
    }

    @Test func `tells the version before all else`() {
        #expect(answer("--version").hasPrefix("tell pagewatch \(Version.number)\nlibcurl/"))
        #expect(answer("-V") == answer("check", "-V"))
    }
}

@Suite struct `Exit code` {
    @Test func `is that of the first of 130, 2, 3 and 1 that happened`() {
        let order: [ExitCode] = [.interrupted, .pageFailed, .unusable, .titleNotAsExpected, .fine]
        #expect(order.map(\.rawValue) == [130, 2, 3, 1, 0])
        for (place, code) in order.enumerated() {
            for other in order[place...] {
                #expect(code.combined(with: other) == code)
                #expect(other.combined(with: code) == code)
            }
        }
    }
}
