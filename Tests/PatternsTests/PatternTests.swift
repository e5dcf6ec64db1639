import Testing

@testable import Patterns

@Suite struct `Pattern search` {
    @Test(arguments: [
        ("b+", "abbc", 1..<3), ("^$", "", 0..<0), ("", "abc", 0..<0), ("é$", "né", 1..<3),
        ("(?i)ÜBER", "ein über", 4..<9), (#"\bß"#, "aß ß", 4..<6), (".", "😀", 0..<4),
        (#"\w+"#, "–żółw–", 3..<10), ("a\0b", "xa\0b", 1..<4), ("(a)(b)(c)", "abc", 0..<3),
    ])
    func `finds the first match anywhere, by Unicode's rules`(
        pattern: String, text: String, range: Range<Int>
    ) throws {
        #expect(try Pattern(pattern).firstMatch(in: text) == .match(range))
    }

    @Test func `begins where it is told, with what is before in sight`() throws {
        #expect(try Pattern("a").firstMatch(in: "aba", from: 1) == .match(2..<3))
        #expect(try Pattern("^b").firstMatch(in: "ab", from: 1) == .noMatch)
        #expect(try Pattern("(?<=a)b").firstMatch(in: "ab", from: 1) == .match(1..<2))
        #expect(try Pattern("$").firstMatch(in: "ab", from: 2) == .match(2..<2))
        #expect(try Pattern("a").firstMatch(in: "a", from: 2) == .noMatch)
        #expect(try Pattern("a").firstMatch(in: "a", from: -1) == .noMatch)
    }

    @Test func `tells that there is none`() throws {
        #expect(try Pattern("^b").firstMatch(in: "ab") == .noMatch)
        #expect(try Pattern("x").firstMatch(in: "") == .noMatch)
    }

    @Test(arguments: ["^(a+)+$", "(a|aa)+$", "(?:.*)*(?:.*)*[xy]$", "^(a(?1)?)+$"])
    func `gives up on a pattern that would search for ever`(pattern: String) throws {
        let text = String(repeating: "a", count: 5000) + "!"
        let started = ContinuousClock.now
        #expect(try Pattern(pattern).firstMatch(in: text) == .limitExceeded)
        // What is bounded are steps; the time only shows a bound that does not hold at all.
        #expect(ContinuousClock.now - started < .seconds(20))
    }

    @Test func `searches the longest title there can be`() throws {
        let text = String(repeating: "word ", count: (1 << 20) / 5) + "end"
        #expect(
            try Pattern("end$").firstMatch(in: text)
                == .match(text.utf8.count - 3..<text.utf8.count))
        #expect(try Pattern("nowhere").firstMatch(in: text) == .noMatch)
    }

    @Test func `can be used again after it gave up`() throws {
        let pattern = try Pattern("^(a+)+$")
        #expect(pattern.firstMatch(in: String(repeating: "a", count: 100) + "!") == .limitExceeded)
        #expect(pattern.firstMatch(in: "aaa") == .match(0..<3))
    }
}

@Suite struct `Pattern error` {
    @Test(arguments: [
        (
            "ab(c",
            #"at its end: missing closing parenthesis (write "\(" for the character itself)"#
        ),
        (
            "a)",
            #"at character 2: unmatched closing parenthesis (write "\)" for the character itself)"#
        ),
        (
            "ü*[a",
            #"at its end: missing terminating ] for character class (write "\[" for the character itself)"#
        ),
        (
            "*a",
            #"at character 1: quantifier does not follow a repeatable item (write "\*", "\+" or "\?" for the character itself)"#
        ),
        (#"a\"#, #"at its end: \ at end of pattern (write "\\" for a backslash)"#),
        (#"a\C"#, #"at its end: using \C is disabled by the application"#),
    ])
    func `says where, what, and the way out`(pattern: String, text: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.description == text)
        #expect(error?.source == pattern)
    }
}
