import Patterns
import Testing

@testable import Watching

@Suite struct `Our own side` {
    private static func side(
        url: String = "u", headers: [(name: String, value: String)] = [("a", "b")],
        secrets: [String?] = ["s"], encoding: String? = nil, userAgent: String? = "me",
        rules: Rules = Rules(), titleLimit: Int = 1000, readerVersion: UInt32 = 1
    ) -> OwnSide {
        OwnSide(
            url: url, headers: headers, secrets: secrets, encoding: encoding,
            userAgent: userAgent, rules: rules, titleLimit: titleLimit,
            readerVersion: readerVersion)
    }

    @Test func `tells which part was edited`() throws {
        let before = Self.side()
        #expect(Self.side().edits(since: before).isEmpty)
        #expect(Self.side(url: "v").edits(since: before) == .url)
        #expect(Self.side(headers: [("a", "c")]).edits(since: before) == .headers)
        #expect(Self.side(headers: [("ab", "")]).edits(since: before) == .headers)
        #expect(Self.side(headers: []).edits(since: before) == .headers)
        #expect(Self.side(secrets: ["t"]).edits(since: before) == .headers)
        #expect(Self.side(secrets: [nil]).edits(since: before) == .headers)
        #expect(Self.side(encoding: "UTF-8").edits(since: before) == .encoding)
        #expect(Self.side(encoding: "").edits(since: before) == .encoding)
        #expect(Self.side(userAgent: nil).edits(since: before) == .userAgent)
        #expect(Self.side(titleLimit: 0).edits(since: before) == .rules)
        #expect(Self.side(readerVersion: 2).edits(since: before) == .readerVersion)
        #expect(Self.side(url: "v", titleLimit: 5).edits(since: before).words == "url, rules")
    }

    @Test func `knows every rule that bears on titles`() throws {
        let shelf = PatternShelf()
        let pattern = try shelf.pattern("x")
        let plain = Rules().fingerprint
        let others = [
            Rules(ignore: [pattern]), Rules(expectTitle: pattern), Rules(rejectTitle: pattern),
            Rules(expectURL: pattern), Rules(okStatus: [200...299]),
            Rules(ignore: [pattern, pattern]),
        ].map(\.fingerprint)
        #expect(Set(others + [plain]).count == others.count + 1)
        #expect(Rules(confirm: 9, failures: 9).fingerprint == plain)
    }

    @Test func `shares patterns of the same bytes`() throws {
        let shelf = PatternShelf()
        #expect(try shelf.pattern("\u{e9}") === shelf.pattern("\u{e9}"))
        #expect(try shelf.pattern("e\u{301}").source.utf8.count == 3)
        #expect(try shelf.pattern("\u{e9}").source.utf8.count == 2)
    }

    @Test func `sees most edits of secrets, and keeps next to nothing of them`() {
        let traces: Set<UInt16> = Set((0..<1000).map { OwnSide.trace(of: ["secret-\($0)"]) })
        #expect(traces.count > 980)
        #expect(OwnSide.trace(of: ["a", nil]) != OwnSide.trace(of: [nil, "a"]))
    }
}
