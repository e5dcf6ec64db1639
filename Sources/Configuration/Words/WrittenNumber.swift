/// Numbers of bytes as people write them: `500000`, `64MiB`, `1.5M`.
///
/// `k`, `M` and `G` are powers of 1024, as in curl; `kB`, `MB` and `GB` of 1000.
package enum WrittenSize {
    private static let most: Int64 = 1 << 50

    /// Reads a size of at least one byte.
    ///
    /// - Throws: What is wrong with it.
    package static func read(_ text: String) throws(ValueError) -> Int64 {
        var shown: String { Quoted.shown(text) }
        var wrong: ValueError {
            ValueError("\(shown) is not a size", remedy: "write \"500k\" or \"64MiB\"")
        }
        var rest = Substring(text)
        guard let number = DecimalNumber(from: &rest) else { throw wrong }
        guard let unit = bytesPerUnit(rest.drop { $0 == " " }.lowercased()) else { throw wrong }
        guard let bytes = number.scaled(by: unit), bytes <= most else {
            throw ValueError("\(shown) is too large", remedy: "write \"1024G\" or less")
        }
        guard bytes > 0 else {
            throw ValueError("\(shown) must be at least one byte", remedy: "write \"64MiB\"")
        }
        return bytes
    }

    private static func bytesPerUnit(_ unit: String) -> Int64? {
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

    /// The shortest way to write a size with one unit of 1024s.
    package static func write(_ bytes: Int64) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] as [(Int64, String)]
        where bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)"
    }
}

/// Whole numbers in decimal digits.
package enum WrittenCount {
    /// Reads a number within `range`.
    ///
    /// - Throws: What is wrong with it.
    package static func read(
        _ text: String, in range: ClosedRange<Int>
    ) throws(ValueError) -> Int {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : Substring(text)
        let remedy = "write \"\(range.lowerBound)\" to \"\(range.upperBound)\""
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw ValueError("\(Quoted.shown(text)) is not a whole number", remedy: remedy)
        }
        guard let number = Int(text), range.contains(number) else {
            throw ValueError("\(Quoted.shown(text)) is out of range", remedy: remedy)
        }
        return number
    }
}

/// Digits, and perhaps a point and more digits; exact.
struct DecimalNumber {
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
