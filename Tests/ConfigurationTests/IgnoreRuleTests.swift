import Patterns
import Testing

@testable import Configuration

@Suite struct `A preset of the ignore rules` {
    /// What the preset takes out of a title, by its first match.
    private func match(_ preset: IgnoreRule.Preset, _ title: String) throws -> String? {
        let pattern = try Pattern(IgnoreRule.preset(preset).source)
        guard case .match(let range) = pattern.firstMatch(in: title) else { return nil }
        return String(decoding: Array(title.utf8)[range], as: UTF8.self)
    }

    @Test(arguments: [
        ("(3) Inbox", "(3)"), ("[12+] News", "[12+]"), ("Inbox (1,234)", "(1,234)"),
        ("  ( 7 ) Chat", "( 7 )"), ("Chat {99}  ", "{99}"),
        ("Inbox (12) - me@mail.example", "(12)"), ("Feed [2.1k]", "[2.1k]"), ("(99+) x", "(99+)"),
        ("3 Inbox", nil), ("(three) Inbox", nil), ("() a", nil), ("(3 new) a", nil),
    ])
    func `takes out a counter, wherever it stands`(title: String, taken: String?) throws {
        #expect(try match(.counter, title) == taken)
    }

    @Test(arguments: [
        ("Gold: 1,234.5 $", "1,234.5"), ("Down -3 %", "-3 %"), ("5% off", "5%"),
        ("Room 101", "101"), ("12'000 users", "12'000"), ("12:30", "12:30"), ("No numbers", nil),
        ("٣ news", "٣"),
    ])
    func `takes out numbers`(title: String, taken: String?) throws {
        #expect(try match(.number, title) == taken)
    }

    @Test(arguments: [
        ("Live 12:30", "12:30"), ("At 9:05 pm today", "9:05 pm"),
        ("2026-11-30T09:05:00 UTC", "2026-11-30T09:05:00 UTC"), ("Kl 14h20", "14h20"),
        ("14:05+02:00 Live", "14:05+02:00"), ("24:00", "24:00"), ("2:05 p.m. on", "2:05 p.m."),
        ("Only 9.50", nil), ("Ratio 1:99", nil),
        ("Final 3-2", nil), ("Route 66", nil),
    ])
    func `takes out times`(title: String, taken: String?) throws {
        #expect(try match(.time, title) == taken)
    }
}
