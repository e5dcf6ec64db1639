/// What is wrong with a value that somebody wrote, and what would be right.
package struct ValueError: Error, Equatable, Sendable {
    /// Begins with the value in quotes, where it may be shown.
    package let problem: String
    package let remedy: String
    /// Whether it may be right, and only could not be looked up just now.
    let isPassing: Bool

    package init(_ problem: String, remedy: String) {
        self.init(problem, remedy: remedy, isPassing: false)
    }

    init(_ problem: String, remedy: String, isPassing: Bool) {
        self.problem = problem
        self.remedy = remedy
        self.isPassing = isPassing
    }

    /// The rest of a sentence that begins with the name of an option or key.
    package var message: String { "\(problem) (\(remedy))" }
}

/// Lengths of time as people write them: `30s`, `1min30s`, `1.5h`.
package enum WrittenDuration {
    /// What a number without a unit is.
    package enum BareNumber: Sendable {
        case seconds
        case mistake
    }

    /// The shortest and the longest that are of use anywhere.
    package static let widest: ClosedRange<Duration> = .milliseconds(1)...(.seconds(366 * 86_400))

    private static let billion: Int64 = 1_000_000_000
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400 * billion), ("h", 3600 * billion), ("min", 60 * billion), ("s", billion),
        ("ms", 1_000_000),
    ]

    /// Reads a length of time above zero.
    ///
    /// - Throws: What is wrong with it.
    package static func read(
        _ text: String, bareNumber: BareNumber, in range: ClosedRange<Duration> = widest
    ) throws(ValueError) -> Duration {
        // Made for errors only: most texts are right, and there may be 100,000.
        var shown: String { Quoted.shown(text) }
        let sample = "write \"5s\" or \"2min\""
        if text.utf8.first == UInt8(ascii: "-"), text.utf8.count > 1 {
            throw ValueError("\(shown) is negative", remedy: sample)
        }
        let length: Duration
        switch sum(of: text) {
        case .none: throw ValueError("\(shown) is not a duration", remedy: sample)
        case .bare(let seconds):
            if bareNumber == .mistake {
                let number = text.filter { $0 != " " }
                throw ValueError("\(shown) has no unit", remedy: "write \(number)s for seconds")
            }
            length = seconds
        case .length(let sum): length = sum
        }
        guard length > .zero else {
            throw ValueError("\(shown) must be more than zero", remedy: sample)
        }
        guard length >= range.lowerBound else {
            let least = write(range.lowerBound)
            throw ValueError("\(shown) is shorter than \(least)", remedy: "write \(least) or more")
        }
        guard length <= range.upperBound else {
            let isWidest = range.upperBound == widest.upperBound
            let most = write(range.upperBound)
            throw ValueError(
                "\(shown) is longer than \(isWidest ? "a year" : most)",
                remedy: isWidest ? sample : "write \(most) or less")
        }
        return length
    }

    private enum Sum {
        case none
        case bare(Duration)
        case length(Duration)
    }

    /// Terms of a number and a unit added up; what is too long for an Int64 of nanoseconds becomes
    /// the longest.
    private static func sum(of text: String) -> Sum {
        var rest = Substring(text).drop { $0 == " " }
        var nanoseconds: Int64 = 0
        var terms = 0
        while !rest.isEmpty {
            guard let number = DecimalNumber(from: &rest) else { return .none }
            rest = rest.drop { $0 == " " }
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            terms += 1
            guard let length = nanosecondsPerUnit(unit) else {
                // A number alone is seconds; one beside others must say what it counts.
                guard unit.isEmpty, terms == 1, rest.isEmpty else { return .none }
                return .bare(.nanoseconds(number.scaled(by: billion) ?? .max))
            }
            let (sum, overflow) = nanoseconds.addingReportingOverflow(
                number.scaled(by: length) ?? .max)
            nanoseconds = overflow ? .max : sum
        }
        return terms > 0 ? .length(.nanoseconds(nanoseconds)) : .none
    }

    private static func nanosecondsPerUnit(_ unit: Substring) -> Int64? {
        switch unit {
        case "ms": 1_000_000
        case "s", "sec": billion
        case "m", "min": 60 * billion
        case "h": 3600 * billion
        case "d": 86_400 * billion
        case "w": 7 * 86_400 * billion
        default: nil
        }
    }

    /// The shortest way to write a length of time with one unit: `90s`, `5min`, `1.5ms`.
    package static func write(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * billion + attoseconds / billion
        for unit in units where nanoseconds % unit.nanoseconds == 0 {
            return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
        }
        var fraction = String(1_000_000 + nanoseconds % 1_000_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(nanoseconds / 1_000_000).\(fraction)ms"
    }
}
