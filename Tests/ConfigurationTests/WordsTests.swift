import Testing

@testable import Configuration

@Suite struct `Written values` {
    @Test(arguments: ["1ms", "1.5ms", "30s", "90s", "5min", "25h", "400d", "0.000001ms"])
    func `write durations as they are read`(text: String) throws {
        let range = Duration.nanoseconds(1)...(.seconds(500 * 86_400))
        let duration = try WrittenDuration.read(text, bareNumber: .mistake, in: range)
        #expect(WrittenDuration.write(duration) == text)
    }

    @Test(arguments: [("60s", "1min"), ("1440min", "1d"), ("1h30min", "90min"), ("0.25s", "250ms")])
    func `write durations with the largest unit that divides them`(
        text: String, shortest: String
    ) throws {
        let duration = try WrittenDuration.read(text, bareNumber: .mistake)
        #expect(WrittenDuration.write(duration) == shortest)
    }

    @Test(arguments: [("64MiB", "64MiB"), ("1024", "1KiB"), ("2048MiB", "2GiB"), ("1500", "1500")])
    func `write sizes with the largest unit that divides them`(
        text: String, shortest: String
    ) throws {
        #expect(WrittenSize.write(try WrittenSize.read(text)) == shortest)
    }

    @Test(arguments: [("30", "write 30s for seconds"), ("0.5", "write 0.5s for seconds")])
    func `want a unit where a bare number could be anything`(text: String, remedy: String) {
        let error = #expect(throws: ValueError.self) {
            try WrittenDuration.read(text, bareNumber: .mistake)
        }
        #expect(error?.remedy == remedy)
    }

    @Test func `are shown so that they can forge nothing, and cut`() {
        #expect(Quoted.shown("a\"b\\c\nd\u{202E}e\u{FEFF}") == #""a\"b\\c\u000Ad\u202Ee\uFEFF""#)
        let long = String(repeating: "ab", count: 10_000)
        #expect(Quoted.shown(long).count == 203)
        #expect(Quoted.shown(long).hasSuffix("b…\""))
        // One character, but thousands of bytes.
        let marks = Quoted.shown("9" + String(repeating: "\u{301}", count: 10_000))
        #expect(marks.unicodeScalars.count == 203)
    }

    @Test(arguments: [
        ("jsn", "json"), ("JSON", "json"), ("evnets", "events"), ("plug", "plugin"),
        ("x", nil), ("zzz", nil), ("", nil),
    ])
    func `are near to names that were meant, and to no others`(word: String, name: String?) {
        #expect(nearest(to: word, among: ["json", "events", "plugin"]) == name)
    }

    @Test func `are near to nothing when they are very long`() {
        #expect(nearest(to: String(repeating: "json", count: 10_000), among: ["json"]) == nil)
    }
}
