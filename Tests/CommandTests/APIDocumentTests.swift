import Control
import Events
import Glibc
import LoopbackSite
import TestSupport
import Testing

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The document of the API` {
    private let text: String

    init() throws {
        // FILE is PROJECT/Tests/CommandTests/APIDocumentTests.swift.
        let project = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        text = try TextFile.read("/\(project)/docs/API.md")
    }

    /// The cells of all rows of tables under a heading.
    private func rows(under heading: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
        return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }.dropFirst()
            .map { line in
                line.dropFirst(2).dropLast(2).split(
                    separator: " | ", omittingEmptySubsequences: false
                ).map { $0.hasPrefix(" ") ? String($0.dropFirst()) : String($0) }
            }
    }

    /// The words between backquotes.
    private func words(_ cell: String) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
    }

    /// The keys that a table has: those of its first column, and those of objects in its last.
    private func keys(under heading: String) -> Set<String> {
        let rows = rows(under: heading)
        return Set(rows.flatMap { words($0.first ?? "") })
    }

    @Test func `has every endpoint with its parameters, and no other`() {
        let documented = rows(under: "Endpoints").map { words($0[0])[0] }
        #expect(documented == API.routes.map { "\($0.method) \($0.path)" })
    }

    @Test func `has the figures of the code`() {
        let limits = HTTPServer.Limits()
        #expect(text.contains("\(limits.connections) clients are connected"))
        #expect(text.contains("\(limits.connections) connections at a time"))
        #expect(text.contains("its body has at most \(limits.requestBytes >> 10) KiB"))
        #expect(limits.patience == .seconds(30))
        #expect(EventRing.usualCapacity == 32_768)
    }

    @Test func `has every key of the answers with its type, and no other`() async throws {
        let site = try await LoopbackSite.playing(
            """
            serve /bad
            head 500 text/html
            text x
            serve /retry
            head 503 text/html
            header Retry-After: 600
            text x
            serve /{page}
            head 200 text/html
            text <title>{page}</title>
            """)
        let watched = try WatchedFolder()
        let targets = ["good", "bad", "retry"].map { name in
            "\(name): {url: \"\(site.url("/\(name)"))\", tags: [x]}"
        }
        try watched.configure("confirm: 1, failures: 1", targets: targets)
        let daemon = try watched.start()
        try await watched.isServed()
        try await watched.target("bad", until: "it to fail") { $0["state"].string == "failing" }
        try await watched.target("good", until: "a title") { $0["title"] != .null }
        for page in ["one", "two"] {
            _ = try await watched.ask(
                "POST /v1/targets/good/load?wait=1&url=\(site.url("/" + page))")
        }
        _ = try await watched.ask("POST /v1/targets/good/back?wait=1")
        var status = JSONTypes()
        status.add(try await watched.ask("GET /v1/status").json)
        var target = JSONTypes()
        target.add(try await watched.ask("GET /v1/targets").json)
        let reconfigured = try await watched.ask("POST /v1/reconfigure").json
        try await daemon.end()
        await site.stop()

        compare(status, with: "The service")
        compare(target, with: "Targets")
        let all = Set(words(text.split(separator: "## Reconfiguring").last.map(String.init) ?? ""))
        guard case .object(let members) = reconfigured else { throw Unmet("an object") }
        for key in members.keys {
            #expect(all.contains(key) || text.contains("\"\(key)\":"), "\(key)")
        }
    }

    /// Holds the keys that were seen against those of a section, and their types.
    private func compare(_ seen: JSONTypes, with section: String) {
        let rows = rows(under: section)
        let first = Set(rows.flatMap { words($0[0]) })
        let inside = rows.filter { $0[1].contains("object") || $0[1] == "array" }
            .flatMap { Self.names(words($0[2])) }
        // `error` has keys that the section tells in a sentence.
        let documented = first.union(inside).union(["phase", "code", "message"])
        for key in seen.known.keys { #expect(documented.contains(key), "\(section): \(key)") }
        for key in first.union(inside) { #expect(seen.known[key] != nil, "\(section): \(key)") }
        for row in rows {
            for key in words(row[0]) {
                guard let type = seen.known[key], !type.isEmpty else { continue }
                let written = type == "boolean" ? "true or false" : type
                #expect(row[1].contains(written), "\(section): \(key) is \(type), not \(row[1])")
            }
        }
    }

    /// The names that are meant by words such as `{"state", "count"}` and `url`.
    private static func names(_ words: [String]) -> [String] {
        words.flatMap { word in
            word.hasPrefix("{")
                ? word.split { "{}\", ".contains($0) }.map(String.init)
                : word.allSatisfy { $0.isLetter } ? [word] : []
        }
    }

    @Test func `has every metric with its type, and no other`() async throws {
        let site = try await LoopbackSite.playing(
            "serve /a\nhead 200 text/html\ntext <title>A</title>")
        let watched = try WatchedFolder()
        try watched.configure("confirm: 1", "a: {url: \"\(site.url("/a"))\"}")
        let daemon = try watched.start()
        try await daemon.wait(for: "a: first seen")
        let metrics = MetricsText(try await watched.ask("GET /metrics").body)
        try await daemon.end()
        await site.stop()
        let documented = rows(under: "Metrics").map { (words($0[0])[0], $0[1]) }
        #expect(Dictionary(documented) { first, _ in first } == metrics.types)
        #expect(documented.count == metrics.types.count)
    }

    @Test func `has every error that the sources know`() async throws {
        let project = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let documented = Set(rows(under: "Errors").flatMap { words($0[1]) })
        let pattern = #"(code: |Refusal\([^"]*|^ *\.[a-z][A-Za-z]*, )"[a-z][A-Za-z]*""#
        let found = try await Program(
            "grep",
            [
                "-rhoE", pattern, "\(project)/Sources/Control/API",
                "\(project)/Sources/Control/Server",
            ]
        ).run()
        let codes = Set(
            found.outputText.split(separator: "\n").compactMap { line in
                line.split(separator: "\"").last.map(String.init)
            })
        #expect(codes.count > 10)
        // `load` hands on what is wrong with a URL; `reconfigure` writes its error itself.
        #expect(
            codes.union(["malformedURL", "unsupportedScheme", "refused"]) == documented)
    }
}
