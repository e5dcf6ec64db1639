import Events
import Glibc
import PageModel

/// Reads a time that a person wrote: `2026-05-28T20:26:40Z`, with or without an offset, seconds or
/// a time of day; `-2h`; `today`, `yesterday` (midnight, local); `@1780000000`; `now`.
func parsedTime(_ text: String, now: Timestamp) throws(UsageError) -> Timestamp {
    let wrong = UsageError(
        "\(quoted(text)) is not a time (write \"2026-05-28T20:26:40Z\", \"2026-05-28\", \"-2h\","
            + " \"yesterday\" or \"@1780000000\")")
    switch text {
    case "now": return now
    case "today": return midnight(before: now, days: 0)
    case "yesterday": return midnight(before: now, days: 1)
    default: break
    }
    if text.hasPrefix("-") {
        let ago = try parsedDuration(String(text.dropFirst()))
        let (seconds, attoseconds) = ago.components
        return Timestamp(
            milliseconds: now.milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
    }
    if text.hasPrefix("@") {
        guard let seconds = Int64(text.dropFirst()), abs(seconds) <= 1 << 40 else { throw wrong }
        return Timestamp(milliseconds: seconds * 1000)
    }
    guard let time = DateAndTime(text)?.timestamp else { throw wrong }
    return time
}

private func midnight(before now: Timestamp, days: Int32) -> Timestamp {
    var seconds = time_t(now.milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
    parts.tm_mday -= days
    // Whether that day had summer time is for the C library to find out.
    parts.tm_isdst = -1
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
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

    var timestamp: Timestamp {
        var parts = parts
        let seconds =
            if let offset { Int64(timegm(&parts)) - offset } else { Int64(mktime(&parts)) }
        return Timestamp(milliseconds: seconds * 1000 + milliseconds)
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
