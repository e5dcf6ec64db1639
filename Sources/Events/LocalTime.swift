import Glibc
import PageModel

/// How times are told to people.
package enum TimeZoneStyle: Sendable {
    /// As on the wall, with its distance from UTC.
    case local
    case utc
}

extension WallTime {
    /// A moment of the page model's.
    package init(_ time: Timestamp) { self.init(milliseconds: time.milliseconds) }

    /// For people, to the second: `2026-05-28T22:26:40+02:00`, or `2026-05-28T20:26:40Z`.
    package func text(_ zone: TimeZoneStyle) -> String {
        var seconds = time_t(milliseconds / 1000)
        if milliseconds % 1000 < 0 { seconds -= 1 }
        var parts = tm()
        // Both fail only for years that an Int32 does not hold.
        let found = zone == .utc ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)
        guard found != nil else { return description }
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), to: 2) }
        let year = Self.padded(date[0], to: 4)
        let day = [year] + date.dropFirst().map { Self.padded($0, to: 2) }
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":")
            + (zone == .utc ? "Z" : Self.offset(parts.tm_gmtoff))
    }

    /// `+02:00`.
    private static func offset(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return (seconds < 0 ? "-" : "+") + padded(minutes / 60, to: 2) + ":"
            + padded(minutes % 60, to: 2)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
