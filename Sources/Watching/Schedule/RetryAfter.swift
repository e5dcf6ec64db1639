import PageModel

/// Reads `Retry-After`: seconds, or a date of HTTP in any of its three forms.
package enum RetryAfter {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// How long to wait from now on; nil if the value says nothing, zero if its time has come.
    ///
    /// - Parameter time: The time by which a date is understood: the answer's `Date` if it has one,
    ///   for then a wrong clock on either side does not matter.
    package static func wait(_ value: String, time: Timestamp) -> Duration? {
        let value = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let digits = value.prefix { isDigit($0) }
        let rest = value.dropFirst(digits.count)
        if !digits.isEmpty, rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            // More digits than an Int64 holds are as long as can be.
            return .seconds(Int64(String(Substring(digits))) ?? .max / 1_000_000)
        }
        guard let date = date(String(Substring(value))) else { return nil }
        return .milliseconds(max(0, date.milliseconds - time.milliseconds))
    }

    /// The moment that a date of HTTP names; nil if it is none.
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    /// `Sun Nov  6 08:49:37 1994`.
    package static func date(_ text: String) -> Timestamp? {
        let words = text.utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == 0x2D }
            .map { String(Substring($0)).lowercased() }
        guard words.count >= 5, let clock = words.first(where: { $0.contains(":") }),
            let second = secondOfDay(clock)
        else { return nil }
        let isAsctime = months.contains(words[1])
        let (dayWord, monthWord) = isAsctime ? (words[2], words[1]) : (words[1], words[2])
        guard let month = months.firstIndex(of: monthWord),
            let day = number(dayWord, digits: 1...2),
            let year = year(isAsctime ? words[4] : words[3]),
            isAsctime || (words.count == 6 && words[5] == "gmt"), day >= 1,
            day <= daysInMonth(month, year: year)
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Timestamp(milliseconds: (Int64(days) * 86400 + Int64(second)) * 1000)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }

    private static func year(_ text: String) -> Int? {
        if let year = number(text, digits: 4...4) { return year }
        // Two digits are of the years nearest to ours.
        return number(text, digits: 2...2).map { $0 < 70 ? 2000 + $0 : 1900 + $0 }
    }

    private static func secondOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2...2),
            let minute = number(parts[1], digits: 2...2),
            let second = number(parts[2], digits: 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        let days = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return days[month]
    }

    /// - Parameter month: From 0.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        // 719,162 days lie between 0001-01-01 and 1970-01-01.
        let years = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
        return (0..<month).reduce(years) { $0 + daysInMonth($1, year: year) } + day - 1
    }
}
