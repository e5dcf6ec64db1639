import Glibc

/// A point in time as clocks on walls show it: milliseconds since 1970 in UTC.
///
/// It goes back when somebody sets the clock, so it is only for telling, never for deciding.
package struct WallTime: CustomStringConvertible, Equatable, Sendable {
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
        let second = ofDay / 1000
        output.append(addingCapacity: 24) { output in
            Self.append(pair: year / 100, to: &output)
            Self.append(pair: year % 100, then: UInt8(ascii: "-"), to: &output)
            Self.append(pair: month, then: UInt8(ascii: "-"), to: &output)
            Self.append(pair: dayOfMonth, then: UInt8(ascii: "T"), to: &output)
            Self.append(pair: second / 3600, then: UInt8(ascii: ":"), to: &output)
            Self.append(pair: second / 60 % 60, then: UInt8(ascii: ":"), to: &output)
            Self.append(pair: second % 60, then: UInt8(ascii: "."), to: &output)
            Self.append(pair: ofDay % 1000 / 10, to: &output)
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: ofDay % 10))
            output.append(UInt8(ascii: "Z"))
        }
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

    /// Appends two digits and perhaps a mark.
    private static func append(
        pair number: Int64, then mark: UInt8? = nil, to output: inout OutputSpan<UInt8>
    ) {
        let (tens, ones) = UInt8(truncatingIfNeeded: number).quotientAndRemainder(dividingBy: 10)
        output.append(UInt8(ascii: "0") + tens)
        output.append(UInt8(ascii: "0") + ones)
        if let mark { output.append(mark) }
    }
}

extension Int64 {
    /// The quotient rounded down, also for a negative number.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
