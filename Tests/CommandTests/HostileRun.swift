import LoopbackSite
import TestSupport

/// The site with all scenarios, for the tests that change nothing on it and count nothing.
enum SharedSite {
    // To read all of them takes a second.
    private static let scenarios = Task { try Scenario.all(inFolder: Scenario.folder) }
    private static let started = Task {
        try await LoopbackSite.start(scenarios: try await scenarios.value)
    }

    /// It runs until the tests end.
    static func get() async throws -> LoopbackSite { try await started.value }

    /// A site of a test's own that plays those of them whose names begin so: the shared one may
    /// be busy with a hundred megabytes.
    static func own(_ names: String...) async throws -> LoopbackSite {
        let wanted = try await scenarios.value.filter { scenario in
            names.contains { scenario.name.hasPrefix($0) }
        }
        return try await LoopbackSite.start(scenarios: wanted)
    }
}

extension LoopbackSite {
    /// A site of a test's own, that plays nothing but what is written there.
    static func playing(_ text: String, alsoIPv6: Bool = false) async throws -> LoopbackSite {
        try await start(scenarios: [], text: text, alsoIPv6: alsoIPv6)
    }
}

/// What one run of `pagewatch check --json` said and used.
struct CheckRun {
    let outcome: Program.Outcome
    /// In the order in which they came.
    let results: [PageResult]

    var exitCode: CInt? { outcome.exitCode }

    /// The result of the page that was given so.
    func result(of initialURL: String) -> PageResult? {
        results.first { $0.initialURL == initialURL }
    }

    /// The only result; nil if there are none or several.
    var result: PageResult? { results.count == 1 ? results[0] : nil }

    /// Runs `pagewatch check --json` to its end.
    static func of(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) async throws -> CheckRun {
        try await of(arguments, environment: environment, input: input)
    }

    /// Runs `pagewatch check --json` to its end.
    static func of(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) async throws -> CheckRun {
        var program = Program.pagewatch(arguments: ["check", "--json"] + arguments)
        program.environment.merge(environment) { $1 }
        program.input = input.map { Array($0.utf8) }
        return CheckRun(try await program.run())
    }

    /// Runs it with its memory watched, and behind all that has to be on time.
    static func heavy(_ arguments: String...) async throws -> CheckRun {
        var program = Program(
            "nice", ["-n", "19", BuiltProducts.path("pagewatch"), "check", "--json"] + arguments)
        program.samplesMemory = true
        program.timeLimit = .seconds(120)
        return CheckRun(try await program.run())
    }

    /// For a run that waits for its test: among many tests it may be a minute until the test is
    /// its turn again.
    static let patience = [
        "--timeout", "10min", "--first-byte-timeout", "10min", "--stall-timeout", "10min",
    ]

    init(_ outcome: Program.Outcome) {
        self.outcome = outcome
        results = outcome.outputLines.compactMap { JSONValue($0).map { PageResult(json: $0) } }
    }
}

/// One result object.
struct PageResult {
    let json: JSONValue

    var initialURL: String? { json["initialURL"].string }
    var url: String? { json["url"].string }
    var title: String? { json["title"].string }
    var outcome: String? { json["outcome"].string }
    var status: Int? { json["status"].integer }
    var bytes: Int? { json["bytes"].integer }
    /// `PHASE: CODE`; nil without an error.
    var error: String? {
        guard let phase = json["error"]["phase"].string, let code = json["error"]["code"].string
        else { return nil }
        return "\(phase): \(code)"
    }
    var message: String? { json["error"]["message"].string }
    /// The statuses of the hops that led on.
    var redirectStatuses: [Int?] { json["redirects"].elements.map { $0["status"].integer } }
    var redirectURLs: [String?] { json["redirects"].elements.map { $0["url"].string } }
    var refreshDelay: Int? { json["refresh"]["delay"].integer }

    /// Seconds that a phase, or `total`, took.
    func seconds(_ phase: String) -> Double { json["timings"][phase].number ?? -1 }
}
