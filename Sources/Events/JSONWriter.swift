/// Writes JSON by hand into one reused buffer, keys in the order in which they are told.
///
/// A comma is set where one is due, so callers tell only keys and values. What it writes is one
/// line: a line break inside a string is escaped.
package struct JSONWriter {
    /// All that was written since the last ``removeAll()``.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Forgets what was written and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// An object whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// An array whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// A member's key; its value must follow.
    ///
    /// - Parameter name: Plain ASCII, so it is written as it is.
    package mutating func key(_ name: StaticString) {
        let comma = isCommaDue
        name.withUTF8Buffer { name in
            bytes.append(addingCapacity: name.count + 4) { output in
                if comma { output.append(UInt8(ascii: ",")) }
                output.append(UInt8(ascii: "\""))
                for byte in name { output.append(byte) }
                output.append(UInt8(ascii: "\""))
                output.append(UInt8(ascii: ":"))
            }
        }
    }

    /// A string, or null.
    package mutating func value(_ text: String?) {
        guard let text else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text, also: UInt8(ascii: "\""), UInt8(ascii: "\\"), to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole number, or null.
    package mutating func value(_ number: Int64?) {
        guard let number else { return null() }
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDecimal(number.magnitude)
    }

    /// A whole number, or null.
    package mutating func value(_ number: Int?) { value(number.map(Int64.init)) }

    /// A number in plain decimals, to the sixth behind the point: microseconds of seconds, and
    /// what a double adds to 0.3 is noise. Null if it is not finite.
    package mutating func value(_ number: Double) {
        // Below 2^53, where doubles tell whole numbers apart; nothing that is told comes near.
        let scaled = (number * 1_000_000).rounded()
        guard abs(scaled) < 0x1p53 else { return null() }
        separate()
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, rest) = UInt64(abs(scaled)).quotientAndRemainder(dividingBy: 1_000_000)
        appendDecimal(whole)
        bytes.append(UInt8(ascii: "."))
        var (place, left): (UInt64, UInt64) = (100_000, rest)
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left / place))
            left %= place
            place /= 10
        } while left > 0
    }

    /// A truth value.
    package mutating func value(_ truth: Bool) {
        separate()
        bytes.append(contentsOf: (truth ? "true" : "false").utf8)
    }

    /// The value of what is unknown.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A time as a string in RFC 3339.
    package mutating func value(_ time: WallTime) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        time.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Ends the line.
    package mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

    /// Sets the comma that must stand before the next element or value.
    private mutating func separate() {
        if isCommaDue { bytes.append(UInt8(ascii: ",")) }
    }

    /// Whether a comma must stand before what comes next.
    ///
    /// The last byte tells: only after an opening, a colon or a line's end is none due. A string
    /// that ends with such a character still ends with its quote.
    private var isCommaDue: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): false
        default: true
        }
    }

    private mutating func appendDecimal(_ number: UInt64) {
        // As many digits as a UInt64 can have, from the last to the first.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        bytes.append(addingCapacity: digits.count) { output in
            for place in first..<digits.count { output.append(digits[place]) }
        }
    }
}
