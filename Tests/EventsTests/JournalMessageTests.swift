import PageModel
import Testing

@testable import Events

@Suite struct `What the journal is told` {
    private let change = TitleChange(
        from: "A\u{1B}[2J", to: nil, url: "https://a.test/new", initialURL: "https://a.test/",
        lastSeen: Timestamp(milliseconds: 1), firstShown: Timestamp(milliseconds: 2),
        fromURL: nil)

    private func fields(_ event: DurableEvent, target: String? = "news") throws -> [String: String]
    {
        let line = EventLine(
            seq: 7, time: WallTime(milliseconds: 0), target: target, load: target.map { _ in 3 },
            event: event)
        let message = try #require(line.journalMessage(url: "https://a.test/own"))
        #expect(message.text == line.text)
        #expect(Set(message.fields.map(\.name)).count == message.fields.count)
        return Dictionary(uniqueKeysWithValues: message.fields.map { ($0.name, $0.value) })
    }

    @Test func `of a change is everything that one searches by, escaped as on a terminal`() throws {
        #expect(
            try fields(.titleChanged(change)) == [
                "MESSAGE": #"news: title changed: "A\u001B[2J" -> (none)"#, "PRIORITY": "5",
                "MESSAGE_ID": JournalKind.titleChanged.id, "PAGEWATCH_TARGET": "news",
                "PAGEWATCH_EVENT": "titleChanged", "PAGEWATCH_URL": "https://a.test/new",
                // A page without a title has no field for it, unlike one with an empty title.
                "PAGEWATCH_OLD_TITLE": #"A\u001B[2J"#, "PAGEWATCH_LOAD": "3",
                "PAGEWATCH_SEQ": "7",
            ])
        #expect(
            try fields(.firstSeen(title: "", url: "https://a.test/", previous: nil))[
                "PAGEWATCH_TITLE"] == "")
    }

    @Test func `of a failure is how far it came, and why`() throws {
        let error = LoadError(phase: .connect, code: "refused", message: "Connection refused")
        let since = Timestamp(milliseconds: 0)
        let failing = try fields(.failing(error: error, status: nil, since: since))
        #expect(failing["PRIORITY"] == "4")
        #expect(failing["PAGEWATCH_PHASE"] == "connect")
        #expect(failing["PAGEWATCH_ERROR"] == "refused")
        #expect(failing["PAGEWATCH_HTTP_STATUS"] == nil)
        #expect(failing["PAGEWATCH_URL"] == "https://a.test/own")
        let recovered = try fields(.recovered(error: error, status: 503, since: since))
        #expect(recovered["PRIORITY"] == "6")
        #expect(recovered["PAGEWATCH_HTTP_STATUS"] == "503")
        #expect(recovered["PAGEWATCH_URL"] == "https://a.test/own")
    }

    @Test func `of what was read anew is the target's own URL, too`() throws {
        for event: DurableEvent in [
            .rebased(from: "A", to: nil, because: "url"),
            .encodingChanged(title: nil, encoding: "UTF-8", previousEncoding: "windows-1252"),
        ] {
            #expect(try fields(event)["PAGEWATCH_URL"] == "https://a.test/own")
        }
        #expect(
            try fields(.firstSeen(title: nil, url: "https://a.test/end", previous: nil))[
                "PAGEWATCH_URL"] == "https://a.test/end")
    }

    @Test(arguments: ServiceEvent.State.allCases)
    func `of the service has an identifier for each state`(state: ServiceEvent.State) throws {
        let fields = try fields(.service(ServiceEvent(state: state, version: "1")), target: nil)
        let kind = try #require(JournalKind.all.first { $0.name == state.rawValue })
        #expect(fields["MESSAGE_ID"] == kind.id)
        #expect(fields["PAGEWATCH_EVENT"] == "service")
        #expect(fields["PAGEWATCH_TARGET"] == nil)
        let isTrouble = [.refused, .storeTrouble].contains(state)
        #expect((fields["PRIORITY"] == "3") == isTrouble)
    }

    @Test(arguments: GapReason.allCases)
    func `of a gap is a warning if somebody can do something about it`(reason: GapReason) throws {
        let now = Timestamp(milliseconds: 0)
        let fields = try fields(.gap(since: now, until: now, reason: reason, targets: nil))
        #expect(fields["MESSAGE_ID"] == JournalKind.gap.id)
        #expect((fields["PRIORITY"] == "4") == [.overloaded, .overrun].contains(reason))
    }

    @Test func `is nothing of the steps of a load`() {
        for event: PageEvent in [.estimatedProgress(0.5), .isLoading(true), .title("A")] {
            let line = EventLine(
                seq: 1, time: WallTime(milliseconds: 0), target: "a", load: 1, event: event)
            #expect(line.journalMessage(url: nil) == nil)
        }
    }

    @Test func `of what is no event is a line with a priority`() {
        let message = JournalMessage(remark: "no\nroom", .warning)
        #expect(message.text == #"(service): no\u000Aroom"#)
        #expect(message.fields.map(\.name) == ["MESSAGE", "PRIORITY", "MESSAGE_ID"])
        #expect(message.fields.map(\.value)[1...] == ["4", JournalKind.remark.id])
    }
}
