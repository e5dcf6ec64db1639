import Events
import Glibc
import PageModel

/// Reads a time that a person wrote: `2026-05-28T20:26:40Z`, with or without an offset, seconds or
/// a time of day; `-2h` or `2h` (ago); `today`, `yesterday` (midnight, local); `@1780000000`; `now`.
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
    if let time = WallTime(text) { return Timestamp(milliseconds: time.milliseconds) }
    // A length of time has its unit at its end; a number alone would be anything.
    let isLength = text.first?.isWholeNumber == true && text.last?.isLetter == true
    if text.hasPrefix("-") || (isLength && (try? parsedDuration(text)) != nil) {
        let ago = try parsedDuration(String(text.dropFirst(text.hasPrefix("-") ? 1 : 0)))
        let (seconds, attoseconds) = ago.components
        return Timestamp(
            milliseconds: now.milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
    }
    if text.hasPrefix("@") {
        guard let seconds = Int64(text.dropFirst()), abs(seconds) <= 1 << 40 else { throw wrong }
        return Timestamp(milliseconds: seconds * 1000)
    }
    throw wrong
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
