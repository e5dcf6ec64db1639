import PageModel
import Testing

@testable import pagewatch

private func at(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_780_056_000_000 + seconds * 1000)
}

@Suite struct `Time on the command line` {
    private let now = at(0)

    @Test(
        arguments: [
            ("now", 0), ("-90s", -90), ("-1h30min", -5400), ("1h30min", -5400), ("@1780056001", 1),
            ("2026-05-29T12:00:05Z", 5), ("2026-05-29T14:00:05+02:00", 5),
            ("2026-05-29 06:30:05-05:30", 5), ("2026-05-29t12:00z", 0),
        ] as [(String, Int64)])
    func `is read in every form`(text: String, seconds: Int64) throws {
        #expect(try parsedTime(text, now: now) == at(seconds))
    }

    @Test func `may be finer than a second`() throws {
        #expect(
            try parsedTime("2026-05-29T12:00:05.25Z", now: now).milliseconds
                == at(5).milliseconds + 250)
    }

    @Test func `may be a day's beginning`() throws {
        let today = try parsedTime("today", now: now)
        #expect(today <= now)
        #expect(now.milliseconds - today.milliseconds < 86_400_000)
        let yesterday = try parsedTime("yesterday", now: now)
        #expect((82_800_000...90_000_000).contains(today.milliseconds - yesterday.milliseconds))
    }

    @Test(
        arguments: [
            "", "tomorrow", "2026", "2026-13-01", "2026-02-29", "2026-05-29T", "2026-05-29T25:00",
            "2026-05-29T12:00:05.Z", "2026-05-29T12:00Zx", "2026-05-29T12:00+2", "@", "@x", "-",
            "-x", "--2h", "2", "2x", "@99999999999999999999", "٢026-05-29",
        ])
    func `is refused when it is none`(text: String) {
        #expect(throws: UsageError.self) { try parsedTime(text, now: now) }
    }
}
