import Patterns

/// What a target's definition says about when a title counts.
///
/// It holds compiled patterns, so one thread at a time may use it.
package struct Rules {
    /// Good loads in a row that must show a new title; at least 1.
    package var confirm: Int
    /// Failed loads in a row before `failing`; at least 1.
    package var failures: Int
    /// What is removed from a title before it is compared.
    package var ignore: [Pattern]
    package var expectTitle: Pattern?
    package var rejectTitle: Pattern?
    /// Searched in the final URL: a page that sends us to its login is not the page.
    package var expectURL: Pattern?
    package var okStatus: [ClosedRange<Int>]

    package init(
        confirm: Int = 2, failures: Int = 3, ignore: [Pattern] = [], expectTitle: Pattern? = nil,
        rejectTitle: Pattern? = nil, expectURL: Pattern? = nil,
        okStatus: [ClosedRange<Int>] = [200...399]
    ) {
        self.confirm = max(1, confirm)
        self.failures = max(1, failures)
        self.ignore = ignore
        self.expectTitle = expectTitle
        self.rejectTitle = rejectTitle
        self.expectURL = expectURL
        self.okStatus = okStatus
    }

    /// A number that differs when a rule does that bears on which titles are the same.
    ///
    /// `confirm` and `failures` are left out: they say how often, not what.
    var fingerprint: UInt64 {
        var hash = StableHash()
        hash.add(ignore.count)
        for pattern in ignore { hash.add(pattern.source) }
        for pattern in [expectTitle, rejectTitle, expectURL] { hash.add(pattern?.source) }
        for range in okStatus {
            hash.add(range.lowerBound)
            hash.add(range.upperBound)
        }
        return hash.value
    }
}

/// Compiled patterns by their text, so that many targets with the same rule share one.
///
/// A pattern stays as long as the shelf; make a new shelf for each configuration.
package final class PatternShelf {
    private var patterns: [String: Pattern] = [:]

    package init() {}

    /// The pattern of that text, compiled at most once.
    ///
    /// - Throws: ``PatternError`` if it does not compile.
    package func pattern(_ source: String) throws(PatternError) -> Pattern {
        // Canonically equivalent texts are other patterns, but equal keys: compare the bytes, too.
        if let known = patterns[source], isSame(known.source, source) { return known }
        let made = try Pattern(source)
        patterns[source] = made
        return made
    }
}
