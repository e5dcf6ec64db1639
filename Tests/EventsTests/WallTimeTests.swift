import Glibc
import Testing

@testable import Events

@Suite struct `Wall time` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_780_000_000_123, "2026-05-28T20:26:40.123Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    ])
    func `is told in RFC 3339 with milliseconds`(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).description == text)
    }

    @Test func `agrees with the C library on every day of eight centuries`() {
        for day in stride(from: -146_097, through: 146_097, by: 1) {
            var seconds = time_t(day * 86_400)
            var parts = tm()
            gmtime_r(&seconds, &parts)
            let text = WallTime(milliseconds: Int64(seconds) * 1000).description
            let year = Int(parts.tm_year) + 1900
            let month = Int(parts.tm_mon) + 1
            let expected = [year * 10000 + month * 100 + Int(parts.tm_mday)]
            let digits = text.prefix(10).filter { $0 != "-" }
            guard [Int(digits)] == expected else {
                Issue.record("day \(day) is \(text)")
                return
            }
        }
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `stays a line of text for times that no clock shows`(milliseconds: Int64) {
        #expect(WallTime(milliseconds: milliseconds).description.utf8.count == 24)
    }

    @Test func `cuts off what is below a millisecond`() {
        let time = timespec(tv_sec: 1, tv_nsec: 999_999_999)
        #expect(WallTime(time).milliseconds == 1999)
    }

    @Test func `is after this was written`() {
        #expect(WallTime.now().milliseconds > 1_750_000_000_000)
    }
}
