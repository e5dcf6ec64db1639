import Glibc
import LoopbackSite
import TestSupport
import Testing

private let promtool = "/usr/bin/promtool"

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The metrics` {
    let watched: WatchedFolder

    init() throws { watched = try WatchedFolder() }

    /// The metrics of a service with a good, a changing, a failing and a retired target.
    private func metrics() async throws -> String {
        let site = try await LoopbackSite.playing(
            """
            serve /changing
            times 1
            head 200 text/html
            text <title>Before</title>
            serve /bad
            head 500 text/html
            text x
            serve /{page}
            head 200 text/html
            text <title>After</title>
            """)
        let lines = ["good", "changing", "bad", "gone"].map { name in
            "\(name): {url: \"\(site.url("/\(name)"))\", tags: ['say\"hi\"', 'a\\b']}"
        }
        try watched.configure("confirm: 1, failures: 1", targets: lines)
        let daemon = try watched.start()
        try await watched.isServed()
        try await watched.target("bad", until: "it to fail") { $0["state"].string == "failing" }
        try await site.waitForRequest("/changing", number: 3)
        try watched.configure("confirm: 1, failures: 1", targets: Array(lines.prefix(3)))
        _ = try await watched.ask("POST /v1/reconfigure")
        let answer = try await watched.ask("GET /metrics")
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        try await daemon.end()
        await site.stop()
        return answer.body
    }

    @Test func `are what they say of the targets and of the loads`() async throws {
        let text = try await metrics()
        let format = MetricsText(text)
        #expect(format.mistakes == [])
        let labels = "{target=\"NAME\",tags=\"say\\\"hi\\\",a\\\\b\"}"
        let value = { (name: String, target: String) in
            format.values["pagewatch_\(name)" + labels.replacing("NAME", with: target)]
        }
        #expect(value("target_up", "good") == 1)
        #expect(value("target_up", "bad") == 0)
        #expect(value("title_changes_total", "changing") == 1)
        #expect(value("title_changes_total", "good") == 0)
        #expect(value("last_good_load_timestamp_seconds", "good") ?? 0 > 1e9)
        #expect(value("last_good_load_timestamp_seconds", "bad") == nil)
        #expect(!text.contains("target=\"gone\""))
        let loads = format.values["pagewatch_loads_total{outcome=\"good\"}"] ?? 0
        let failed = format.values["pagewatch_loads_total{outcome=\"failed\"}"] ?? 0
        #expect(loads >= 5 && failed >= 1)
        let total = "pagewatch_load_duration_seconds_count{phase=\"total\"}"
        #expect(format.values[total] == loads + failed)
        #expect(format.values["pagewatch_targets{state=\"failing\"}"] == 1)
    }

    @Test(.enabled(if: access(promtool, X_OK) == 0, "needs promtool (Debian: prometheus)"))
    func `are clean for promtool`() async throws {
        var program = Program(promtool, ["check", "metrics"])
        program.input = Array(try await metrics().utf8)
        let outcome = try await program.run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.outputText + outcome.errorText == "")
    }
}

/// What Prometheus' text format holds, and what is wrong with it.
struct MetricsText {
    private(set) var mistakes: [String] = []
    /// By the name with its labels, as they stand there.
    private(set) var values: [String: Double] = [:]
    /// The type of each family.
    private(set) var types: [String: String] = [:]
    private var helped: Set<String> = []
    private var current = ""
    private var closed: Set<String> = []

    init(_ text: String) {
        if !text.hasSuffix("\n") { mistakes.append("the last line is not whole") }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") { readHead(line) } else { readSample(line) }
        }
        for (family, type) in types where type == "histogram" { checkHistogram(family) }
    }

    private mutating func readHead(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        guard words.count == 4 else { return mistakes.append("\(line)") }
        switch words[1] {
        case "HELP":
            if !helped.insert(words[2]).inserted { mistakes.append("HELP twice: \(words[2])") }
        case "TYPE":
            if !helped.contains(words[2]) { mistakes.append("no HELP: \(words[2])") }
            if types[words[2]] != nil { mistakes.append("TYPE twice: \(words[2])") }
            types[words[2]] = words[3]
            if words[3] == "counter", !words[2].hasSuffix("_total") {
                mistakes.append("a counter without _total: \(words[2])")
            }
            closed.insert(current)
            current = words[2]
        default: mistakes.append("\(line)")
        }
    }

    private mutating func readSample(_ line: Substring) {
        guard let space = line.lastIndex(of: " "), let value = Double(line[space...].dropFirst())
        else { return mistakes.append("no value: \(line)") }
        let key = String(line[..<space])
        let name = String(key.prefix { $0 != "{" })
        let family = ["_bucket", "_sum", "_count"]
            .compactMap { name.hasSuffix($0) ? String(name.dropLast($0.count)) : nil }
            .first { types[$0] == "histogram" }
        if family ?? name != current { mistakes.append("outside of its family: \(line)") }
        if closed.contains(family ?? name) { mistakes.append("in pieces: \(line)") }
        if values.updateValue(value, forKey: key) != nil { mistakes.append("twice: \(key)") }
        if types[family ?? name] != "gauge", value < 0 { mistakes.append("negative: \(line)") }
    }

    private mutating func checkHistogram(_ family: String) {
        var series: [String: [(bound: Double, count: Double)]] = [:]
        for (key, value) in values where key.hasPrefix(family + "_bucket{") {
            let labels = key.dropFirst(family.count + 8).dropLast().split(separator: ",")
            guard let bound = labels.last?.dropFirst(4).dropLast(),
                let number = bound == "+Inf" ? .infinity : Double(bound)
            else {
                mistakes.append("no bound: \(key)")
                continue
            }
            let rest = labels.dropLast().joined(separator: ",")
            series[rest, default: []].append((number, value))
        }
        if series.isEmpty { mistakes.append("no buckets: \(family)") }
        for (labels, buckets) in series {
            let sorted = buckets.sorted { $0.bound < $1.bound }
            let name = labels.isEmpty ? "" : "{\(labels)}"
            if zip(sorted, sorted.dropFirst()).contains(where: { $0.count > $1.count }) {
                mistakes.append("not cumulative: \(family)\(name)")
            }
            if sorted.last?.bound != .infinity
                || sorted.last?.count != values["\(family)_count\(name)"]
            {
                mistakes.append("+Inf is not the count: \(family)\(name)")
            }
            if values["\(family)_sum\(name)"] == nil { mistakes.append("no sum: \(family)") }
        }
    }
}
