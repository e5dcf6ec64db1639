import Testing

@testable import pagewatch

@Suite struct `Values of options` {
    @Test(arguments: [
        ("30s", 30_000), ("30", 30_000), ("0.5", 500), ("1.5h", 5_400_000), ("1min30s", 90_000),
        ("2m", 120_000), ("1d", 86_400_000), ("1w", 604_800_000), ("250ms", 250),
        ("1h 30 min", 5_400_000), ("10sec", 10_000), ("0.001", 1), ("1d0s", 86_400_000),
        ("52w", 31_449_600_000), ("000000000000000000000001s", 1000),
    ])
    func `take durations in every unit, combined and with decimals`(
        text: String, milliseconds: Int64
    ) throws {
        #expect(try parsedDuration(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", " ", "s", "5x", "5S", "1h30", "30 5s", ".5", "5.", "5.s", "1e3", "+5", "0x5", "５s",
        "5s!", "ms5", "-", "5\u{301}s", "1min-5s", "∞",
    ])
    func `refuse what is no duration`(text: String) {
        let error = #expect(throws: UsageError.self) { try parsedDuration(text) }
        #expect(error?.message.contains("is not a duration") == true)
    }

    @Test(arguments: [
        ("0", "more than zero"), ("0s0ms", "more than zero"), ("-1", "negative"),
        ("0.0001", "shorter than 1ms"), ("53w", "longer than a year"),
        ("99999999999999999999999h", "longer than a year"),
        ("9223372036s9223372036s", "longer than a year"),
        ("9223372036854775807ms", "longer than a year"),
    ])
    func `say what is wrong with a duration of no use`(text: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try parsedDuration(text) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test(arguments: [
        ("1", 1), ("500000", 500_000), ("1k", 1024), ("1K", 1024), ("1kB", 1000), ("1KiB", 1024),
        ("1.5M", 1_572_864), ("64MiB", 67_108_864), ("2G", 2_147_483_648), ("2 GB", 2_000_000_000),
        ("0.5k", 512), ("10B", 10),
    ])
    func `take sizes in units of 1024 and 1000`(text: String, bytes: Int64) throws {
        #expect(try parsedSize(text) == bytes)
    }

    @Test(arguments: [
        ("", "is not a size"), ("k", "is not a size"), ("1x", "is not a size"),
        ("-1", "is not a size"), ("1.k", "is not a size"), ("1kk", "is not a size"),
        ("0", "at least one byte"), ("0.1", "at least one byte"), ("99999999G", "too large"),
        ("99999999999999999999", "too large"), ("18446744073709551616G", "too large"),
    ])
    func `say what is wrong with a size`(text: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try parsedSize(text) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test(arguments: [
        ("", "not a whole number"), ("1.5", "not a whole number"), ("٣", "not a whole number"),
        ("1 ", "not a whole number"), ("-", "not a whole number"), ("-1", "out of range"),
        ("11", "out of range"), ("99999999999999999999", "out of range"),
    ])
    func `say what is wrong with a number`(text: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try parsedCount(text, in: 1...10) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test func `take the ends of a number's range`() throws {
        #expect(try parsedCount("1", in: 1...10) == 1)
        #expect(try parsedCount("010", in: 1...10) == 10)
    }
}
