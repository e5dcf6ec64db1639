import Events
import PageModel
import TestSupport
import Testing

@Suite struct `The table of the journal's messages` {
    private static func text(_ path: String) throws -> String {
        try TextFile.read("\(Machine.project)/\(path)")
    }

    @Test func `has an identifier of its own for each kind`() {
        #expect(Set(JournalKind.all.map(\.id)).count == JournalKind.all.count)
        #expect(Set(JournalKind.all.map(\.name)).count == JournalKind.all.count)
        for kind in JournalKind.all {
            #expect(kind.id.count == 32)
            #expect(kind.id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        }
    }

    @Test func `is explained in the catalog, each kind once`() throws {
        let lines = try Self.text("systemd/pagewatch.catalog").split(separator: "\n")
        let explained = lines.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(explained == JournalKind.all.map(\.id))
        #expect(lines.count { $0.hasPrefix("Subject: ") } == explained.count)
        // What is filled in is a field that there is.
        let filled = lines.flatMap { $0.matches(of: /@([A-Z_]+)@/).map { String($0.output.1) } }
        #expect(Set(filled).isSubset(of: JournalMessage.names + ["MESSAGE"]))
        #expect(filled.contains("PAGEWATCH_TARGET"))
    }

    @Test func `is documented, with the fields`() throws {
        let document = try Self.text("docs/SERVICE.md")
        let manual = try Self.text("man/pagewatch.service.8")
        for kind in JournalKind.all {
            let row = "| `\(kind.name)` | \(kind.priority.rawValue)"
            let found = document.split(separator: "\n").filter { $0.hasPrefix(row) }
            #expect(found.count == 1, "\(row)")
            #expect(found.first?.contains("`\(kind.id)`") == true, "\(kind.name)")
        }
        for name in JournalMessage.names + ["MESSAGE_ID", "PRIORITY"] {
            #expect(document.contains("| `\(name)` |"), "\(name)")
            #expect(manual.contains(name), "\(name)")
        }
    }

    @Test func `is what the units' documents and messages name`() throws {
        // A unit that is named somewhere is one that there is.
        let units = [
            "pagewatch.service", "pagewatch.socket", "pagewatch-stop.target",
            "pagewatch-check@.service", "pagewatch-check@.timer",
        ]
        for unit in units { #expect(try Self.text("docs/SERVICE.md").contains("`\(unit)`")) }
    }
}

@Suite(.inTurns, .needsMachine, .timeLimit(.minutes(10))) struct `The explanations of journalctl` {
    /// Each kind of event, of a page with a title and of one without.
    private static func events(_ title: String?) -> [DurableEvent] {
        let (now, url) = (Timestamp(milliseconds: 0), "https://a.test/")
        let error = LoadError(phase: .connect, code: "refused", message: "Connection refused")
        let change = TitleChange(
            from: title, to: title, url: url, initialURL: url, lastSeen: now, firstShown: now,
            fromURL: nil)
        let aboutTargets: [DurableEvent] = [
            .firstSeen(title: title, url: url, previous: nil), .titleChanged(change),
            .failing(error: error, status: nil, since: now),
            .recovered(error: error, status: nil, since: now), .oscillating(titles: [title]),
            .settled(titles: [title]), .unstable(titles: [title]),
            .rebased(from: title, to: title, because: "url"),
            .encodingChanged(title: title, encoding: "UTF-8", previousEncoding: "windows-1252"),
            .gap(since: now, until: now, reason: .overrun, targets: nil),
        ]
        return aboutTargets
            + ServiceEvent.State.allCases.map { .service(ServiceEvent(state: $0, version: "1")) }
    }

    private static func messages(_ title: String?) -> [JournalMessage] {
        events(title).compactMap { event in
            var target: String? = "news"
            if case .service(let event) = event, ![.paused, .resumed].contains(event.state) {
                target = nil
            }
            return EventLine(
                seq: 1, time: WallTime(milliseconds: 0), target: target,
                load: target.map { _ in 1 }, event: event
            ).journalMessage(url: nil)
        } + [JournalMessage(remark: "a word", .info), JournalMessage(startProblem: "no")]
    }

    @Test func `are filled in for each kind of message, though a page has no title`() async throws {
        let machine = try await Machine.boot()
        let messages = Self.messages("Title") + Self.messages(nil)
        #expect(
            Set(messages.flatMap(\.fields).filter { $0.name == "MESSAGE_ID" }.map(\.value))
                == Set(JournalKind.all.map(\.id)))
        for (number, message) in messages.enumerated() {
            let lines = message.fields.map { "\($0.name)=\($0.value)\n" }.joined()
            try machine.write(lines + "SYSLOG_IDENTIFIER=sample\n", to: "/srv/messages/\(number)")
        }
        try await machine.command("for file in /srv/messages/*; do logger --journald=$file; done")
        try await machine.eventually("all messages") {
            try await machine.journal("-t sample").count == messages.count
        }
        let explained = try await machine.command("journalctl --no-pager -x -t sample")
        #expect(explained.ranges(of: "Subject: ").count == messages.count)
        // systemd puts the name of a field in its place where there is none.
        let bare = explained.matches(of: /@[A-Z_]+@|PAGEWATCH_[A-Z_]*|\bMESSAGE\b/)
            .map { String($0.output) }
        #expect(bare.isEmpty, "\(Set(bare))")
        #expect(explained.contains(#"news: title changed: (none) -> (none)"#))
    }
}
