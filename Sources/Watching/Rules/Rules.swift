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

/// Patterns for `ignore` that have a name.
package enum IgnorePreset: String, CaseIterable, Sendable {
    /// A number in brackets: `(3) Inbox`, `Inbox [12]`, `(99+) Feed`.
    case counter = "@counter"
    /// Any number, with its marks between digits: `1`, `1,234.5`, `12'000`.
    case number = "@number"
    /// A time of day: `14:05`, `14:05:59.123`, `2:05 pm`, `14:05 UTC`, `14:05+02:00`.
    case time = "@time"

    /// The pattern that the name stands for.
    package var pattern: String {
        switch self {
        case .counter: #"[(\[]\s*\d[\d.,\x{A0}\x{202F}]*\s*[kKmM]?\+?\s*[)\]]"#
        case .number: #"\d+(?:[.,'’\x{A0}\x{202F}]\d+)*"#
        case .time:
            #"(?<!\d)(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?!\d)"#
                + #"(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:Z\b|\s?(?:UTC|GMT)\b)?(?:[+-]\d\d:?\d\d\b)?"#
        }
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

    /// An entry of `ignore`: the name of an ``IgnorePreset``, or a pattern.
    ///
    /// - Throws: ``PatternError`` if it does not compile.
    package func ignore(_ entry: String) throws(PatternError) -> Pattern {
        try pattern(IgnorePreset(rawValue: entry)?.pattern ?? entry)
    }
}
