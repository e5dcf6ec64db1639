import PageModel

/// What the journal is told: a line for people, and fields to search by.
///
/// `docs/SERVICE.md` describes the fields.
package struct JournalMessage: Equatable, Sendable {
    /// A field's name, and its value as it may stand on a terminal.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// The line, as it stands on standard output.
    package let text: String
    package let priority: Priority
    /// All fields, `MESSAGE` and `PRIORITY` among them.
    package private(set) var fields: [Field]

    /// The names that a message may have beside `MESSAGE`, `MESSAGE_ID` and `PRIORITY`.
    package static let names = [
        "PAGEWATCH_TARGET", "PAGEWATCH_EVENT", "PAGEWATCH_URL", "PAGEWATCH_TITLE",
        "PAGEWATCH_OLD_TITLE", "PAGEWATCH_HTTP_STATUS", "PAGEWATCH_LOAD", "PAGEWATCH_SEQ",
        "PAGEWATCH_PHASE", "PAGEWATCH_ERROR",
    ]

    /// A word to the operator that is no event.
    package init(remark line: String, _ priority: Priority) {
        self.init(.remark, priority, text: "(service): " + escaped(line))
    }

    /// Why the service does not start.
    package init(startProblem line: String) {
        self.init(
            .startFailed, JournalKind.startFailed.priority, text: "(service): " + escaped(line))
    }

    private init(_ kind: JournalKind, _ priority: Priority, text: String) {
        self.text = text
        self.priority = priority
        fields = []
        add("MESSAGE", text)
        add("PRIORITY", String(priority.rawValue))
        add("MESSAGE_ID", kind.id)
    }

    fileprivate init(_ event: DurableEvent, text: String) {
        let kind = event.journalKind
        self.init(kind, kind.priority, text: text)
    }

    private mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Adds a field, unless there is nothing to tell.
    ///
    /// The value is escaped like a line for people: `journalctl -o cat` and `-x` show values as
    /// they are, so that a title with control characters could move a cursor there.
    fileprivate mutating func addOwn(_ name: String, _ value: String?) {
        if let value { add("PAGEWATCH_" + name, escaped(value)) }
    }
}

extension EventLine {
    /// What the journal is told of it; nil for what it is not told: steps of loads.
    ///
    /// - Parameter url: The target's own, for events that have none: a failure has no final one.
    package func journalMessage(url: String?) -> JournalMessage? {
        guard case .durable(let event) = event else { return nil }
        var message = JournalMessage(event, text: text)
        message.addOwn("TARGET", target)
        message.addOwn("EVENT", event.name.rawValue)
        message.add(facts: event, url: url)
        message.addOwn("LOAD", load.map { "\($0)" })
        message.addOwn("SEQ", "\(seq)")
        return message
    }
}

extension JournalMessage {
    /// What happened, in fields.
    fileprivate mutating func add(facts event: DurableEvent, url targetURL: String?) {
        switch event {
        case .firstSeen(let title, let url, let previous):
            addOwn("URL", url)
            addOwn("TITLE", title)
            addOwn("OLD_TITLE", previous?.title)
        case .titleChanged(let change):
            addOwn("URL", change.url)
            addOwn("TITLE", change.to)
            addOwn("OLD_TITLE", change.from)
        case .failing(let error, let status, _), .recovered(let error, let status, _):
            addOwn("URL", targetURL)
            addOwn("HTTP_STATUS", status.map { "\($0)" })
            addOwn("PHASE", error.phase.rawValue)
            addOwn("ERROR", error.code)
        case .rebased(let from, let to, _):
            addOwn("URL", targetURL)
            addOwn("TITLE", to)
            addOwn("OLD_TITLE", from)
        case .encodingChanged(let title, _, _):
            addOwn("URL", targetURL)
            addOwn("TITLE", title)
        case .oscillating, .settled, .unstable, .gap, .service: break
        }
    }
}
