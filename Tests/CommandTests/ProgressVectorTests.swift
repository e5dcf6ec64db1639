import LoopbackSite
import TestSupport
import Testing

/// What a load of `path` tells before anything has come.
private func start(_ path: String) -> [String] {
    ["estimatedProgress 0.1", "url \(path)", "isLoading true", "started"]
}

/// What a commit tells with its first block.
private func commit(_ progress: String, title: String?) -> [String] {
    ["estimatedProgress \(progress)", "title \"\"", "committed 200"]
        + (title.map { ["title \"\($0)\""] } ?? [])
}

private let end = ["estimatedProgress 1.0", "isLoading false", "finished 200"]

private func progress(_ values: String...) -> [String] {
    values.map { "estimatedProgress \($0)" }
}

/// A page whose blocks come at known moments, and what must be told of them.
private struct Vector: CustomTestStringConvertible {
    let path: String
    let story: [String]
    /// Seconds between the values that are told; nil where time plays no part.
    let rhythm: Double?

    var testDescription: String { path }
}

@Suite(.inTurns, .timeLimit(.minutes(15))) struct `The progress of a page, end to end` {
    fileprivate static let vectors = [
        Vector(
            path: "/v1",
            story: start("/v1") + commit("0.14", title: "V1")
                + progress(
                    "0.224444", "0.308889", "0.393333", "0.477778", "0.562222", "0.646667",
                    "0.731111", "0.815556", "0.9") + end, rhythm: 0.25),
        Vector(path: "/v2", story: start("/v2") + commit("0.5", title: "V2") + end, rhythm: nil),
        Vector(
            path: "/v3",
            story: start("/v3") + commit("0.197656", title: "V3")
                + progress(
                    "0.424511", "0.651367", "0.878222", "0.881852", "0.885481", "0.889111",
                    "0.892741", "0.89637", "0.9") + end, rhythm: 0.25),
        Vector(
            path: "/v4",
            story: start("/v4") + commit("0.124414", title: "V4")
                + progress(
                    "0.174829", "0.225244", "0.275659", "0.326074", "0.37649", "0.426905", "0.47732"
                ) + end, rhythm: 0.25),
        Vector(
            path: "/v5", story: start("/v5") + commit("0.22207", title: "V5") + end, rhythm: nil),
        // Blocks each 120 ms, told each 200 ms: every other one is.
        Vector(
            path: "/v6",
            story: start("/v6") + commit("0.14", title: "V6") + progress("0.308889", "0.477778")
                + [
                    "estimatedProgress 1.0", "isLoading false",
                    "failed body/connectionReset after commit",
                ], rhythm: 0.24),
        Vector(
            path: "/v8",
            story: start("/v8") + ["title \"\"", "committed 200", "title null"] + end, rhythm: nil),
        Vector(
            path: "/v9",
            story: start("/v9") + [
                "isLoading false", "url none", "failed content/noContent before commit",
                "estimatedProgress 1.0",
            ], rhythm: nil),
        Vector(
            path: "/v10",
            story: start("/v10") + [
                "url /v10/2", "redirected /v10/2 302 http", "url /v10/1",
                "redirected /v10/1 302 http", "url /v10/0", "redirected /v10/0 302 http",
            ] + commit("0.5", title: "V10") + end, rhythm: nil),
    ]

    @Test(arguments: vectors)
    fileprivate func `tells exactly the values of the vectors, in order`(vector: Vector)
        async throws
    {
        let site = try await LoopbackSite.start()
        var told = try await events(of: vector.path, on: site)
        // A machine that stood still for a moment has had other blocks in a turn than the server
        // sent, and says nothing about the formula. It shows in the times of what was told.
        var attempts = 1
        while !isInTime(told, rhythm: vector.rhythm), attempts < 6 {
            told = try await events(of: vector.path, on: site)
            attempts += 1
        }
        #expect(told.map(\.description) == vector.story)
        await site.stop()
    }

    /// Whether the values of blocks were told at the moments at which the server sent them.
    private func isInTime(_ told: [ToldEvent], rhythm: Double?) -> Bool {
        guard let rhythm else { return true }
        let blocks = told.filter { $0.description.hasPrefix("estimatedProgress") }.dropFirst()
            .dropLast()
        return zip(blocks, blocks.dropFirst()).allSatisfy { abs($1.time - $0.time - rhythm) < 0.03 }
    }

    @Test func `ends in the order for a failure after the commit`() async throws {
        let site = try await LoopbackSite.start()
        let told = try await events(of: "/reset-after-commit", on: site)
        let story =
            start("/reset-after-commit") + commit("0.3", title: "Reset") + [
                "estimatedProgress 1.0", "isLoading false",
                "failed body/connectionReset after commit",
            ]
        #expect(told.map(\.description) == story)
        await site.stop()
    }

    @Test func `ends in the order for a failure before the commit`() async throws {
        let site = try await LoopbackSite.start()
        await site.stop()
        let told = try await events(of: "/", on: site)
        let story =
            start("/") + [
                "isLoading false", "url none", "failed connect/refused before commit",
                "estimatedProgress 1.0",
            ]
        #expect(told.map(\.description) == story)
    }

    @Test func `of a followed refresh begins anew in the same load`() async throws {
        let site = try await LoopbackSite.start(
            text: """
                serve /first
                head 200 text/html; charset=utf-8
                block 1000 <meta http-equiv=refresh content="0; url=/second"><title>1</title><p>
                serve /second
                head 200 text/html; charset=utf-8
                block 1000 <title>2</title><p>
                """)
        let told = try await events(of: "/first", on: site)
        let story =
            start("/first") + commit("0.5", title: "1") + [
                "url /second", "redirected /second 200 refresh", "estimatedProgress 0.1",
                "estimatedProgress 0.5", "title \"\"", "committed 200", "title \"2\"",
            ] + end
        #expect(told.map(\.description) == story)
        await site.stop()
    }

    @Test func `counts what came over the wire of a compressed page`() async throws {
        let site = try await LoopbackSite.start()
        let told = try await events(of: "/gzip", on: site)
        let values = told.map(\.description).filter { $0.hasPrefix("estimatedProgress") }
        #expect(values.first == "estimatedProgress 0.1")
        #expect(values.last == "estimatedProgress 1.0")
        #expect(values.count == 3, "\(values)")
        await site.stop()
    }
}
