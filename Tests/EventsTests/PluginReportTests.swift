import PageModel
import Testing

@testable import Events

/// A page that finished.
private func page(
    _ url: String, title: String? = "T", status: Int = 200, total: Double = 0.123
) -> LoadResult {
    LoadResult(
        initialURL: url, url: url, title: title, outcome: .finished, status: status, bytes: 50_000,
        timings: Timings(total: total))
}

private func refused(_ url: String) -> LoadResult {
    LoadResult(
        initialURL: url, url: url, outcome: .failed, timings: Timings(total: 0.5),
        error: LoadError(phase: .connect, code: "refused", message: "Connection refused"))
}

@Suite struct `Plugin report` {
    @Test func `says OK with title, URL and figures`() {
        var report = PluginReport()
        report.add(page("https://a/"))
        #expect(report.line == #"OK - 200 "T" https://a/ | time=0.123000s;;;0 size=50000B;;;0"#)
    }

    @Test func `warns of a title, and is critical for a failure or a status`() {
        var report = PluginReport()
        report.add(page("https://a/"), findings: [.titleNotExpected(pattern: "S")])
        #expect(report.line.hasPrefix(#"WARNING - 200 "T" (does not match "S") https://a/ | "#))
        report = PluginReport()
        report.add(page("https://a/", status: 503))
        #expect(report.line.hasPrefix("CRITICAL - 503 "))
        report = PluginReport()
        report.add(refused("https://a/"))
        #expect(
            report.line == "CRITICAL - https://a/: connect: refused: Connection refused"
                + " | time=0.500000s;;;0")
    }

    @Test func `is unknown for what could not be checked`() {
        var report = PluginReport()
        report.add(problem: "list:3: \"x y\" is not a URL")
        #expect(report.line == "UNKNOWN - list:3: \"x y\" is not a URL")
    }

    @Test func `is unknown when the run was interrupted, whatever is known`() {
        var report = PluginReport()
        report.add(refused("https://a/"))
        report.interrupt(by: "Ctrl-C")
        #expect(report.state == .unknown)
        #expect(report.line.hasPrefix("UNKNOWN - interrupted by Ctrl-C: https://a/: connect: "))
    }

    @Test func `is unknown once for a page whose title takes too long to search`() {
        var report = PluginReport()
        report.add(
            page("https://a/"), findings: [.patternTooSlow(pattern: "x"), .titleChanged(from: "")])
        report.add(page("https://b/"), findings: [.titleNotExpected(pattern: "x")])
        #expect(report.line.hasPrefix("UNKNOWN - 2 of 2 pages not fine: "))
        #expect(report.line.contains(#"200 "T" ("x" takes too long) (was "") https://a/; "#))
    }

    @Test func `adds several pages up, worst first, with the slowest time`() {
        var report = PluginReport()
        report.add(page("https://a/", total: 2))
        report.add(page("https://b/"), findings: [.titleChanged(from: "Old")])
        report.add(problem: "bad line")
        report.add(refused("https://c/"))
        #expect(
            report.line
                == "CRITICAL - 3 of 4 pages not fine: "
                + "https://c/: connect: refused: Connection refused; bad line; "
                + #"200 "T" (was "Old") https://b/"#
                + " | time=2.000000s;;;0 size=100000B;;;0 pages=4;;;0 failed=1;;;0;4")
    }

    @Test func `names only the worst of many and counts the rest`() {
        var report = PluginReport()
        for number in 0..<1000 {
            report.add(page("https://a/\(number)"), findings: [.titleChanged(from: "Old")])
        }
        report.add(refused("https://worst/"))
        #expect(report.line.contains("1001 of 1001 pages not fine: https://worst/"))
        #expect(report.line.contains("; and 996 more | "))
        #expect(report.line.utf8.count < 1000)
    }

    @Test func `says how many pages are fine`() {
        var report = PluginReport()
        #expect(report.line == "UNKNOWN - no pages")
        report.add(page("https://a/"))
        report.add(page("https://b/"))
        #expect(report.line.hasPrefix("OK - 2 pages fine | "))
        #expect(report.state == .ok)
    }

    @Test func `lets no remote text forge figures or lines`() {
        var report = PluginReport()
        report.add(page("https://a/?x|y", title: "ok | time=0s\nOK"))
        #expect(report.line.split(separator: "|").count == 2)
        #expect(report.line.contains(#""ok \u007C time=0s\u000AOK" https://a/?x\u007Cy |"#))
        #expect(!report.line.contains("\n"))
    }

    @Test func `keeps a title of any length short`() {
        var report = PluginReport()
        report.add(page("https://a/", title: String(repeating: "é", count: 100_000)))
        #expect(report.line.utf16.count < 300)
    }
}
