import Events

// Values as people write them. Each error is the rest of a sentence that begins with the option,
// such as `--timeout "5x" is not a duration (write "5s" or "2min")`.

/// A length of time such as `30s`, `1min30s`, `1.5h`; a number alone is seconds.
func parsedDuration(_ text: String) throws(UsageError) -> Duration {
    let wrong = UsageError("\(quoted(text)) is not a duration (write \"5s\" or \"2min\")")
    let tooLong = UsageError("\(quoted(text)) is longer than a year (write \"5s\" or \"2min\")")
    if text.utf8.first == UInt8(ascii: "-"), text.utf8.count > 1 {
        throw UsageError("\(quoted(text)) is negative (write \"5s\" or \"2min\")")
    }
    var rest = Substring(text).drop { $0 == " " }
    var nanoseconds: Int64 = 0
    var terms = 0
    while !rest.isEmpty {
        guard let number = DecimalNumber(from: &rest) else { throw wrong }
        rest = rest.drop { $0 == " " }
        let unit = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest.dropFirst(unit.count).drop { $0 == " " }
        terms += 1
        guard let length = nanosecondsPerUnit(String(unit)) else {
            // A number alone is seconds; one beside others must say what it counts.
            guard unit.isEmpty, terms == 1, rest.isEmpty else { throw wrong }
            guard let term = number.scaled(by: 1_000_000_000) else { throw tooLong }
            nanoseconds = term
            break
        }
        guard let term = number.scaled(by: length) else { throw tooLong }
        let (sum, overflow) = nanoseconds.addingReportingOverflow(term)
        guard !overflow else { throw tooLong }
        nanoseconds = sum
    }
    guard terms > 0 else { throw wrong }
    guard nanoseconds > 0 else {
        throw UsageError("\(quoted(text)) must be more than zero (write \"5s\" or \"2min\")")
    }
    guard nanoseconds >= 1_000_000 else {
        throw UsageError("\(quoted(text)) is shorter than 1ms (write \"1ms\" or more)")
    }
    guard nanoseconds <= 366 * 86_400 * 1_000_000_000 else { throw tooLong }
    return .nanoseconds(nanoseconds)
}

private func nanosecondsPerUnit(_ unit: String) -> Int64? {
    switch unit {
    case "ms": 1_000_000
    case "s", "sec": 1_000_000_000
    case "m", "min": 60 * 1_000_000_000
    case "h": 3600 * 1_000_000_000
    case "d": 86_400 * 1_000_000_000
    case "w": 7 * 86_400 * 1_000_000_000
    default: nil
    }
}

/// A number of bytes such as `500000`, `64MiB` or `1.5M`.
///
/// `k`, `M` and `G` are powers of 1024, as in curl; `kB`, `MB` and `GB` of 1000.
func parsedSize(_ text: String) throws(UsageError) -> Int64 {
    let wrong = UsageError("\(quoted(text)) is not a size (write \"500k\" or \"64MiB\")")
    var rest = Substring(text)
    guard let number = DecimalNumber(from: &rest) else { throw wrong }
    guard let unit = bytesPerUnit(rest.drop { $0 == " " }.lowercased()) else { throw wrong }
    guard let bytes = number.scaled(by: unit), bytes <= 1 << 50 else {
        throw UsageError("\(quoted(text)) is too large (write \"1024G\" or less)")
    }
    guard bytes > 0 else {
        throw UsageError("\(quoted(text)) must be at least one byte (write \"64MiB\")")
    }
    return bytes
}

private func bytesPerUnit(_ unit: String) -> Int64? {
    switch unit {
    case "", "b": 1
    case "k", "kib": 1 << 10
    case "m", "mib": 1 << 20
    case "g", "gib": 1 << 30
    case "kb": 1000
    case "mb": 1_000_000
    case "gb": 1_000_000_000
    default: nil
    }
}

/// A whole number in decimal digits within `range`.
func parsedCount(_ text: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : Substring(text)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw UsageError(
            "\(quoted(text)) is not a whole number (write \"\(range.lowerBound)\""
                + " to \"\(range.upperBound)\")")
    }
    guard let number = Int(text), range.contains(number) else {
        throw UsageError(
            "\(quoted(text)) is out of range (write \"\(range.lowerBound)\""
                + " to \"\(range.upperBound)\")")
    }
    return number
}

/// Digits, and perhaps a point and more digits; exact.
private struct DecimalNumber {
    private let whole: Int64
    /// Billionths; finer digits are dropped.
    private let billionths: Int64

    /// Takes the number from the beginning of `text`, or nothing if there is none.
    init?(from text: inout Substring) {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        guard !digits.isEmpty else { return nil }
        var rest = text.dropFirst(digits.count)
        var fraction = Substring()
        if rest.first == "." {
            fraction = rest.dropFirst().prefix { $0.isASCII && $0.isWholeNumber }
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        // More digits than an Int64 holds are more than any unit allows.
        whole = Int64(digits) ?? .max
        let nine = String(fraction.prefix(9))
        let padded = nine + String(repeating: "0", count: 9 - nine.utf8.count)
        guard let billionths = Int64(padded) else { return nil }
        self.billionths = billionths
        text = rest
    }

    /// The number times `unit`, rounded down; nil if it does not fit.
    func scaled(by unit: Int64) -> Int64? {
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        // The product of the two needs more than 64 bits for the longer units.
        let part = billionths.multipliedFullWidth(by: unit)
        let fraction = (1_000_000_000 as Int64).dividingFullWidth(part).quotient
        let (sum, carry) = product.addingReportingOverflow(fraction)
        return carry ? nil : sum
    }
}
