import TestSupport
import Testing

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10))) struct `The journal` {
    /// A target that is looked at each second.
    private static let page = """
        defaults: {interval: 1s, confirm: 1, failures: 1}
        targets:
          news: {url: "https://www.site.test/title/news"}

        """

    @Test func `tells a change over HTTPS, of a server found by name, with all fields`()
        async throws
    {
        let machine = try await Machine.boot(Self.page)
        try machine.show("Morning", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        try machine.show("Noon \u{1B}[2J", on: "news")
        let told = try await machine.message("PAGEWATCH_EVENT=titleChanged")
        let history = try await machine.command("pagewatch history news --json")
        let change = try #require(history.split(separator: "\n").last)
        #expect(change.contains(#""event":"titleChanged","from":"Morning","to":"Noon"#))
        let expected = [
            "MESSAGE": #"news: title changed: "Morning" -> "Noon \u001B[2J""#, "PRIORITY": "5",
            "MESSAGE_ID": "41ebb886fb0d4496b10f5edf961f0ca3", "PAGEWATCH_TARGET": "news",
            "PAGEWATCH_EVENT": "titleChanged", "PAGEWATCH_OLD_TITLE": "Morning",
            "PAGEWATCH_TITLE": #"Noon \u001B[2J"#,
            "PAGEWATCH_URL": "https://www.site.test/title/news", "SYSLOG_IDENTIFIER": "pagewatch",
            "PAGEWATCH_SEQ": number("seq", of: change),
            "PAGEWATCH_LOAD": number("load", of: change),
            "_SYSTEMD_UNIT": "pagewatch.service", "_TRANSPORT": "journal",
        ]
        for (name, value) in expected { #expect(told[name] == value, "\(name)") }
        // The explanation is filled in.
        let explained = try await machine.command(
            "journalctl --no-pager -x MESSAGE_ID=41ebb886fb0d4496b10f5edf961f0ca3")
        #expect(explained.contains("Subject: The title of news changed"), "\(explained)")
        #expect(explained.contains(#"news: title changed: "Morning" -> "Noon \u001B[2J""#))
        // No line is there twice, by another way.
        let all = try await machine.journal("-u pagewatch").compactMap { $0["MESSAGE"] }
        #expect(all.count { $0.contains("title changed") } == 1)
    }

    @Test func `tells a failure and its end once each, and an operator finds all of it`()
        async throws
    {
        let machine = try await Machine.boot(
            Self.page + "  shop: {url: \"http://www.site.test/title/shop\"}\n")
        try machine.show("Shop", on: "shop")
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen PAGEWATCH_TARGET=shop")
        try await machine.command("mv /srv/site/shop /srv/site/shop.gone")
        let failing = try await machine.message("PAGEWATCH_EVENT=failing")
        #expect(failing["PRIORITY"] == "4")
        #expect(failing["PAGEWATCH_PHASE"] == "firstByte")
        #expect(failing["PAGEWATCH_ERROR"] == "connectionClosed")
        #expect(failing["PAGEWATCH_TARGET"] == "shop")
        #expect(failing["PAGEWATCH_URL"] == "http://www.site.test/title/shop")
        try await machine.eventually("the failure in the status") {
            try await machine.property("StatusText").contains(" 1 failing;")
        }
        try await machine.command("mv /srv/site/shop.gone /srv/site/shop")
        let recovered = try await machine.message("PAGEWATCH_EVENT=recovered")
        #expect(recovered["PRIORITY"] == "6")
        try machine.show("Two", on: "news")
        try await machine.message("PAGEWATCH_EVENT=titleChanged")

        func lines(_ query: String) async throws -> [Substring] {
            try await machine.command("journalctl --quiet --no-pager -o cat \(query)")
                .split(separator: "\n")
        }
        #expect(try await lines("PAGEWATCH_EVENT=failing").count == 1)
        #expect(try await lines("-u pagewatch -p warning --since -1h").count == 1)
        #expect(try await lines("-u pagewatch -p notice").count == 2)
        #expect(try await lines("-t pagewatch -g 'title changed'").count == 1)
        #expect(try await lines("PAGEWATCH_URL=http://www.site.test/title/shop").count == 3)
        #expect(try await lines("PAGEWATCH_URL=https://www.site.test/title/news").count == 2)
        #expect(
            try await lines("PAGEWATCH_EVENT=titleChanged + PAGEWATCH_EVENT=failing").count == 2)
        #expect(
            try await lines("-F PAGEWATCH_URL").sorted() == [
                "http://www.site.test/title/shop", "https://www.site.test/title/news",
            ])
        #expect(
            try await lines(
                "PAGEWATCH_EVENT=titleChanged --output-fields=PAGEWATCH_TITLE,PAGEWATCH_OLD_TITLE"
            )
            .sorted() == ["One", "Two"])
    }

    @Test func `that was started anew is told on, and what it misses is not lost`() async throws {
        let machine = try await Machine.boot(Self.page)
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        try await machine.command("systemctl restart systemd-journald")
        try machine.show("Two", on: "news")
        let told = try await machine.message("PAGEWATCH_EVENT=titleChanged")
        #expect(told["PAGEWATCH_TITLE"] == "Two")
    }

    @Test func `whose own socket can't be reached gets lines with a priority`() async throws {
        let machine = try await Machine.boot(Self.page)
        try await machine.change(
            "[Service]\nInaccessiblePaths=/run/systemd/journal/socket\n")
        try machine.show("One", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("-u pagewatch -g 'first seen'")
        try machine.show("Two", on: "news")
        try await machine.eventually("the change") {
            try await machine.journal("-u pagewatch -g 'title changed'").count == 1
        }
        let told = try await machine.journal("-u pagewatch -g 'title changed'")[0]
        #expect(told["PRIORITY"] == "5")
        #expect(told["_TRANSPORT"] == "stdout")
        #expect(told["MESSAGE"] == #"news: title changed: "One" -> "Two""#)
    }

    @Test func `stays silent for a minute in which a page is looked at each second`() async throws {
        let machine = try await Machine.boot(Self.page)
        try machine.show("Steady", on: "news")
        try await machine.command("systemctl start pagewatch")
        try await machine.message("PAGEWATCH_EVENT=firstSeen")
        // Of the unit, and what systemd says about it.
        let before = try await machine.journal("-u pagewatch").count
        let loads = try await loadNumber(in: machine)
        try await Task.sleep(for: .seconds(60))
        #expect(try await machine.journal("-u pagewatch").count == before)
        #expect(try await loadNumber(in: machine) >= loads + 50)
        #expect(try await machine.property("NRestarts") == "0")
    }

    private func loadNumber(in machine: Machine) async throws -> Int {
        let answer = try await machine.command("pagewatch status news --json")
        let good = try #require(answer.ranges(of: #""lastGood":{"load":"#).first)
        return try #require(Int(answer[good.upperBound...].prefix { $0.isNumber }))
    }

    private func number(_ key: String, of line: Substring) -> String {
        guard let start = line.ranges(of: "\"\(key)\":").first else { return "" }
        return String(line[start.upperBound...].prefix { $0.isNumber })
    }
}
