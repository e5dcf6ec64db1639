import Glibc

extension WallTime {
    /// Reads a time in the form of RFC 3339: `2026-05-28T20:26:40Z`, with or without an offset (then
    /// it is local), seconds or a time of day. Nil for anything else.
    package init?(_ text: String) {
        guard let parts = DateAndTime(text) else { return nil }
        self.init(milliseconds: parts.sum)
    }
}

/// The parts of an RFC 3339 time, of which the later ones may be missing.
private struct DateAndTime {
    private var parts = tm()
    private var milliseconds: Int64 = 0
    /// Seconds east of UTC; nil for the local zone.
    private var offset: Int64?

    /// Nil unless `text` is such a time and there is such a day.
    init?(_ text: String) {
        var rest = Substring(text)
        guard let year = Self.number(&rest, digits: 4), Self.skip("-", &rest),
            let month = Self.number(&rest, digits: 2), Self.skip("-", &rest),
            let day = Self.number(&rest, digits: 2),
            (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day)
        else { return nil }
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        parts.tm_isdst = -1
        if rest.isEmpty { return }
        guard Self.skip("T", &rest) || Self.skip("t", &rest) || Self.skip(" ", &rest),
            let hour = Self.number(&rest, digits: 2), Self.skip(":", &rest),
            let minute = Self.number(&rest, digits: 2), hour < 24, minute < 60
        else { return nil }
        (parts.tm_hour, parts.tm_min) = (hour, minute)
        if Self.skip(":", &rest) {
            guard let second = Self.number(&rest, digits: 2), second <= 60 else { return nil }
            parts.tm_sec = second
            if Self.skip(".", &rest) {
                let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
                guard let fraction = Double("0." + digits), !digits.isEmpty else { return nil }
                milliseconds = Int64(fraction * 1000)
                rest = rest.dropFirst(digits.count)
            }
        }
        guard readOffset(&rest), rest.isEmpty else { return nil }
    }

    /// Since 1970 in UTC.
    var sum: Int64 {
        var parts = parts
        let seconds =
            if let offset { Int64(timegm(&parts)) - offset } else { Int64(mktime(&parts)) }
        return seconds * 1000 + milliseconds
    }

    private mutating func readOffset(_ rest: inout Substring) -> Bool {
        if rest.isEmpty { return true }
        if Self.skip("Z", &rest) || Self.skip("z", &rest) {
            offset = 0
            return true
        }
        let sign: Int64 = rest.first == "-" ? -1 : 1
        guard Self.skip("+", &rest) || Self.skip("-", &rest),
            let hours = Self.number(&rest, digits: 2), Self.skip(":", &rest),
            let minutes = Self.number(&rest, digits: 2), hours < 24, minutes < 60
        else { return false }
        offset = sign * (Int64(hours) * 3600 + Int64(minutes) * 60)
        return true
    }

    private static func number(_ rest: inout Substring, digits: Int) -> Int32? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0.isASCII && $0.isWholeNumber }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return Int32(text)
    }

    private static func skip(_ mark: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == mark else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func days(of month: Int32, in year: Int32) -> Int32 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
