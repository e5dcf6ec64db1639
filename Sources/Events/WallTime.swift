import Glibc

/// A point in time as clocks on walls show it: milliseconds since 1970 in UTC.
///
/// It goes back when somebody sets the clock, so it is only for telling, never for deciding.
package struct WallTime: Equatable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; leap seconds do not count.
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Cuts off what is below a millisecond.
    package init(_ time: timespec) {
        milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The time that the system's clock shows.
    package static func now() -> WallTime {
        var time = timespec()
        // Fails only for an unknown clock or a bad address.
        _ = clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(time)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-31T23:59:59.999Z`.
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends what ``description`` tells. Years outside of 0 to 9999 are told as the nearest.
    func append(to output: inout [UInt8]) {
        let time = min(max(milliseconds, Self.earliest), Self.latest)
        let day = time.floorDivided(by: Self.millisecondsPerDay)
        let ofDay = time - day * Self.millisecondsPerDay
        let (year, month, dayOfMonth) = Self.date(ofDay: day)
        append(year, digits: 4, then: "-", to: &output)
        append(month, digits: 2, then: "-", to: &output)
        append(dayOfMonth, digits: 2, then: "T", to: &output)
        append(ofDay / 3_600_000, digits: 2, then: ":", to: &output)
        append(ofDay / 60_000 % 60, digits: 2, then: ":", to: &output)
        append(ofDay / 1000 % 60, digits: 2, then: ".", to: &output)
        append(ofDay % 1000, digits: 3, then: "Z", to: &output)
    }

    private static let millisecondsPerDay: Int64 = 86_400_000
    /// 0000-01-01T00:00:00.000Z.
    private static let earliest: Int64 = -62_167_219_200_000
    /// 9999-12-31T23:59:59.999Z.
    private static let latest: Int64 = 253_402_300_799_999

    /// The date of a day counted from 1970-01-01, in the Gregorian calendar.
    ///
    /// Years are taken to begin in March, so that the leap day is a year's last; then a month's
    /// first day is a linear function of its number, and 400 years are always 146,097 days.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        let shifted = day + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    private func append(
        _ number: Int64, digits: Int, then mark: Unicode.Scalar, to output: inout [UInt8]
    ) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
        output.append(UInt8(ascii: mark))
    }
}

extension Int64 {
    /// The quotient rounded down, also for a negative number.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
