import PageModel
import Testing

@testable import Watching

@Suite struct `Retry-After` {
    /// 1994-11-06T08:49:37Z.
    private static let moment = Timestamp(milliseconds: 784_111_777_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 gmt",
    ])
    func `reads a date in each of HTTP's forms`(text: String) {
        #expect(RetryAfter.date(text) == Self.moment)
        let before = Timestamp(milliseconds: Self.moment.milliseconds - 90_500)
        #expect(RetryAfter.wait(text, time: before) == .milliseconds(90_500))
        #expect(RetryAfter.wait(text, time: Self.moment) == .zero)
    }

    @Test func `reads a date as UTC, leap days and all`() {
        #expect(
            RetryAfter.date("Thu, 29 Feb 2024 23:59:59 GMT")?.milliseconds
                == 1_709_251_199_000)
        #expect(RetryAfter.date("Thu, 01 Jan 1970 00:00:00 GMT")?.milliseconds == 0)
        #expect(RetryAfter.date("Mon, 01 Mar 2100 00:00:00 GMT")?.milliseconds == 4_107_542_400_000)
    }

    @Test func `is not in the past`() {
        let after = Timestamp(milliseconds: Self.moment.milliseconds + 1)
        #expect(RetryAfter.wait("Sun, 06 Nov 1994 08:49:37 GMT", time: after) == .zero)
    }

    @Test(arguments: [("0", 0), ("120", 120), (" 7 ", 7), ("0010", 10)])
    func `reads seconds`(text: String, seconds: Int) {
        #expect(RetryAfter.wait(text, time: Self.moment) == .seconds(seconds))
    }

    @Test func `takes an endless number for very long`() {
        let wait = RetryAfter.wait(String(repeating: "9", count: 400), time: Self.moment)
        #expect(wait ?? .zero > .seconds(1 << 40))
    }

    @Test(arguments: [
        "", " ", "-5", "1.5", "soon", "12 34", "5s", "Sun, 30 Feb 2020 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", ":::::", "a b c d e f", "Sun, 06 Nov 19940 08:49:37 GMT",
    ])
    func `does not guess`(text: String) {
        #expect(RetryAfter.wait(text, time: Self.moment) == nil)
    }
}
