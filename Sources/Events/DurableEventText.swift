import PageModel

extension DurableEvent {
    /// What happened, in a word or two.
    var kind: String {
        switch self {
        case .firstSeen: "first seen"
        case .titleChanged: "title changed"
        case .failing: "failing"
        case .recovered: "recovered"
        case .oscillating: "oscillating"
        case .settled: "settled"
        case .unstable: "unstable"
        case .rebased: "rebased"
        case .encodingChanged: "encoding changed"
        case .gap: "not watched"
        case .service(let event): event.state.text
        }
    }

    /// What there is to tell beside the kind; no control characters.
    func detail(_ zone: TimeZoneStyle) -> String {
        switch self {
        case .firstSeen(let title, _, let previous):
            quoted(title) + (previous.map { " (was \(quoted($0.title)))" } ?? "")
        case .titleChanged(let change): "\(quoted(change.from)) -> \(quoted(change.to))"
        case .failing(let error, _, let since):
            "\(error.text) (since \(WallTime(since).text(zone)))"
        case .recovered(let error, _, let since):
            "failed since \(WallTime(since).text(zone)): \(error.text)"
        case .oscillating(let titles), .settled(let titles), .unstable(let titles):
            titles.map { quoted($0) }.joined(separator: ", ")
        case .rebased(let from, let to, let because):
            "\(quoted(from)) -> \(quoted(to)) (\(escaped(because)))"
        case .encodingChanged(let title, let encoding, let previousEncoding):
            "\(escaped(previousEncoding)) -> \(escaped(encoding)): \(quoted(title))"
        case .gap(let since, let until, let reason, let targets):
            "\(reason.rawValue) from \(WallTime(since).text(zone))"
                + " to \(WallTime(until).text(zone))"
                + (targets.map { $0 == 1 ? ", 1 target" : ", \($0) targets" } ?? "")
        case .service(let event): event.detail
        }
    }
}

extension ServiceEvent {
    /// The version, what became of targets, and the message.
    fileprivate var detail: String {
        var parts: [String] = []
        if state == .started { parts.append("version " + escaped(version)) }
        for (names, word) in [(added, "added"), (removed, "removed"), (changed, "changed")]
        where !names.isEmpty {
            parts.append(Self.list(names, word))
        }
        if let message { parts.append(escaped(message)) }
        return parts.joined(separator: "; ")
    }

    /// `added a, b, c`; of many only the first few, and how many more.
    private static func list(_ names: [String], _ word: String) -> String {
        let more = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
        return "\(word) " + names.prefix(mostNames).map(escaped).joined(separator: ", ") + more
    }

    private static let mostNames = 5
}

extension ServiceEvent.State {
    fileprivate var text: String { self == .storeTrouble ? "store trouble" : rawValue }
}
